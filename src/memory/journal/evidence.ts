// Which records each memory rests on, as ids and hashes: the files themselves name three at most, and a host
// may drop even those. Never holds the words.
import { join } from "node:path";
import type { Evidence } from "../../domain/changes.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";
import { appendJsonLines, readJsonLines } from "../../system/json-lines.ts";
import { normalise } from "../gate/words.ts";
import type { JournalOp, RecordedQuote, WrittenOp } from "./entries.ts";

export interface EvidenceLine {
  readonly v: 1;
  readonly run: string;
  readonly file: string;
  readonly op: WrittenOp;
  /** Hash of the body the records stand for; null for a removed file. */
  readonly body: string | null;
  readonly records: readonly RecordedQuote[];
}

export interface EvidenceFacts {
  /** Every record id some memory of the folder was made or confirmed from. */
  readonly recordedIds: ReadonlySet<string>;
  /** When the newest evidence of a file was said. */
  readonly saidAt: ReadonlyMap<string, Instant>;
  /** Files that rest on words of an assistant, a tool or a log, affirmed by the person or not. */
  readonly otherVoices: ReadonlySet<string>;
  /** Record ids per file, in the order they came. */
  readonly recordsOf: ReadonlyMap<string, readonly string[]>;
}

export interface EvidenceStore {
  /** A damaged line is skipped: unknown provenance counts as written by the person. */
  load(folderId: string): EvidenceFacts;
  /** Adds what an operation rests on, once: a repeat of the same run, file and body adds nothing. */
  add(folderId: string, ask: { readonly run: string; readonly ops: readonly JournalOp[] }): void;
}

/** `evidence/<folderId>.jsonl` below the state folder. */
export function createEvidenceStore(deps: {
  readonly files: Files;
  readonly stateDir: string;
}): EvidenceStore {
  const { files } = deps;
  const folder = join(deps.stateDir, "evidence");
  const pathOf = (folderId: string) => join(folder, `${folderId}.jsonl`);
  const lines = (folderId: string) =>
    readJsonLines(files, {
      path: pathOf(folderId),
      maxBytes: STATE_LIMITS.stateFileBytesMax,
    }).values.flatMap((value) => parseLine(value) ?? []);
  return {
    load: (folderId) => factsOf(lines(folderId)),
    add(folderId, { run, ops }) {
      const known = new Set(lines(folderId).map(lineKey));
      const fresh = ops.map((op) => lineOf(run, op)).filter((line) => !known.has(lineKey(line)));
      if (fresh.length === 0) return;
      files.ensureFolder(folder);
      appendJsonLines(files, {
        path: pathOf(folderId),
        values: fresh,
        maxBytes: STATE_LIMITS.stateFileBytesMax,
      });
    },
  };
}

/** What is kept of a quote. */
export function recordedQuote(item: Evidence): RecordedQuote {
  return {
    id: item.recordId,
    session: item.session.id,
    by: item.by,
    quote: shortHash(normalise(item.quote)),
    said: item.at ?? null,
  };
}

function lineOf(run: string, op: JournalOp): EvidenceLine {
  return { v: 1, run, file: op.file, op: op.op, body: op.body, records: op.evidence };
}

function lineKey(line: EvidenceLine): string {
  return JSON.stringify([line.run, line.file, line.op, line.body, line.records.map((record) => record.id)]);
}

function factsOf(lines: readonly EvidenceLine[]): EvidenceFacts {
  const recordedIds = new Set<string>();
  const saidAt = new Map<string, Instant>();
  const recordsOf = new Map<string, string[]>();
  const otherVoices = new Set<string>();
  for (const { file, op, records } of lines) {
    if (op === "deleted" || op === "created") {
      saidAt.delete(file);
      recordsOf.delete(file);
      otherVoices.delete(file);
    }
    const kept = recordsOf.get(file) ?? [];
    for (const { id, by, said } of records) {
      if (by === "memory") continue;
      recordedIds.add(id);
      if (op !== "deleted" && by !== "user") otherVoices.add(file);
      if (op !== "deleted" && !kept.includes(id)) kept.push(id);
      if (op !== "deleted" && said !== null) saidAt.set(file, Math.max(said, saidAt.get(file) ?? said));
    }
    if (kept.length > 0) recordsOf.set(file, kept);
  }
  return { recordedIds, saidAt, otherVoices, recordsOf };
}

function parseLine(value: unknown): EvidenceLine | undefined {
  return isLine(value) ? value : undefined;
}

function isLine(value: unknown): value is EvidenceLine {
  if (typeof value !== "object" || value === null) return false;
  if (!("v" in value) || value.v !== 1 || !("file" in value) || typeof value.file !== "string") return false;
  if (!("records" in value) || !Array.isArray(value.records)) return false;
  return value.records.every(
    (record: unknown) =>
      typeof record === "object" && record !== null && "id" in record && typeof record.id === "string",
  );
}
