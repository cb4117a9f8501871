// The person's own login of Claude Code as a model: one run of its program for one request, without tools, settings or
// memory. Never sends a key of ours, never keeps a session, never leaves a process behind.
import { join } from "node:path";
import { MODEL_LIMITS } from "../../../domain/limits.ts";
import type { ModelClient, ModelRequest, ModelTurn } from "../../../domain/models.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Command, CommandEnd, RunCommand } from "../../../system/command.ts";
import type { Files } from "../../../system/files.ts";
import { removeFolder } from "../../../system/removal.ts";
import type { Environment } from "../../../system/paths.ts";
import { modelFailure } from "../failure.ts";
import { goesOnByItself, readAnswer } from "./answer.ts";
import { argumentsFor, environmentFor, inputFor } from "./invocation.ts";
import { findClaude } from "./program.ts";

export interface ClaudeCliDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly run: RunCommand;
  readonly env: Environment;
  readonly home: string;
  readonly stateDir: string;
  /** Where the program sends requests; undefined: wherever it does by itself. */
  readonly baseUrl: string | undefined;
}

/** What the program says of itself, of its limits and its answer twice; some 10 KB are usual. */
const OUTPUT_BYTES_MAX = 4 * MODEL_LIMITS.answerCharsMax;
/** 2.1.332 leaves a folder there with each run (seen). */
const TEMPORARY = "tmp";
/** It writes its own settings file; 2.1.332 takes a third of a second to end (measured). */
const GRACE_MS = 1_000;

export function createClaudeCliClient(deps: ClaudeCliDeps): ModelClient {
  const { clock, stateDir } = deps;
  const folder = join(stateDir, "claude-cli");
  const inTurn = createTurns();
  const ask = async (request: ModelRequest, signal: AbortSignal): Promise<ModelTurn> => {
    signal.throwIfAborted();
    const command = prepare(request, folder, deps);
    const end = await deps.run(command, signal).finally(() => removeFolder(join(folder, TEMPORARY)));
    return readAnswer(outputOf(end), { request, now: clock.now(), code: end.code });
  };
  return {
    provider: "claude-cli",
    complete: (request, signal) => inTurn(() => ask(request, signal)),
  };
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

function prepare(request: ModelRequest, folder: string, deps: ClaudeCliDeps): Command {
  const { files, env, home, baseUrl } = deps;
  const program = findClaude({ files, env, home });
  if (program === undefined) throw modelFailure("model-program-missing", { detail: "claude" });
  const [cwd, temporary] = [join(folder, "work"), join(folder, TEMPORARY)];
  // What somebody put there would be read as a project's settings and memory.
  for (const each of [cwd, temporary]) {
    removeFolder(each);
    files.ensureFolder(each);
  }
  return {
    file: program,
    args: argumentsFor(request),
    env: environmentFor({ env, home, temporary, baseUrl, outputTokensMax: request.outputTokensMax }),
    input: inputFor(request),
    cwd,
    timeMs: MODEL_LIMITS.requestMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
    graceMs: GRACE_MS,
    diesWithUs: true,
    isEnough: goesOnByItself(),
  };
}

function outputOf({ how, stdout }: CommandEnd): string {
  if (how === "time") throw modelFailure("model-timeout", { detail: "claude" });
  if (how === "output") throw modelFailure("model-answer-unusable", { detail: "claude, output too long" });
  return stdout.toString("utf8");
}
