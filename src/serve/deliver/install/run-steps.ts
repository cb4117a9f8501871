// Runs the programs of the service manager, found on PATH, one after the other. Bounded, each and all together; a failure is
// an answer.
import { AppError } from "../../../domain/errors.ts";
import type { Clock } from "../../../system/clock.ts";
import type { RunCommand } from "../../../system/command.ts";
import type { Environment } from "../../../system/paths.ts";
import type { Step } from "./service-commands.ts";
import { typed } from "./service-commands.ts";

export interface StepsDeps {
  readonly run: RunCommand;
  readonly env: Environment;
}

export interface StepsEnd {
  /** Commands that did what they were asked, as typed. */
  readonly done: readonly string[];
  /** What the first failing one says; undefined when all went well. */
  readonly failure: string | undefined;
}

/** A stop may take the unit's 15 s, and a start comes after it. */
const STEP_MS = 40_000;
/** A question, or a service that ends at once: a moment for a manager that works, some seconds on a machine under load. */
const QUESTION_MS = 10_000;
/** Everything that one command asks of the manager. */
const ALL_MS = 45_000;
const OUTPUT_BYTES_MAX = 65_536;

/** Tells of each program before it runs. Once one has hung, the manager is not asked again: it would hang each time. */
export function withPatience(
  run: RunCommand,
  { clock, onStep }: { readonly clock: Clock; readonly onStep: (typed: string) => void },
): RunCommand {
  const endMs = clock.monotonicMs() + ALL_MS;
  let hung: string | undefined;
  return async (command, signal) => {
    const words = typed([command.file, ...command.args]);
    const leftMs = endMs - clock.monotonicMs();
    if (hung !== undefined || leftMs <= 0) throw notAsked(words, hung);
    onStep(words);
    const end = await run({ ...command, timeMs: Math.min(command.timeMs, leftMs) }, signal);
    if (end.how === "time") hung = words;
    return end;
  };
}

const NOT_ASKED = "manager-hangs";

function notAsked(words: string, hung: string | undefined): AppError {
  const why = hung === undefined ? "everything before it took too long" : `"${hung}" did not answer`;
  return new AppError({ code: NOT_ASKED, message: `"${words}" was not run: ${why}` });
}

const ANSWERS: ReadonlySet<string> = new Set([NOT_ASKED, "command-not-started"]);

/** Questions change nothing, and are answered in a moment. */
export function askSteps(deps: StepsDeps, steps: readonly Step[]): Promise<StepsEnd> {
  return runSteps(deps, steps, QUESTION_MS);
}

export function askStep(deps: StepsDeps, argv: readonly string[]): Promise<StepEnd> {
  return runStep(deps, argv, QUESTION_MS);
}

/** Stops at the first failure that matters. */
export async function runSteps(
  deps: StepsDeps,
  steps: readonly Step[],
  timeMs: number = STEP_MS,
): Promise<StepsEnd> {
  const done: string[] = [];
  for (const { argv, mayFail } of steps) {
    const { failure } = await runStep(deps, argv, timeMs);
    if (failure === undefined) done.push(typed(argv));
    else if (mayFail !== true) return { done, failure };
  }
  return { done, failure: undefined };
}

interface StepEnd {
  readonly failure: string | undefined;
  readonly output: string;
}

async function runStep(
  { run, env }: StepsDeps,
  [file = "", ...args]: readonly string[],
  timeMs: number,
): Promise<StepEnd> {
  const command = { file, args, env, timeMs, outputBytesMax: OUTPUT_BYTES_MAX, diesWithUs: true };
  try {
    const { how, code, stdout } = await run(command, new AbortController().signal);
    const output = stdout.toString("utf8").trim();
    if (how === "exit" && code === 0) return { failure: undefined, output };
    const why =
      how === "time"
        ? `did not answer within ${timeMs / 1_000} s`
        : `ended with ${code === null ? "a signal" : `code ${code}`}`;
    return { failure: `"${typed([file, ...args])}" ${why}`, output };
  } catch (error) {
    if (!(error instanceof AppError) || !ANSWERS.has(error.code)) throw error;
    return { failure: error.message, output: "" };
  }
}
