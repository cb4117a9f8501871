// The project a person names by a path. Looks, remembers and writes nothing.
import { join } from "node:path";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { projectKey } from "../../intake/projects/key.ts";
import type { Places } from "../../intake/projects/places.ts";

/** Throws `no-project` for our own folders and ignored ones. */
export function projectAtPath(
  path: string,
  { places, agentHome }: { readonly places: Places; readonly agentHome: string },
): ProjectRef {
  const transcriptFolder = join(agentHome, "projects", projectKey(path));
  const project = places.projectOf({ cwd: path, transcriptFolder, agentHome });
  if (project !== undefined) return project;
  throw new AppError({
    code: "no-project",
    message: `${path} is ignored or belongs to engramd itself`,
    fix: "name another folder with --project PATH",
    exitCode: EXIT.usage,
  });
}
