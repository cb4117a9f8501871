// A command on a terminal of its own, by the `script` program of util-linux: for questions only a terminal is asked.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { onTestFinished } from "vitest";

const SCRIPT = "/usr/bin/script";

/** Other systems have a `script` with other options. */
export const hasTerminal = process.platform === "linux" && existsSync(SCRIPT);

export interface TerminalOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** `TERM` is `dumb` unless this says something else. */
  readonly env: Readonly<Record<string, string>>;
  /** Once this stands on the screen, `typed` is typed: `\u0004` ends the input, `\u0003` is Ctrl-C. */
  readonly when: string;
  readonly typed: string;
  /** Called then as well. */
  readonly onSeen?: () => void;
}

/** Everything that stood on the screen, and the exit code. */
export function onTerminal({ command, env, when, typed, onSeen }: TerminalOptions): Promise<{
  readonly screen: string;
  readonly code: number | null;
}> {
  const words = command.map((part) => `'${part.replaceAll("'", String.raw`'\''`)}'`);
  // No shell in between, which Ctrl-C would end as well.
  const line = `exec ${words.join(" ")}`;
  const child = spawn(SCRIPT, ["-qefc", line, "/dev/null"], { env: { TERM: "dumb", ...env }, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  let isTyped = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    if (isTyped || !screen.includes(when)) return;
    isTyped = true;
    child.stdin.write(typed);
    onSeen?.();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ screen, code }));
  });
}
