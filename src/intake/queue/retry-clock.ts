// Remembers which keys must wait and how often they failed, across restarts. The only writer of `retry.json`.
// Never runs anything: the queue asks.
import { JOB_LIMITS } from "../../domain/limits.ts";
import { messageOf, systemCode } from "../../domain/errors.ts";
import type { JobKey } from "../../domain/jobs.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Files } from "../../system/files.ts";

export interface RetryClock {
  /** How long the key must still wait; 0 when it may run. */
  waitMs(key: JobKey): number;
  /** Failures since the last success. */
  failures(key: JobKey): number;
  /** Whether the key failed so often, or so finally, that only a new request runs it again. */
  isDead(key: JobKey): boolean;
  /** Counts a failure and sets the next not-before time. */
  failed(key: JobKey, options?: FailureOptions): void;
  /** The key asked to run again at `at`; no failure is counted, and nothing is written: after a restart it asks again. */
  delayed(key: JobKey, at: Instant): void;
  /** Forgets the key: it succeeded, or a person wants it to run now. */
  clear(key: JobKey): void;
}

export interface FailureOptions {
  /** Uses up all attempts. */
  readonly final?: boolean;
}

export interface RetryClockDeps {
  readonly files: Pick<Files, "read" | "replace">;
  readonly clock: Clock;
  /** `retry.json` in the state folder, which must exist. */
  readonly path: string;
  /** A number from 0 up to 1; spreads retries that failed together. */
  readonly jitter: () => number;
  readonly emitter: Emitter;
}

interface Entry {
  readonly failures: number;
  /** On the monotonic clock: a wall clock that jumps changes no wait of this process. */
  readonly notBeforeMs: number;
}

/** Far above `waitingMax` entries of a hundred bytes each. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
/** Jitter takes off at most this share, so that the longest wait stays the documented one. */
const JITTER_SHARE = 0.25;
/** A job that asks for a time already past must not run at full speed. */
const DELAY_MS_MIN = 1_000;

export function createRetryClock(deps: RetryClockDeps): RetryClock {
  const entries = load(deps);
  const { clock } = deps;
  let isClearing = false;
  const keep = (key: JobKey, entry: Entry) => {
    entries.set(key, entry);
    trim(entries);
  };
  const set = (key: JobKey, entry: Entry) => {
    keep(key, entry);
    save(deps, entries);
  };
  /** Written once a turn: a pass clears a thousand keys at once, and what a crash brings back costs a wait. */
  const clear = (key: JobKey) => {
    if (!entries.delete(key) || isClearing) return;
    isClearing = true;
    void clock.yield().then(() => {
      isClearing = false;
      save(deps, entries);
    });
  };
  const failures = (key: JobKey) => entries.get(key)?.failures ?? 0;
  return {
    // Whole ones, as timers are.
    waitMs: (key) => Math.max(0, Math.floor((entries.get(key)?.notBeforeMs ?? 0) - clock.monotonicMs())),
    failures,
    isDead: (key) => failures(key) >= JOB_LIMITS.attemptsMax,
    failed(key, options) {
      const count = options?.final === true ? JOB_LIMITS.attemptsMax : failures(key) + 1;
      const wait = backOffMs(count) * (1 - JITTER_SHARE * deps.jitter());
      set(key, {
        failures: Math.min(count, JOB_LIMITS.attemptsMax),
        notBeforeMs: clock.monotonicMs() + wait,
      });
    },
    delayed(key, at) {
      const wait = Math.max(DELAY_MS_MIN, clampWait(at - clock.now()));
      keep(key, { failures: failures(key), notBeforeMs: clock.monotonicMs() + wait });
    },
    clear,
  };
}

/** 5 s, 10 s, 20 s ... up to an hour. */
function backOffMs(failures: number): number {
  return Math.min(JOB_LIMITS.retryMaxMs, JOB_LIMITS.retryBaseMs * 2 ** (failures - 1));
}

/** A not-before time beyond the longest wait was written under another clock, or is asked again in an hour. */
function clampWait(ms: number): number {
  return Number.isFinite(ms) ? Math.min(JOB_LIMITS.retryMaxMs, Math.max(0, ms)) : 0;
}

/** Beyond the bound the oldest entries are forgotten: as if those keys had never failed. */
function trim(entries: Map<JobKey, Entry>): void {
  for (const key of entries.keys()) {
    if (entries.size <= JOB_LIMITS.waitingMax) return;
    entries.delete(key);
  }
}

/** A disk that cannot be written costs a repeated attempt after a restart, nothing else. */
function save({ files, clock, path, emitter }: RetryClockDeps, entries: ReadonlyMap<JobKey, Entry>): void {
  const wallOffsetMs = clock.now() - clock.monotonicMs();
  const rows = [...entries].map(([key, entry]) => ({
    key,
    failures: entry.failures,
    notBefore: Math.round(entry.notBeforeMs + wallOffsetMs),
  }));
  try {
    files.replace(path, `${JSON.stringify({ v: 1, keys: rows })}\n`);
  } catch (error) {
    emitter.emit("warning:raised", { code: "retry-not-saved", message: messageOf(error) });
  }
}

/** A missing or damaged file counts as never written. */
function load(deps: RetryClockDeps): Map<JobKey, Entry> {
  const entries = new Map<JobKey, Entry>();
  const { clock } = deps;
  for (const { key, failures, notBefore } of readRows(deps)) {
    const notBeforeMs = clock.monotonicMs() + clampWait(notBefore - clock.now());
    entries.set(key, { failures, notBeforeMs });
    if (entries.size >= JOB_LIMITS.waitingMax) break;
  }
  return entries;
}

interface Row {
  readonly key: JobKey;
  readonly failures: number;
  readonly notBefore: Instant;
}

function readRows({ files, path, emitter }: RetryClockDeps): Row[] {
  try {
    const content = files.read(path, FILE_BYTES_MAX);
    if (content === undefined) return [];
    const parsed = parseJson(content.toString("utf8"));
    const keys = isFields(parsed) && parsed["v"] === 1 ? parsed["keys"] : undefined;
    if (Array.isArray(keys)) return keys.map(parseRow).filter((row) => row !== undefined);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
  emitter.emit("warning:raised", { code: "retry-unreadable", message: `${path} is damaged and starts anew` });
  return [];
}

function parseRow(value: unknown): Row | undefined {
  if (!isFields(value)) return undefined;
  const { key, failures, notBefore } = value;
  if (typeof key !== "string" || typeof notBefore !== "number") return undefined;
  if (typeof failures !== "number" || !Number.isInteger(failures) || failures < 0) return undefined;
  return { key, failures: Math.min(failures, JOB_LIMITS.attemptsMax), notBefore };
}
