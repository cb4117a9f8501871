// What to say to somebody whose project holds nothing under a name, or nothing at all: where it is, or what was meant.
// Looks only; whatever it says is a command to type.
import { join } from "node:path";
import { closeTo } from "../../config/nearest.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { EngramdService } from "../../domain/service.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { projectKey } from "../../intake/projects/key.ts";
import { isInside } from "../../system/paths.ts";
import type { CommandContext } from "./command.ts";
import { counted } from "../render/numbers.ts";

/** A name may be one of many projects; more than these no line has room for. */
const PROJECTS_TOLD_MAX = 3;
/** Said when nothing better is known. */
export const LIST = 'see "engramd list"';

export interface Missed {
  readonly name: string;
  /** The project it was looked for in. */
  readonly project: string;
}

/** What to do about a name that no memory of this project has. */
export async function fixForMissed(
  { name, project }: Missed,
  service: Pick<EngramdService, "memories">,
): Promise<string> {
  const elsewhere = await service.memories({ all: true, name });
  const projects = [...new Set(elsewhere.memories.map((memory) => memory.project))];
  if (projects.length > 0) {
    const options = projects.slice(0, PROJECTS_TOLD_MAX).map((each) => `--project ${shellWord(each)}`);
    return `another project has it: add ${options.join(" or ")}`;
  }
  const { memories, notMemories } = await service.memories({ project });
  const odd = notMemories.find(({ file }) => file === name || file === `${name}.md`);
  if (odd !== undefined) return `there is a file ${odd.file}, which is no memory (${odd.why}): ${LIST}`;
  const guess = meantBy(
    name,
    memories.flatMap((memory) => [memory.name, memory.file]),
  );
  return guess === undefined ? LIST : `did you mean ${shellWord(guess)}? ${LIST}`;
}

/** A word of the name is what people remember of it. */
function meantBy(word: string, names: readonly string[]): string | undefined {
  const close = closeTo(word, names);
  if (close !== undefined) return close;
  const holding = names.filter((name) => name.split(/[-_.]/u).includes(word.toLowerCase()));
  return holding[0];
}

/**
 * For what would begin a project: a path that is no folder and of which nothing is known is a slip. A folder that is gone
 * stays the project it was.
 */
export async function refuseNoProject(
  { call, files, paths }: Pick<CommandContext, "call" | "files" | "paths">,
  project: string,
  service: Pick<EngramdService, "projects">,
): Promise<void> {
  if (call.globals.project === undefined || files.follow(project) !== undefined) return;
  // An agent has worked there, and nobody has read it yet.
  if (files.look(join(paths.claudeHome, "projects", projectKey(project))) !== undefined) return;
  const { projects } = await service.projects();
  if (projects.some(({ root }) => isInside(project, root))) return;
  throw new AppError({
    code: "no-such-folder",
    message: `there is no folder ${project}, and no project of that name is known`,
    fix: "see engramd project; for one whose folder is gone: engramd sync, then again",
    exitCode: EXIT.usage,
  });
}

/** Where memories are, for somebody who stands in a project without any; undefined when there are none at all. */
export async function memoriesElsewhere(
  service: Pick<EngramdService, "memories">,
): Promise<string | undefined> {
  const { memories } = await service.memories({ all: true });
  if (memories.length === 0) return undefined;
  const projects = new Set(memories.map(({ project }) => project));
  const where = projects.size === 1 ? "another project" : `${projects.size} other projects`;
  return `${counted(memories.length, "memory")} in ${where}: engramd list --all`;
}
