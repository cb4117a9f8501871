// A person's home with Claude's folder, and projects over it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createProjects } from "../../../../src/intake/projects/identity.ts";
import type { Projects, ProjectsOptions } from "../../../../src/intake/projects/identity.ts";
import { projectKey } from "../../../../src/intake/projects/key.ts";
import type { Files } from "../../../../src/system/files.ts";
import { createFiles } from "../../../../src/system/files.ts";
import type { ProjectRef } from "../../../../src/domain/sessions.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

export interface Fixture {
  readonly scratch: TempFolder;
  readonly files: Files;
  readonly home: string;
  readonly claudeHome: string;
  readonly statePath: string;
  /** Projects as a fresh start of the service would have them. */
  open(options?: Partial<ProjectsOptions>): Projects;
}

export function createFixture(): Fixture {
  const scratch = createTempFolder();
  const home = scratch.folder("home");
  const claudeHome = scratch.folder("home/.claude");
  const files = createFiles();
  const statePath = scratch.at("state/projects.json");
  return {
    scratch,
    files,
    home,
    claudeHome,
    statePath,
    open: (options) =>
      createProjects({ files, paths: { home }, claudeHomes: [claudeHome], statePath, ...options }),
  };
}

/** A session in `cwd` as Claude files it: below its key, made when it is not there. */
export function claudeSession(
  projects: Projects,
  { cwd, agentHome }: { cwd: string; agentHome: string },
): ProjectRef {
  const transcriptFolder = join(agentHome, "projects", projectKey(cwd));
  mkdirSync(transcriptFolder, { recursive: true });
  return projects.resolve({ cwd, transcriptFolder, agentHome });
}
