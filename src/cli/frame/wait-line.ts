// The one line that says what a command waits for, and since when: on a terminal, and gone afterwards. Never with --json,
// in a pipe or on a dumb terminal. Shows words of ours and numbers only; decides nothing.
import type { Timer } from "../../system/clock.ts";
import { durationText } from "../render/time.ts";
import type { CommandContext } from "./command.ts";

export interface WaitLine {
  readonly isShown: boolean;
  /** Words behind the name of what is waited for; empty: nothing but the time. */
  say(words: string): void;
  /** What keeps it, behind that; empty: nothing does any more. */
  trouble(words: string): void;
  close(): void;
}

/** A model thinks for minutes: the seconds show that somebody is there. */
const DRAWN_EVERY_MS = 1_000;
/** Where the terminal does not tell. */
const COLUMNS_DEFAULT = 80;
/** Nobody wonders before that. */
export const UNSAID_MS = 2_000;

const NO_LINE: WaitLine = {
  isShown: false,
  say: () => undefined,
  trouble: () => undefined,
  close: () => undefined,
};

/** Drawn after `afterMs`; until then nothing is on the screen. */
export function openWaitLine(
  { host, call, clock }: Pick<CommandContext, "host" | "call" | "clock">,
  { what, afterMs }: { readonly what: string; readonly afterMs: number },
): WaitLine {
  const { err } = host;
  const isShown = !call.globals.json && host.out.isTerminal && err.isTerminal && host.env["TERM"] !== "dumb";
  if (!isShown) return NO_LINE;
  const startedMs = clock.monotonicMs();
  let said = "";
  let kept = "";
  let shown = 0;
  let timer: Timer | undefined;
  // With blanks: nothing is written that a terminal could take for an order.
  const clear = () => {
    if (shown > 0) err.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  const draw = () => {
    timer?.cancel();
    timer = clock.setTimer(DRAWN_EVERY_MS, draw);
    const parts = [
      what,
      ...(said === "" ? [] : [` ${said}`]),
      `, ${durationText(clock.monotonicMs() - startedMs)}`,
    ];
    const words = [...parts, ...(kept === "" ? [] : [`: ${kept}`])].join("");
    // A line that wraps could not be cleared.
    const text = words.slice(0, Math.max(0, (err.columns || COLUMNS_DEFAULT) - 1));
    clear();
    err.write(text);
    shown = text.length;
  };
  if (afterMs > 0) timer = clock.setTimer(afterMs, draw);
  else draw();
  const change = (apply: () => void) => {
    apply();
    if (clock.monotonicMs() - startedMs >= afterMs) draw();
  };
  return {
    isShown: true,
    say: (words) => change(() => (said = words)),
    trouble: (words) => change(() => (kept = words)),
    close() {
      timer?.cancel();
      clear();
    },
  };
}
