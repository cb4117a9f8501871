// Whether a folder's dream may begin now, cheapest question first: a "no" has its reason and when to ask again. Pure: what costs
// something to know is a function, asked when it is its turn and not before.
import type { GateAnswer, GateReason, WaitReason } from "../../../domain/consolidation.ts";
import type { Instant } from "../../../domain/records.ts";
import type { GateMarks } from "./gate-state.ts";

export interface DreamFacts {
  /** Auto memory is off there. */
  readonly memoryOff: boolean;
  /** The host's `autoDreamEnabled` is false for it. */
  readonly hostDreamOff: boolean;
  /** What is said goes into daily logs; a distillation reworks them. */
  readonly dailyLogMode: boolean;
  readonly paused: { readonly until: Instant | undefined } | undefined;
  readonly parked: boolean;
  readonly marks: GateMarks;
  /** Until when things settle after a wake. */
  readonly wokeUntil: Instant | undefined;
  lastSuccessAt(): Instant | undefined;
  /** Sessions with a person's words since then. The caller notes the scan first. */
  sessionsSince(at: Instant): number;
  hasOpenTurn(): boolean;
  lastActivityAt(): Instant | undefined;
  /** Absent where the taking itself decides, which it does in any case. */
  lockedUntil?(): Instant | undefined;
}

export interface DreamSettings {
  readonly enabled: boolean;
  readonly minHours: number;
  readonly minSessions: number;
  readonly quietMs: number;
}

const HOUR_MS = 3_600_000;
/** The reference's: time passes and sessions do not, and every question would look through all transcripts. */
const SCAN_EVERY_MS = 600_000;
/** Somebody who never stops for a quarter of an hour gets a dream all the same, between two turns. */
const QUIET_WAIVED_MS = 72 * HOUR_MS;

type Gate = (ask: Ask) => GateAnswer | undefined;

interface Ask {
  readonly facts: DreamFacts;
  readonly settings: DreamSettings;
  readonly now: Instant;
  /** Undefined: never, or nobody knows. */
  readonly lastAt: () => Instant | undefined;
}

/** The first "no", else open. */
export function dreamGate(facts: DreamFacts, settings: DreamSettings, now: Instant): GateAnswer {
  let last: { readonly at: Instant | undefined } | undefined;
  const lastAt = () => (last ??= { at: facts.lastSuccessAt() }).at;
  for (const gate of GATES) {
    const no = gate({ facts, settings, now, lastAt });
    if (no !== undefined) return no;
  }
  return { open: true };
}

const GATES: readonly Gate[] = [
  ({ facts, settings }) =>
    settings.enabled && !facts.hostDreamOff && !facts.memoryOff ? undefined : no("switched-off"),
  ({ facts }) => (facts.dailyLogMode ? no("daily-log-mode") : undefined),
  ({ facts: { paused } }) => (paused === undefined ? undefined : no("paused", paused.until)),
  ({ facts }) => (facts.parked ? no("parked") : undefined),
  longestWait,
  scannedLately,
  enoughSessions,
  ({ facts }) => (facts.hasOpenTurn() ? no("turn-open") : undefined),
  isQuiet,
  ({ facts, now }) => noUntil("just-woken", facts.wokeUntil, now),
  ({ facts, now }) => noUntil("locked", facts.lockedUntil?.(), now),
];

/** What is a matter of hours, as one: the wait that ends last is told, as nothing begins before it is over. */
function longestWait({ facts: { marks }, settings, now, lastAt }: Ask): GateAnswer | undefined {
  const at = lastAt();
  // A stamp ahead of the clock counts as now: no age is negative.
  const dueAt = at === undefined ? undefined : Math.min(at, now) + settings.minHours * HOUR_MS;
  const waits: readonly (readonly [WaitReason, Instant | undefined])[] = [
    ["backing-off", marks.notBefore],
    ["first-sight", marks.startAt],
    ["too-soon", dueAt],
  ];
  const [reason, until] = waits.reduce((last, each) => ((each[1] ?? 0) > (last[1] ?? 0) ? each : last));
  return noUntil(reason, until, now);
}

function scannedLately({ facts: { marks }, now }: Ask): GateAnswer | undefined {
  const { scannedAt } = marks;
  if (scannedAt === undefined || scannedAt > now) return undefined;
  return noUntil("scanned-lately", scannedAt + SCAN_EVERY_MS, now);
}

function enoughSessions({ facts, settings, lastAt }: Ask): GateAnswer | undefined {
  return facts.sessionsSince(lastAt() ?? 0) >= settings.minSessions ? undefined : no("too-few-sessions");
}

function isQuiet({ facts, settings, now, lastAt }: Ask): GateAnswer | undefined {
  if (now - (lastAt() ?? facts.marks.firstSeenAt) >= QUIET_WAIVED_MS) return undefined;
  const activityAt = facts.lastActivityAt();
  const quietAt = activityAt === undefined ? undefined : Math.min(activityAt, now) + settings.quietMs;
  return noUntil("not-quiet", quietAt, now);
}

function noUntil(reason: GateReason, dueAt: Instant | undefined, now: Instant): GateAnswer | undefined {
  return dueAt !== undefined && dueAt > now ? no(reason, dueAt) : undefined;
}

function no(reason: GateReason, dueAt?: Instant): GateAnswer {
  return { open: false, reason, dueAt };
}
