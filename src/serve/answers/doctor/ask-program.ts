// Asks a program of the system one short question. What does not answer in time has no answer.
import { AppError } from "../../../domain/errors.ts";
import type { DoctorFacts } from "./check.ts";

const ASK_MS = 3_000;
const OUTPUT_BYTES_MAX = 65_536;

export interface ProgramAnswer {
  readonly code: number;
  readonly output: string;
}

/** Undefined for a program that is not there, was killed or took too long. */
export async function askProgram(
  { run, env }: Pick<DoctorFacts, "run" | "env">,
  [file = "", ...args]: readonly string[],
): Promise<ProgramAnswer | undefined> {
  const command = { file, args, env, timeMs: ASK_MS, outputBytesMax: OUTPUT_BYTES_MAX, diesWithUs: true };
  try {
    const { how, code, stdout } = await run(command, new AbortController().signal);
    return how === "exit" && code !== null ? { code, output: stdout.toString("utf8").trim() } : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "command-not-started") return undefined;
    throw error;
  }
}
