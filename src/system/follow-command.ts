// Runs one program and hands on its output line by line while it lasts. Bounded per line, not in time: the caller's
// signal ends it. Its error output is never read.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { AppError, systemCode } from "../domain/errors.ts";

export interface Followed {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line without its end, cut after `LINE_CHARS_MAX`. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A line of a log; what is longer is cut for the reader. */
const LINE_CHARS_MAX = 100_000;

/** Resolves with the exit code (null after a signal). Rejects with `command-not-started`. */
export function followCommand({ file, args, env, onLine, signal }: Followed): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { env, stdio: ["ignore", "pipe", "ignore"] });
    const stop = () => {
      child.kill("SIGTERM");
      // What it has started may keep its output open.
      child.stdout.destroy();
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const lines = createInterface({ input: child.stdout, crlfDelay: Infinity });
    lines.on("line", (line) => onLine(line.slice(0, LINE_CHARS_MAX)));
    child.on("error", (cause) => {
      reject(
        new AppError({
          code: "command-not-started",
          message: `${file} cannot be started (${systemCode(cause) ?? "unknown reason"})`,
          fix: "Check that it is installed and may be run.",
          cause,
        }),
      );
    });
    let code: number | null = null;
    child.on("close", (ended) => {
      code = ended;
      signal.removeEventListener("abort", stop);
      lines.close();
      resolve(code);
    });
  });
}
