// Points our own service file at the Node and the program that run now, when the recorded ones are gone (a version
// manager removed them). A file somebody edited is left alone.
import { AppError } from "../../../domain/errors.ts";
import type { Clock } from "../../../system/clock.ts";
import { contentHash } from "../../../system/ids.ts";
import type { Program } from "./program.ts";
import { realProgram } from "./program.ts";
import type { InstalledService, RecordDeps } from "./record.ts";
import { readInstalled, saveInstalled } from "./record.ts";
import type { StepsDeps } from "./run-steps.ts";
import { runSteps } from "./run-steps.ts";
import type { Machine } from "./service-commands.ts";
import { serviceCommands, typedSteps } from "./service-commands.ts";
import { wordIn } from "./service-text.ts";

export type RepointDeps = RecordDeps &
  StepsDeps &
  Machine & { readonly clock: Clock; readonly program: Program };

const FILE_BYTES_MAX = 100_000;
/** What is there now and what stood there before, as install keeps them. */
const HASHES_MAX = 2;

/** Answers what it did; nothing when nothing is installed or nothing is gone. */
export async function repointService(deps: RepointDeps): Promise<string[]> {
  const { files } = deps;
  const known = readInstalled(deps);
  if (known === undefined) return [];
  const program = realProgram(files, deps.program);
  const gone = (["node", "entry"] as const).filter((part) => files.follow(known[part])?.kind !== "file");
  if (gone.length === 0) return [];
  const text = ownText(deps, known);
  const next = gone.reduce((changed, part) => withPath(changed, { known, part, to: program[part] }), text);
  const at = new Date(deps.clock.now()).toISOString();
  const service = { ...known, ...Object.fromEntries(gone.map((part) => [part, program[part]])), at };
  // The record first: after a crash the file is known as ours, whichever of the two texts it has.
  saveInstalled(deps, { ...service, hashes: [...known.hashes, contentHash(next)].slice(-HASHES_MAX) });
  files.replace(known.file, next);
  const commands = serviceCommands(deps);
  const { done, failure } = await runSteps(deps, commands.start);
  return [
    ...gone.map((part) => `${known.file} now names ${program[part]} instead of ${known[part]}`),
    ...done.map((command) => `ran ${command}`),
    ...(failure === undefined
      ? []
      : [`could not start it: ${failure}; by hand: ${typedSteps(commands.start)}`]),
  ];
}

function ownText({ files }: RecordDeps, { file, hashes }: InstalledService): string {
  const content = files.look(file)?.kind === "file" ? files.read(file, FILE_BYTES_MAX) : undefined;
  if (content !== undefined && hashes.includes(contentHash(content))) return content.toString("utf8");
  throw new AppError({
    code: "service-file-foreign",
    message: `${file} was edited since engramd wrote it, and is left alone`,
    fix: "move it away, then: engramd install",
  });
}

interface Path {
  readonly known: InstalledService;
  readonly part: "node" | "entry";
  readonly to: string;
}

function withPath(text: string, { known, part, to }: Path): string {
  const from = wordIn(known.kind, known[part]);
  if (text.includes(from)) return text.replaceAll(from, () => wordIn(known.kind, to));
  throw new AppError({
    code: "service-file-foreign",
    message: `${known.file} does not name ${known[part]}`,
    fix: "engramd install",
  });
}
