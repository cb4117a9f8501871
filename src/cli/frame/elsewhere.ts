// What to say to somebody whose project holds nothing under a name, or nothing at all: where it is, or what was meant.
// Looks only; whatever it says is a command to type.
import { closeTo } from "../../config/nearest.ts";
import type { EngramdService } from "../../domain/service.ts";
import { shellWord } from "../../domain/shell-word.ts";
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
