// How long an agent still keeps a transcript, and so in which order waiting words are read: what is about to be deleted
// before all, then the newest. Knows times only; reads no transcript and deletes nothing.
import type { ProjectRef } from "../../domain/sessions.ts";
import type { SourceState } from "../transcripts/cursors.ts";
import { backfillBytes, unreadBytes } from "../transcripts/cursors.ts";
import type { Source, TranscriptFormat } from "../transcripts/format.ts";

const DAY_MS = 86_400_000;
/** A transcript that goes within this time is read before all others: a week without its machine is a holiday. */
export const EXPIRES_SOON_MS = 7 * DAY_MS;
/** Unread by now, it is worth a warning. */
export const EXPIRES_NOW_MS = DAY_MS;
/** Above every instant, so that one number orders both kinds. */
const EXPIRING_RANK = 1e15;

/** What decides about a transcript's end. */
export interface Kept {
  readonly source: Source;
  readonly format: Pick<TranscriptFormat, "retentionDays">;
  readonly state: Pick<SourceState, "mtimeMs">;
  readonly project: ProjectRef | undefined;
}

export interface Retention {
  /** Milliseconds until the agent may delete it, counted from its last change; below 0 where that time is over. */
  leftMs(kept: Kept): number;
  expiresSoon(kept: Kept): boolean;
  /** What goes first is higher: transcripts that expire soon, the soonest first; then the newest. */
  rankOf(kept: Kept): number;
}

export interface RetentionDeps {
  now(): number;
  /** Days the agent's own settings name: those of the project, or of the agent's home. Undefined: its usual time. */
  daysOf(kept: Kept): number | undefined;
}

export function createRetention({ now, daysOf }: RetentionDeps): Retention {
  const leftMs: Retention["leftMs"] = (kept) => {
    // Without a usual time the agent deletes nothing, whatever a file of that name says.
    const usual = kept.format.retentionDays;
    return usual === undefined ? Infinity : kept.state.mtimeMs + (daysOf(kept) ?? usual) * DAY_MS - now();
  };
  const expiresSoon: Retention["expiresSoon"] = (kept) => leftMs(kept) <= EXPIRES_SOON_MS;
  return {
    leftMs,
    expiresSoon,
    rankOf(kept) {
      const left = leftMs(kept);
      return left <= EXPIRES_SOON_MS ? EXPIRING_RANK - left : kept.state.mtimeMs;
    },
  };
}

/** Words nobody has read: those that wait, and those passed over because they were old at the first start. */
export function isUnheard(state: SourceState): boolean {
  return unreadBytes(state) > 0 || (state.passedWhy === "old" && backfillBytes(state) > 0);
}
