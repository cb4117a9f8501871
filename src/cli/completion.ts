// `engramd completion bash|zsh|fish`: the script that makes a shell complete our command lines. Writes no file.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, CommandEntry, Reply } from "./frame/command.ts";
import { line } from "./render/line.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The table is given: it holds this command itself. */
export async function run({ call }: CommandContext, table: readonly CommandEntry[]): Promise<Reply> {
  const [wanted = ""] = call.words;
  const shell = SHELLS.find((known) => known === wanted);
  if (shell === undefined)
    throw new AppError({
      code: "unknown-shell",
      message: `there is no completion for ${JSON.stringify(wanted)}`,
      fix: `use one of ${SHELLS.join(", ")}`,
      exitCode: EXIT.usage,
    });
  const script = await scriptOf(shell, table);
  return {
    exitCode: EXIT.ok,
    document: { v: 1, shell, script },
    lines: () =>
      script
        .trimEnd()
        .split("\n")
        .map((text) => line(text)),
  };
}

async function scriptOf(shell: (typeof SHELLS)[number], table: readonly CommandEntry[]): Promise<string> {
  const { SCRIPTS } = await import("./frame/shells/scripts.ts");
  return SCRIPTS[shell](table);
}
