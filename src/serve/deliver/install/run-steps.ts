// Runs the programs of the service manager, found on PATH, one after the other. Bounded; a failure is an answer.
import { AppError } from "../../../domain/errors.ts";
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
const OUTPUT_BYTES_MAX = 65_536;

/** Stops at the first failure that matters. */
export async function runSteps(deps: StepsDeps, steps: readonly Step[]): Promise<StepsEnd> {
  const done: string[] = [];
  for (const { argv, mayFail } of steps) {
    const { failure } = await runStep(deps, argv);
    if (failure === undefined) done.push(typed(argv));
    else if (mayFail !== true) return { done, failure };
  }
  return { done, failure: undefined };
}

export interface StepEnd {
  readonly failure: string | undefined;
  readonly output: string;
}

export async function runStep(
  { run, env }: StepsDeps,
  [file = "", ...args]: readonly string[],
): Promise<StepEnd> {
  const command = { file, args, env, timeMs: STEP_MS, outputBytesMax: OUTPUT_BYTES_MAX, diesWithUs: true };
  try {
    const { how, code, stdout } = await run(command, new AbortController().signal);
    const output = stdout.toString("utf8").trim();
    if (how === "exit" && code === 0) return { failure: undefined, output };
    const why =
      how === "time" ? "took too long" : `ended with ${code === null ? "a signal" : `code ${code}`}`;
    return { failure: `"${typed([file, ...args])}" ${why}`, output };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "command-not-started") throw error;
    return { failure: error.message, output: "" };
  }
}
