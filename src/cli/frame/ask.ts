// Asks a person yes or no on a terminal. Whatever is no plain yes is a no: an empty line, the end of the input, Ctrl-C.
import { displayText } from "../../domain/printable.ts";
import type { Outlet } from "../render/output.ts";

/** Where a person types. */
export interface Inlet {
  readonly isTerminal: boolean;
  /** One line without its end; undefined when the input ended, or the person pressed Ctrl-C. */
  line(): Promise<string | undefined>;
  /** Keys as they are pressed, unseen on the terminal, until the answered function is called. */
  keys?(onKey: (key: string) => void): () => void;
}

export interface Asked {
  readonly input: Inlet;
  readonly out: Outlet;
}

/** Whether somebody is there to read a question and to answer it. */
export function canAsk({ input, out }: Asked): boolean {
  return input.isTerminal && out.isTerminal;
}

/** Ask only where `canAsk`. */
export async function askYesNo({ input, out }: Asked, question: string): Promise<boolean> {
  out.write(`${displayText(question)} (y/N) `);
  const answer = await input.line();
  // The person's own line end is on the screen already.
  if (answer === undefined) out.write("\n");
  return /^\s*y(?:es)?\s*$/iu.test(answer ?? "");
}
