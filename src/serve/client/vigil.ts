// Waits for an answer that may take long, and looks meanwhile whether anybody is still there: a daemon that was stopped or
// whose event loop hangs keeps its connections open and never answers. Never judges how far the work is.
import { AppError } from "../../domain/errors.ts";
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import type { Clock } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { Answer, Question } from "./exchange.ts";
import { exchange, notAnswering } from "./exchange.ts";

export interface Vigil {
  readonly clock: Clock;
  /** Told after each look for how long nobody has answered; 0: somebody has. */
  readonly onLook?: ((silentMs: number) => void) | undefined;
}

/** Looks in a row that stay without an answer. Counted, not timed: whoever was stopped himself has missed one, not all. */
const MISSED_MAX = 3;

/** Throws as `exchange` does, and `daemon-silent` once nobody shows a sign of life. */
export async function exchangeWatched(question: Question, vigil: Vigil): Promise<Answer> {
  const over = new AbortController();
  try {
    void watch(question.socket, vigil, over);
    return await exchange({ ...question, signal: over.signal }, vigil.clock);
  } finally {
    over.abort();
  }
}

/** Never rejects; aborts `over` with the failure. */
async function watch(socket: string, { clock, onLook }: Vigil, over: AbortController): Promise<void> {
  const { answerMs } = SOCKET_LIMITS;
  const { signal } = over;
  let missed = 0;
  let heardMs = clock.monotonicMs();
  while (missed < MISSED_MAX) {
    await wait(clock, answerMs, signal);
    if (signal.aborted) return;
    const hasAnswered = await showsLife(socket, { clock, signal });
    if (signal.aborted) return;
    missed = hasAnswered ? 0 : missed + 1;
    if (hasAnswered) heardMs = clock.monotonicMs();
    onLook?.(clock.monotonicMs() - heardMs);
  }
  const seconds = Math.round((clock.monotonicMs() - heardMs) / 1000);
  over.abort(
    notAnswering(`the daemon has shown no sign of life for ${seconds} s; what was asked may still be done`),
  );
}

/** Whatever is answered, by whatever version: there is no such page, which costs a daemon the least. */
const ANYTHING = "/";

async function showsLife(
  socket: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    const { answerMs } = SOCKET_LIMITS;
    await exchange({ socket, method: "GET", target: ANYTHING, answerMs, signal }, clock);
    return true;
  } catch (error) {
    // What cannot be read was said by somebody all the same.
    return error instanceof AppError && error.code === "bad-answer";
  }
}
