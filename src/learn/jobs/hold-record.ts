// What we noted before we took a folder, so that a crash at any later step can be undone: `consolidating/<folder>.json`.
// The only writer of those files. Never looks into a memory folder.
import { join } from "node:path";
import type { RunId } from "../../domain/changes.ts";
import type { ConsolidationKind } from "../../domain/consolidation.ts";
import { CONSOLIDATION_KINDS } from "../../domain/consolidation.ts";
import { systemCode } from "../../domain/errors.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import type { Instant } from "../../domain/records.ts";
import { onDisk } from "../../memory/journal/failures.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Files } from "../../system/files.ts";

export interface HoldRecord {
  readonly memoryDir: string;
  readonly run: RunId;
  readonly kind: ConsolidationKind;
  /** The host's lock gets this very time. */
  readonly takenAt: Instant;
  /** What stands in the host's lock. */
  readonly pid: number;
  /** When that process began, for a person who looks; "" where the system does not tell. */
  readonly started: string;
  /** Modification time of the host's lock before; null when there was none. */
  readonly priorMs: number | null;
}

export interface HoldRecords {
  /** Flushed to disk before it returns. Fails as `onDisk` does. */
  open(folderId: string, record: HoldRecord): void;
  /** Undefined when nothing is open, or what stands there is no record. */
  read(folderId: string): HoldRecord | undefined;
  close(folderId: string): void;
  /** Folders with an open record. A file that is none is removed, with a warning. */
  folderIds(): readonly string[];
}

export interface HoldRecordsDeps {
  readonly files: Files;
  readonly emitter: Emitter;
  readonly stateDir: string;
}

const RECORD_BYTES_MAX = 16_384;
const NAME = /^([0-9a-f]{16})\.json$/u;

export function createHoldRecords({ files, emitter, stateDir }: HoldRecordsDeps): HoldRecords {
  const folder = join(stateDir, "consolidating");
  const pathOf = (folderId: string) => join(folder, `${folderId}.json`);
  const read = (folderId: string) => readRecord(files, pathOf(folderId));
  return {
    open: (folderId, record) =>
      onDisk({ what: "state", path: folder }, () => {
        files.ensureFolder(folder);
        files.replace(pathOf(folderId), `${JSON.stringify({ v: 1, ...record })}\n`);
      }),
    read,
    close: (folderId) => files.remove(pathOf(folderId)),
    folderIds() {
      const ids = (files.names(folder) ?? []).flatMap((name) => NAME.exec(name)?.[1] ?? []);
      return ids.filter((folderId) => {
        if (read(folderId) !== undefined) return true;
        emitter.emit("warning:raised", {
          code: "consolidating-unreadable",
          message: `${pathOf(folderId)} is damaged; what it was to undo stays as it is`,
        });
        files.remove(pathOf(folderId));
        return false;
      });
    },
  };
}

function readRecord(files: Files, path: string): HoldRecord | undefined {
  try {
    const content = files.read(path, RECORD_BYTES_MAX);
    return content === undefined ? undefined : parseRecord(parseJson(content.toString("utf8")));
  } catch (error) {
    // Our own writes are whole: whatever else stands there was not written by us.
    if (systemCode(error) === "too-large") return undefined;
    throw error;
  }
}

function parseRecord(value: unknown): HoldRecord | undefined {
  if (!isFields(value)) return undefined;
  const { v, memoryDir, run, kind, takenAt, pid, started, priorMs } = value;
  const known = CONSOLIDATION_KINDS.find((each) => each === kind);
  if (v !== 1 || typeof memoryDir !== "string" || typeof run !== "string" || known === undefined)
    return undefined;
  if (typeof takenAt !== "number" || typeof pid !== "number" || typeof started !== "string") return undefined;
  if (priorMs !== null && typeof priorMs !== "number") return undefined;
  return { memoryDir, run, kind: known, takenAt, pid, started, priorMs };
}
