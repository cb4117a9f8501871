// A program of the person's own as a model: one run for one request, one at a time, in empty folders of ours. Never hands
// on a key, never leaves a process behind; what is said to the program and what its lines mean is its own folder's.
import { join } from "node:path";
import { MODEL_LIMITS } from "../../../domain/limits.ts";
import { LOGINS, type LoginProvider } from "../../../domain/model-choice.ts";
import type { ModelClient, ModelRequest, ModelTurn } from "../../../domain/models.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Command, CommandEnd, RunCommand } from "../../../system/command.ts";
import type { Files } from "../../../system/files.ts";
import { removeFolder } from "../../../system/removal.ts";
import type { Environment } from "../../../system/paths.ts";
import { modelFailure } from "../failure.ts";
import type { AnswerFacts } from "./answer.ts";

export interface CliDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly run: RunCommand;
  readonly env: Environment;
  readonly home: string;
  readonly stateDir: string;
  /** Where the program sends requests; undefined: wherever it does by itself. */
  readonly baseUrl: string | undefined;
}

/** Folders of ours for one run. */
export interface CliPlaces {
  /** Its working directory, empty. */
  readonly cwd: string;
  /** Empty, and gone after the run. */
  readonly temporary: string;
  /** Holds both; what else is in it stays. */
  readonly folder: string;
}

/** How one program is used as a model. */
export interface CliProgram {
  /** Also the name of its folder in the state. */
  readonly provider: LoginProvider;
  /** The name it has in messages. */
  readonly name: string;
  /** Its path; undefined where it is not installed. */
  find(deps: CliDeps): string | undefined;
  call(
    request: ModelRequest,
    places: CliPlaces,
    deps: CliDeps,
  ): Pick<Command, "args" | "env" | "input" | "isEnough">;
  read(output: string, facts: AnswerFacts): ModelTurn;
}

/** What such a program says of itself, of its limits and its answer twice; some 10 KB are usual. */
const OUTPUT_BYTES_MAX = 4 * MODEL_LIMITS.answerCharsMax;
/** Claude Code 2.1.332 leaves a folder there with each run (seen); what Codex puts there may hold words. */
const TEMPORARY = "tmp";
/** They write their own settings and logins; Claude Code 2.1.332 takes a third of a second to end (measured). */
const GRACE_MS = 1_000;

export function createCliClient(program: CliProgram, deps: CliDeps): ModelClient {
  const { provider, name } = program;
  const folder = join(deps.stateDir, provider);
  const places: CliPlaces = { folder, cwd: join(folder, "work"), temporary: join(folder, TEMPORARY) };
  const inTurn = createTurns();
  const ask = async (request: ModelRequest, signal: AbortSignal): Promise<ModelTurn> => {
    signal.throwIfAborted();
    try {
      const end = await deps.run(prepare(program, { request, places, deps }), signal);
      return program.read(outputOf(end, name), { request, now: deps.clock.now(), code: end.code });
    } finally {
      removeFolder(places.temporary);
    }
  };
  return { provider, complete: (request, signal) => inTurn(() => ask(request, signal)) };
}

/** At start: what a program left that was killed with the engramd that ran it; it may hold words. */
export function tidyCliFolders(stateDir: string): void {
  for (const provider of Object.keys(LOGINS)) removeFolder(join(stateDir, provider, TEMPORARY));
}

/** One program at a time: each takes some 300 MB. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

interface Run {
  readonly request: ModelRequest;
  readonly places: CliPlaces;
  readonly deps: CliDeps;
}

function prepare(program: CliProgram, { request, places, deps }: Run): Command {
  const file = program.find(deps);
  if (file === undefined) throw modelFailure("model-program-missing", { detail: program.name });
  // What somebody put there would be read as a project's settings and memory.
  for (const each of [places.cwd, places.temporary]) {
    removeFolder(each);
    deps.files.ensureFolder(each);
  }
  return {
    file,
    cwd: places.cwd,
    timeMs: MODEL_LIMITS.requestMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
    graceMs: GRACE_MS,
    diesWithUs: true,
    ...program.call(request, places, deps),
  };
}

function outputOf({ how, stdout }: CommandEnd, name: string): string {
  if (how === "time") throw modelFailure("model-timeout", { detail: name });
  if (how === "output") throw modelFailure("model-answer-unusable", { detail: `${name}, output too long` });
  return stdout.toString("utf8");
}
