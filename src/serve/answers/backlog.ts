// How far a long reading is: how many sessions and bytes were unread when it began, and how many are now. Only counts;
// it is told when jobs begin and end, and looks at the cursors then and when somebody asks.
import type { Backfill } from "../../domain/status.ts";
import type { SourceState } from "../../intake/transcripts/cursors.ts";
import { unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { Clock } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";

export interface BacklogDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly emitter: Emitter;
  states(): Iterable<SourceState>;
  /** Whether jobs wait or run. */
  isBusy(): boolean;
}

export interface Backlog {
  /** Undefined unless a reading of many sessions is under way. */
  progress(): Backfill | undefined;
}

/** Fewer are over before anybody looks. */
const SESSIONS_MIN = 5;
/** Before this much time a rate is a guess. */
const RATE_AFTER_MS = 500;

interface Unread {
  readonly sessions: number;
  readonly bytes: number;
}

interface Reading {
  readonly startedAtMs: number;
  readonly total: Unread;
  readonly last: Unread;
}

export function createBacklog(deps: BacklogDeps): Backlog {
  let reading: Reading | undefined;
  const look = (): Reading => {
    const now = unreadOf(deps.states());
    const before = reading ?? { startedAtMs: deps.clock.monotonicMs(), total: now, last: now };
    reading = { ...before, total: grown(before, now), last: now };
    return reading;
  };
  deps.emitter.on("job:started", () => void look());
  deps.emitter.on("job:finished", () => {
    if (!deps.isBusy()) reading = undefined;
  });
  return {
    progress: () => (reading === undefined ? undefined : progressOf(look(), deps.clock.monotonicMs())),
  };
}

/** What came meanwhile is part of it. */
function grown({ total, last }: Reading, now: Unread): Unread {
  return {
    sessions: total.sessions + Math.max(0, now.sessions - last.sessions),
    bytes: total.bytes + Math.max(0, now.bytes - last.bytes),
  };
}

function progressOf({ startedAtMs, total, last }: Reading, nowMs: number): Backfill | undefined {
  if (total.sessions < SESSIONS_MIN) return undefined;
  const elapsedMs = nowMs - startedAtMs;
  const readBytes = total.bytes - last.bytes;
  const bytesPerSecond = elapsedMs < RATE_AFTER_MS ? 0 : Math.round((readBytes / elapsedMs) * 1_000);
  return {
    doneSessions: total.sessions - last.sessions,
    totalSessions: total.sessions,
    bytesPerSecond,
    remainingMs: bytesPerSecond === 0 ? null : Math.round((last.bytes / bytesPerSecond) * 1_000),
  };
}

/** Of sources whose project is known: no job reads the others. */
function unreadOf(states: Iterable<SourceState>): Unread {
  let sessions = 0;
  let bytes = 0;
  for (const state of states) {
    const unread = state.cwd === undefined ? 0 : unreadBytes(state);
    if (unread > 0) sessions += 1;
    bytes += unread;
  }
  return { sessions, bytes };
}
