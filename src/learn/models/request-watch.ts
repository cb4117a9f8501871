// Ends a request that is silent, takes too long, or whose caller has gone. Knows nothing of what is sent.
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type { Clock, Timer } from "../../system/clock.ts";

/** Which limit ended the request. */
export type Expiry = "silence" | "whole-request";

export interface RequestWatch {
  /** Aborts with the caller's signal and its reason, or when a limit is reached. */
  readonly signal: AbortSignal;
  /** Something arrived: silence is counted anew. */
  heard(): void;
  /** The limit that was reached; undefined while none was. */
  expired(): Expiry | undefined;
  /** Must be called once the request is over. */
  stop(): void;
}

export interface WatchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function startWatch({ clock, signal }: WatchOptions): RequestWatch {
  const controller = new AbortController();
  let expiry: Expiry | undefined;
  const expire = (which: Expiry) => {
    expiry ??= which;
    controller.abort();
  };
  const silenceTimer = () => clock.setTimer(MODEL_LIMITS.silenceMs, () => expire("silence"));
  let silence: Timer = silenceTimer();
  const whole = clock.setTimer(MODEL_LIMITS.requestMs, () => expire("whole-request"));
  const follow = () => controller.abort(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  return {
    signal: controller.signal,
    heard() {
      silence.cancel();
      silence = silenceTimer();
    },
    expired: () => expiry,
    stop() {
      silence.cancel();
      whole.cancel();
      signal.removeEventListener("abort", follow);
    },
  };
}
