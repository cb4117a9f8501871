// When each memory folder was consolidated last: `stamps/consolidated/<folder>.json`, the time we trust. The only writer
// of those files. Missing or damaged means never: the host's lock may know better.
import { join } from "node:path";
import type { RunId } from "../../domain/changes.ts";
import { systemCode } from "../../domain/errors.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import type { Instant } from "../../domain/records.ts";
import { onDisk } from "../../memory/journal/failures.ts";
import type { Clock } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Files } from "../../system/files.ts";

export interface Stamp {
  readonly at: Instant;
  /** The run that succeeded then. */
  readonly run: RunId;
}

export interface Stamps {
  /** Never in the future; undefined when never, or when nobody can tell. */
  lastSuccessAt(folderId: string): Instant | undefined;
  /** The run that set the stamp. */
  lastRun(folderId: string): RunId | undefined;
  /** On disk when it returns; fails as `onDisk` does. */
  note(folderId: string, stamp: Stamp): void;
}

export interface StampsDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly stateDir: string;
}

const STAMP_BYTES_MAX = 4_096;
/** A clock set back by hours, or a zone mistaken for another, stays within a day; more was written under a wrong clock. */
const AHEAD_MS_MAX = 86_400_000;

/** A time of the past: a little ahead counts as now, far ahead as unknown. */
export function pastTime(at: Instant, now: Instant): Instant | undefined {
  if (!Number.isFinite(at)) return undefined;
  return at > now + AHEAD_MS_MAX ? undefined : Math.min(at, now);
}

export function createStamps({ files, clock, emitter, stateDir }: StampsDeps): Stamps {
  const folder = join(stateDir, "stamps", "consolidated");
  const pathOf = (folderId: string) => join(folder, `${folderId}.json`);
  /** A stamp that stays wrong is told of once. */
  const told = new Set<string>();
  const warnOnce = (folderId: string, code: string, message: string) => {
    if (told.has(folderId)) return;
    told.add(folderId);
    emitter.emit("warning:raised", { code, message });
  };
  function read(folderId: string): Stamp | undefined {
    const stamp = readStamp(files, pathOf(folderId));
    if (stamp !== "damaged") return stamp;
    warnOnce(folderId, "stamp-unreadable", `${pathOf(folderId)} is damaged and counts as never written`);
    return undefined;
  }
  return {
    lastSuccessAt(folderId) {
      const stamp = read(folderId);
      if (stamp === undefined) return undefined;
      const at = pastTime(stamp.at, clock.now());
      if (at === undefined) {
        warnOnce(folderId, "stamp-ahead", `${pathOf(folderId)} is of the future and counts as never written`);
      }
      return at;
    },
    lastRun: (folderId) => read(folderId)?.run,
    note(folderId, { at, run }) {
      onDisk({ what: "state", path: folder }, () => {
        files.ensureFolder(folder);
        files.replace(pathOf(folderId), `${JSON.stringify({ v: 1, at, run })}\n`);
      });
      told.delete(folderId);
    },
  };
}

function readStamp(files: Files, path: string): Stamp | "damaged" | undefined {
  try {
    const content = files.read(path, STAMP_BYTES_MAX);
    return content === undefined ? undefined : parseStamp(parseJson(content.toString("utf8")));
  } catch (error) {
    if (["too-large", "not-a-file"].includes(systemCode(error) ?? "")) return "damaged";
    throw error;
  }
}

function parseStamp(value: unknown): Stamp | "damaged" {
  if (!isFields(value)) return "damaged";
  const { v, at, run } = value;
  return v === 1 && typeof at === "number" && typeof run === "string" ? { at, run } : "damaged";
}
