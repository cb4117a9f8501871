// Keeps an answer many ask for all the time, for a moment: as long as making it again would cost more than a small
// share of the processor. A cheap answer is as good as never kept. Wakes nobody.
import type { Clock } from "../../system/clock.ts";

export interface KeptAnswer {
  /** The text `make` gave a moment ago, or gives now. A failure is not kept. */
  text(make: () => Promise<string>): Promise<string>;
  /** Something was changed by request: whoever did so must see it. */
  forget(): void;
}

/** Making the answer takes at most one part in so many of the time. */
const SHARE = 20;
/** Longer ago is not now, however much it costs. */
const KEPT_MS_MAX = 1_000;

export function createKeptAnswer(clock: Pick<Clock, "monotonicMs">): KeptAnswer {
  let kept: { readonly text: Promise<string>; untilMs: number } | undefined;
  return {
    text(make) {
      const startMs = clock.monotonicMs();
      if (kept !== undefined && startMs < kept.untilMs) return kept.text;
      // Until it is made: whoever asks meanwhile gets the same one.
      const mine = { text: make(), untilMs: Infinity };
      kept = mine;
      mine.text.then(
        () => {
          const nowMs = clock.monotonicMs();
          mine.untilMs = nowMs + Math.min(KEPT_MS_MAX, (nowMs - startMs) * SHARE);
        },
        () => (mine.untilMs = 0),
      );
      return mine.text;
    },
    forget: () => void (kept = undefined),
  };
}
