// Plans the next text of the index. The person's own lines stay byte for byte, in order; only host-kept lines are
// added, replaced and dropped. Pure.
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Memory } from "../../domain/memories.ts";
import { indexEntry, shortEntry } from "./index-entry.ts";
import { type IndexLine, parseIndex } from "./index-lines.ts";
import { leavingOrder } from "./index-order.ts";

export interface IndexRequest {
  /** Undefined: there is no index yet. */
  readonly text: string | undefined;
  readonly memories: readonly Memory[];
  /** Files the cloud has not downloaded; their lines stay. */
  readonly unavailable: readonly string[];
  /** Files that must have a line, newest last; they leave after all others. */
  readonly ensure: readonly string[];
  /** Files that should have a line and had none; they leave as if they had always had one. */
  readonly add?: readonly string[];
  /** Host-kept lines that are too long are cut at a word, their link kept. */
  readonly shorten?: boolean;
  /** Files whose line, if there is one, is written anew. */
  readonly refresh: readonly string[];
  /** Files whose lines go. */
  readonly drop: readonly string[];
  /** Files whose memory was replaced by another; first to leave when room is short. */
  readonly superseded?: readonly string[];
  /** Files whose line the person took out; never added again. */
  readonly droppedByPerson: readonly string[];
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
}

export interface IndexPlan {
  readonly text: string | undefined;
  readonly changed: boolean;
  /** Files whose line left, or got none, because of the caps; in the order they left. */
  readonly left: readonly string[];
  /** The person's own text alone passes a cap: nothing was changed. */
  readonly overCap: boolean;
}

type Row = Pick<IndexLine, "text" | "eol" | "kept" | "links">;

export function planIndex(request: IndexRequest): IndexPlan {
  const before = request.text ?? "";
  const parsed = parseIndex(before);
  const own = parsed.filter((row) => row.kept === undefined);
  if (!isWithinCaps(sizeOf(own))) return { text: request.text, changed: false, left: [], overCap: true };
  const dropped = new Set(request.drop);
  const rows: Row[] = parsed.filter((row) => row.kept === undefined || !dropped.has(row.kept.file));
  const left = writeEntries(rows, request);
  if (request.shorten === true) shortenEntries(rows, request);
  const room = makeRoom(rows, request);
  const text = room.kept.map((row) => row.text + row.eol).join("");
  const next = request.text === undefined && text === "" ? undefined : text;
  return { text: next, changed: next !== request.text, left: [...left, ...room.left], overCap: false };
}

/** Refreshes and adds lines in place. Returns files whose line cannot be written within its limit. */
function writeEntries(rows: Row[], request: IndexRequest): string[] {
  const memories = new Map(request.memories.map((memory) => [memory.file, memory]));
  const hidden = new Set(request.droppedByPerson);
  const ensure = new Set([...(request.add ?? []), ...request.ensure]);
  const refresh = new Set(request.refresh);
  const impossible: string[] = [];
  const mentions = countMentions(rows);
  // A line is only ever added behind all host-kept ones, so their places stay.
  const places = new Map<string, number>();
  for (const [at, { kept }] of rows.entries())
    if (kept !== undefined && !places.has(kept.file)) places.set(kept.file, at);
  for (const file of new Set([...refresh, ...ensure])) {
    const memory = memories.get(file);
    if (memory === undefined) continue;
    const entry = indexEntry(memory);
    const at = places.get(file);
    const old = at === undefined ? undefined : rows[at];
    if (at !== undefined && old !== undefined) {
      // A line that came with its file is the words of who wrote both, and they may be writing the index still.
      if (entry === undefined || !refresh.has(file)) continue;
      const row = entryRow(entry, old.eol);
      rows[at] = row;
      mentions.take(old);
      mentions.add(row);
      continue;
    }
    // Where the person's own text links the file, a second mention would only cost room.
    if (!ensure.has(file) || hidden.has(file) || mentions.has(file)) continue;
    if (entry === undefined) impossible.push(file);
    else {
      const added = addRow(rows, { entry, eol: lineEnd(request.text ?? "") });
      places.set(file, added.at);
      mentions.add(added.row);
    }
  }
  return impossible;
}

/** A line whose very link is too long stays. */
function shortenEntries(rows: Row[], { memories }: IndexRequest): void {
  const known = new Map(memories.map((memory) => [memory.file, memory]));
  for (const [at, row] of rows.entries()) {
    if (row.kept === undefined || row.text.length <= MEMORY_LIMITS.indexLineCharsMax) continue;
    const short = shortEntry(row.text, { file: row.kept.file, memory: known.get(row.kept.file) });
    if (short !== undefined) rows[at] = entryRow(short, row.eol);
  }
}

function entryRow(text: string, eol: string): Row {
  const [line] = parseIndex(text);
  return { text, eol, kept: line?.kept, links: line?.links ?? [] };
}

/** How many lines link each file; counted once, as a folder may have gained thousands. */
function countMentions(rows: readonly Row[]) {
  const counts = new Map<string, number>();
  const count = ({ links }: Row, by: number) => {
    for (const file of new Set(links)) counts.set(file, (counts.get(file) ?? 0) + by);
  };
  for (const row of rows) count(row, 1);
  return {
    has: (file: string) => (counts.get(file) ?? 0) > 0,
    add: (row: Row) => count(row, 1),
    take: (row: Row) => count(row, -1),
  };
}

/** After the last host-kept line, else at the end. */
function addRow(
  rows: Row[],
  { entry, eol }: { readonly entry: string; readonly eol: string },
): { readonly row: Row; readonly at: number } {
  const last = rows.findLastIndex((row) => row.kept !== undefined);
  const at = last === -1 ? rows.length : last + 1;
  const above = rows[at - 1];
  if (above !== undefined && above.eol === "") rows[at - 1] = { ...above, eol };
  const row = entryRow(entry, eol);
  rows.splice(at, 0, row);
  return { row, at };
}

/** Without host-kept lines until both caps hold; the person's lines alone are known to fit. */
function makeRoom(
  rows: readonly Row[],
  request: IndexRequest,
): { readonly kept: readonly Row[]; readonly left: string[] } {
  const size = sizeOf(rows);
  const gone = new Set<Row>();
  const linesOf = new Map<string, number>();
  for (const { kept } of rows) {
    if (kept !== undefined) linesOf.set(kept.file, (linesOf.get(kept.file) ?? 0) + 1);
  }
  const left: string[] = [];
  for (const row of isWithinCaps(size) ? [] : leavingOrder(rows, request)) {
    if (isWithinCaps(size) || row.kept === undefined) break;
    gone.add(row);
    size.lines -= 1;
    size.bytes -= bytesOf(row);
    const others = (linesOf.get(row.kept.file) ?? 1) - 1;
    linesOf.set(row.kept.file, others);
    if (others === 0) left.push(row.kept.file);
  }
  return { kept: rows.filter((row) => !gone.has(row)), left };
}

interface IndexSize {
  lines: number;
  bytes: number;
}

function sizeOf(rows: readonly Row[]): IndexSize {
  return { lines: rows.length, bytes: rows.reduce((sum, row) => sum + bytesOf(row), 0) };
}

function bytesOf(row: Row): number {
  return Buffer.byteLength(row.text) + row.eol.length;
}

function isWithinCaps({ lines, bytes }: IndexSize): boolean {
  return lines <= MEMORY_LIMITS.indexLinesMax && bytes <= MEMORY_LIMITS.indexBytesMax;
}

function lineEnd(text: string): string {
  return /^[^\n]*\r\n/u.test(text) ? "\r\n" : "\n";
}
