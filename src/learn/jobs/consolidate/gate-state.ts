// What the gates of a folder remember across restarts: `gates/<folder>.json`. The only writer of those files. A missing or
// damaged one is a first sight again; one that cannot be written costs a repeated look, nothing else.
import { join } from "node:path";
import { messageOf, systemCode } from "../../../domain/errors.ts";
import { isFields, parseJson } from "../../../domain/json.ts";
import type { Instant } from "../../../domain/records.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Emitter } from "../../../system/emitter.ts";
import type { Files } from "../../../system/files.ts";
import { shortHash } from "../../../system/ids.ts";

export interface GateMarks {
  readonly firstSeenAt: Instant;
  /** No dream before it: projects that are all seen at once begin one by one. */
  readonly startAt: Instant;
  readonly scannedAt?: Instant;
  /** Failures since the last success. */
  readonly failures: number;
  readonly notBefore?: Instant;
}

export interface GateState {
  /** The first call for a folder is its first sight, and remembered. Never throws for a disk. */
  marksOf(folderId: string): GateMarks;
  /** Before its sessions are counted. */
  scanned(folderId: string): void;
  /** `counts: false`: the world's fault (a network right after a wake): a short wait and no more. */
  failed(folderId: string, options?: { readonly counts?: boolean }): void;
  succeeded(folderId: string): void;
}

export interface GateStateDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly stateDir: string;
}

const HOUR_MS = 3_600_000;
/** First starts are spread over a day. */
const SPREAD_MS = 24 * HOUR_MS;
/** First starts in one hour; with more than 144 projects the spread grows beyond the day. */
export const FIRST_STARTS_PER_HOUR = 6;
/** More projects than this nobody has; the last ones share an hour. */
const HOURS_MAX = 2_000;
/** Half an hour, one, two ... up to a day. */
const RETRY_BASE_MS = HOUR_MS / 2;
const RETRY_MAX_MS = 24 * HOUR_MS;
/** After what does not count. */
const RETRY_SOON_MS = 600_000;
const FAILURES_MAX = 1_000;
const MARKS_BYTES_MAX = 4_096;

export function createGateState(deps: GateStateDeps): GateState {
  const { files, clock, emitter, stateDir } = deps;
  const folder = join(stateDir, "gates");
  const pathOf = (folderId: string) => join(folder, `${folderId}.json`);
  /** First starts by hour; counted with the first first sight of this process. */
  let starts: Map<number, number> | undefined;

  function save(folderId: string, marks: GateMarks): GateMarks {
    try {
      files.ensureFolder(folder);
      files.replace(pathOf(folderId), `${JSON.stringify({ v: 1, ...marks })}\n`);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      emitter.emit("warning:raised", { code: "gate-not-saved", message: messageOf(error) });
    }
    return marks;
  }

  function firstSight(folderId: string): GateMarks {
    starts ??= countStarts(deps, folder);
    const now = clock.now();
    const startAt = freeStart(starts, now + spreadOf(folderId));
    return save(folderId, { firstSeenAt: now, startAt, failures: 0 });
  }

  function marksOf(folderId: string): GateMarks {
    const marks = readMarks(files, pathOf(folderId));
    const now = clock.now();
    // Seen in the future: the clock was wrong then, or is now; a day covers what zones and corrections do.
    if (marks === undefined || marks.firstSeenAt > now + SPREAD_MS) return firstSight(folderId);
    const { notBefore, ...rest } = marks;
    return notBefore === undefined ? rest : { ...rest, notBefore: Math.min(notBefore, now + RETRY_MAX_MS) };
  }

  return {
    marksOf,
    scanned: (folderId) => void save(folderId, { ...marksOf(folderId), scannedAt: clock.now() }),
    failed(folderId, options) {
      const marks = marksOf(folderId);
      const failures =
        options?.counts === false ? marks.failures : Math.min(marks.failures + 1, FAILURES_MAX);
      const waitMs = options?.counts === false ? RETRY_SOON_MS : backOffMs(failures);
      save(folderId, { ...marks, failures, notBefore: clock.now() + waitMs });
    },
    succeeded(folderId) {
      const { notBefore: _, ...marks } = marksOf(folderId);
      save(folderId, { ...marks, failures: 0 });
    },
  };
}

function backOffMs(failures: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** (failures - 1));
}

/** The same folder gets the same share of the day, on every machine and after every loss of state. */
function spreadOf(folderId: string): number {
  const share = Number.parseInt(shortHash(folderId, 8), 16) / 2 ** 32;
  return Math.floor(share * SPREAD_MS);
}

function freeStart(starts: Map<number, number>, wanted: Instant): Instant {
  let startAt = wanted;
  for (let hours = 0; hours < HOURS_MAX; hours++) {
    if ((starts.get(hourOf(startAt)) ?? 0) < FIRST_STARTS_PER_HOUR) break;
    startAt += HOUR_MS;
  }
  starts.set(hourOf(startAt), (starts.get(hourOf(startAt)) ?? 0) + 1);
  return startAt;
}

function countStarts({ files, clock }: GateStateDeps, folder: string): Map<number, number> {
  const starts = new Map<number, number>();
  const first = hourOf(clock.now());
  for (const name of files.names(folder) ?? []) {
    const marks = readMarks(files, join(folder, name));
    const hour = marks === undefined ? first - 1 : hourOf(marks.startAt);
    if (hour >= first) starts.set(hour, (starts.get(hour) ?? 0) + 1);
  }
  return starts;
}

function hourOf(at: Instant): number {
  return Math.floor(at / HOUR_MS);
}

function readMarks(files: Files, path: string): GateMarks | undefined {
  try {
    const content = files.read(path, MARKS_BYTES_MAX);
    return content === undefined ? undefined : parseMarks(parseJson(content.toString("utf8")));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function parseMarks(value: unknown): GateMarks | undefined {
  if (!isFields(value)) return undefined;
  const { v, firstSeenAt, startAt, scannedAt, failures, notBefore } = value;
  if (v !== 1 || !isTime(firstSeenAt) || !isTime(startAt)) return undefined;
  if (typeof failures !== "number" || !Number.isInteger(failures) || failures < 0) return undefined;
  return {
    firstSeenAt,
    startAt,
    failures,
    ...(isTime(scannedAt) ? { scannedAt } : {}),
    ...(isTime(notBefore) ? { notBefore } : {}),
  };
}

function isTime(value: unknown): value is Instant {
  return typeof value === "number" && Number.isFinite(value);
}
