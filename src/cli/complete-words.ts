// `engramd complete-words KIND`, asked by the completion scripts: words of a kind, one a line. Hidden, silent, harmless.
import { EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { LOOKED_UP } from "./frame/shells/lines.ts";
import { line } from "./render/line.ts";

/** A kind of a newer or older script has no words. */
export async function run(context: CommandContext): Promise<Reply> {
  const kind = LOOKED_UP.find((known) => known === context.call.words[0]);
  const { lookUp } = await import("./frame/shells/look-up.ts");
  const words = kind === undefined ? [] : await lookUp(context, kind);
  return { exitCode: EXIT.ok, document: { v: 1, words }, lines: () => words.map((word) => line(word)) };
}
