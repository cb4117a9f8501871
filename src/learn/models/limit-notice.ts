// A provider that says in words, with a status of success, that a limit is reached. Pure; hostile text: it is searched
// for a few known beginnings, and nothing of it is kept or passed on.
import type { ModelTurn } from "../../domain/models.ts";
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";

/** A notice stands alone and is short; a longer text that begins so is an answer about limits. */
const NOTICE_CHARS_MAX = 240;
const NOTICE =
  /^(?:(?:api )?error: ?)?(?:you(?:'|\u2019)?(?:ve| have) (?:hit|reached|exceeded|used up) your [^.\n]{0,40}(?:limit|quota)|claude (?:ai )?usage limit reached|(?:usage|rate|session|weekly|5-hour|daily) limit (?:reached|exceeded)|you(?:'|\u2019)?re out of (?:extra )?usage)/iu;
const IN_SECONDS = /\|(\d{10})\b/u;
/** `resets 6:37pm (UTC)`; a time of another zone is not understood. */
const CLOCK_TIME =
  /(?:resets?|reset at|try again at) (?:at )?(\d{1,2})(?::(\d\d))? ?(am|pm) \((?:UTC|GMT|Etc\/UTC)\)/iu;
const DAY_MS = 86_400_000;
/** A moment after the time that was named: clocks differ. */
const MARGIN_MS = 60_000;

export interface LimitFacts {
  /** What is told beside the notice, in seconds. */
  readonly resetsAt?: unknown;
  readonly now: Instant;
}

/** When the limit ends that a notice tells of; undefined when it tells of none. A notice without a time: in 5 h. */
export function limitEnd(notice: string, { resetsAt, now }: LimitFacts): Instant | undefined {
  if (resetsAt === undefined && !NOTICE.test(notice.trim())) return undefined;
  const { planWindowMs, planLimitMsMax } = MODEL_LIMITS;
  const seconds =
    typeof resetsAt === "number" ? resetsAt : Number(IN_SECONDS.exec(notice)?.[1] ?? Number.NaN);
  const told = Number.isFinite(seconds) ? seconds * 1_000 : clockTime(notice, now);
  if (told === undefined || told > now + planLimitMsMax - MARGIN_MS) return now + planWindowMs;
  return Math.max(told, now) + MARGIN_MS;
}

/**
 * When the limit ends that an answer consists of; undefined for every other answer. Words of a person can steer a model
 * to such a sentence, so it is believed for one window at most.
 */
export function limitToldBy(turn: ModelTurn, now: Instant): Instant | undefined {
  if (turn.stop === "refused" || turn.blocks.some(({ kind }) => kind !== "text")) return undefined;
  const text = turn.blocks.map((block) => (block.kind === "text" ? block.text : "")).join("");
  if (text.length > NOTICE_CHARS_MAX) return undefined;
  const end = limitEnd(text, { now });
  return end === undefined ? undefined : Math.min(end, now + MODEL_LIMITS.planWindowMs);
}

/** The next time a clock in UTC shows this. */
function clockTime(notice: string, now: Instant): Instant | undefined {
  const [, hours, minutes = "0", half] = CLOCK_TIME.exec(notice) ?? [];
  if (hours === undefined) return undefined;
  const hour = (Number(hours) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0);
  const today = Math.floor(now / DAY_MS) * DAY_MS + (hour * 60 + Number(minutes)) * 60_000;
  return today > now ? today : today + DAY_MS;
}
