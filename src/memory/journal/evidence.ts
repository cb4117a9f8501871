// Which records each memory rests on, as ids and hashes: the files themselves name three at most, and a host
// may drop even those. Never holds the words.
import { join } from "node:path";
import type { Evidence } from "../../domain/changes.ts";
import { fieldOf, isFields } from "../../domain/json.ts";
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
  /** Records the memory no longer rests on. They stay known: nothing learns from them again. */
  readonly withdrawn?: readonly string[];
}

export interface EvidenceFacts {
  /** Every record id some memory of the folder was made or confirmed from. */
  readonly recordedIds: ReadonlySet<string>;
  /** When the newest evidence of a file was said. */
  readonly saidAt: ReadonlyMap<string, Instant>;
  /**
   * Files that rest on words of an assistant, a tool or a log, affirmed by the person or not, or on a memory that did
   * when it was used.
   */
  readonly otherVoices: ReadonlySet<string>;
  /** Record ids per file, in the order they came. */
  readonly recordsOf: ReadonlyMap<string, readonly string[]>;
  /** What each file rests on, quotes of other memories left out. */
  readonly quotesOf: ReadonlyMap<string, readonly RecordedQuote[]>;
}

export interface EvidenceStore {
  /** A damaged line is skipped: unknown provenance counts as written by the person. */
  load(folderId: string): EvidenceFacts;
  /** The same, operation by operation, oldest first. */
  lines(folderId: string): readonly EvidenceLine[];
  /** Adds what an operation rests on, once: a repeat of the same run, file and body adds nothing. */
  add(folderId: string, ask: { readonly run: string; readonly ops: readonly JournalOp[] }): void;
  /** Gives files other names in every line; answers how many lines changed. Damaged lines go. */
  rename(folderId: string, nameOf: (file: string) => string): number;
}

/** `evidence/<folderId>.jsonl` below the state folder. */
export function createEvidenceStore(deps: {
  readonly files: Files;
  readonly stateDir: string;
}): EvidenceStore {
  const { files } = deps;
  const folder = join(deps.stateDir, "evidence");
  const pathOf = (folderId: string) => join(folder, `${folderId}.jsonl`);
  const read = (folderId: string) =>
    readJsonLines(files, { path: pathOf(folderId), maxBytes: STATE_LIMITS.stateFileBytesMax });
  const lines = (folderId: string) => read(folderId).values.flatMap((value) => parseLine(value) ?? []);
  return {
    load: (folderId) => factsOf(lines(folderId)),
    lines,
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
    rename(folderId, nameOf) {
      const { values, badLines } = read(folderId);
      const all = values.flatMap((value) => parseLine(value) ?? []);
      const renamed = all.map((line) => renamedLine(line, nameOf));
      const changed = renamed.filter((line, at) => line !== all[at]).length;
      // What stands in half a line nobody can tell.
      if (changed > 0 || badLines > 0 || all.length < values.length) {
        files.replace(pathOf(folderId), renamed.map((line) => `${JSON.stringify(line)}\n`).join(""));
      }
      return changed;
    },
  };
}

function renamedLine(line: EvidenceLine, nameOf: (file: string) => string): EvidenceLine {
  const [file, records] = [nameOf(line.file), renamedQuotes(line.records, nameOf)];
  return file === line.file && records === line.records ? line : { ...line, file, records };
}

/** A quote of a memory names its file. */
export function renamedQuotes(
  quotes: readonly RecordedQuote[],
  nameOf: (file: string) => string,
): readonly RecordedQuote[] {
  const isNamed = ({ by, id }: RecordedQuote) => by === "memory" && nameOf(id) !== id;
  if (!quotes.some(isNamed)) return quotes;
  return quotes.map((quote) => (isNamed(quote) ? { ...quote, id: nameOf(quote.id) } : quote));
}

/** Whose words stand behind a quote: anybody's but the person's. */
function isOtherVoice({ by, hearsay }: RecordedQuote): boolean {
  return by === "memory" ? hearsay === true : by !== "user";
}

/** The mark a memory leaves on what was made of it, when it rests on other voices. */
export function hearsayMark(file: string): RecordedQuote {
  return { id: file, session: "", by: "memory", quote: "", said: null, hearsay: true };
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
  const { file, body, evidence: records, withdrawn } = op;
  const line = { v: 1, run, file, op: op.op, body, records } as const;
  return withdrawn === undefined ? line : { ...line, withdrawn };
}

function lineKey({ run, file, op, body, records, withdrawn = [] }: EvidenceLine): string {
  return JSON.stringify([run, file, op, body, records.map((record) => record.id), ...withdrawn]);
}

/** What each file rests on now; lines of one file, or of many. */
export function standingQuotes(lines: readonly EvidenceLine[]): Map<string, RecordedQuote[]> {
  const standing = new Map<string, RecordedQuote[]>();
  for (const { file, op, records, withdrawn = [] } of lines) {
    if (op === "deleted" || op === "created") standing.delete(file);
    if (op === "deleted") continue;
    const kept = [...(standing.get(file) ?? []), ...records];
    const left = withdrawn.length === 0 ? kept : kept.filter(({ id }) => !withdrawn.includes(id));
    if (left.length > 0) standing.set(file, left);
    else standing.delete(file);
  }
  return standing;
}

/** A file that is quoted is no record: it can be quoted again. */
function isOfRecord(by: RecordedQuote["by"]): boolean {
  return by !== "memory" && by !== "instruction";
}

function factsOf(lines: readonly EvidenceLine[]): EvidenceFacts {
  const recordedIds = new Set<string>();
  for (const { records } of lines) for (const { id, by } of records) if (isOfRecord(by)) recordedIds.add(id);
  const saidAt = new Map<string, Instant>();
  const recordsOf = new Map<string, readonly string[]>();
  const quotesOf = new Map<string, readonly RecordedQuote[]>();
  const otherVoices = new Set<string>();
  for (const [file, quotes] of standingQuotes(lines)) {
    const read = quotes.filter(({ by }) => by !== "memory");
    if (read.length > 0) {
      recordsOf.set(file, [...new Set(read.map(({ id }) => id))]);
      quotesOf.set(file, read);
    }
    if (quotes.some(isOtherVoice)) otherVoices.add(file);
    const times = read.flatMap(({ said }) => said ?? []);
    if (times.length > 0) saidAt.set(file, Math.max(...times));
  }
  return { recordedIds, saidAt, otherVoices, recordsOf, quotesOf };
}

function parseLine(value: unknown): EvidenceLine | undefined {
  return isLine(value) ? value : undefined;
}

function isLine(value: unknown): value is EvidenceLine {
  if (!isFields(value) || value["v"] !== 1 || typeof value["file"] !== "string") return false;
  const { records } = value;
  return Array.isArray(records) && records.every((record) => typeof fieldOf(record, "id") === "string");
}
