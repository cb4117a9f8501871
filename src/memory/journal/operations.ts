// Accepted changes become file contents: what each file is now, what it will be, and why. Reads, never writes.
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash, Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import type { Folder } from "../../system/folder.ts";
import { contentHash, shortHash } from "../../system/ids.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import { editTopicFile, evidenceIds, renderTopicFile, type Stamp } from "../files/topic-writer.ts";
import type { TimeZone } from "../../domain/calendar.ts";
import { localDate } from "../../domain/calendar.ts";
import { targetOf } from "../gate/facts.ts";
import { newestSaidAt } from "../gate/quotes.ts";
import { textHashOf } from "../gate/text-hash.ts";
import type { JournalOp, RecordedQuote } from "./entries.ts";
import { hearsayMark, recordedQuote } from "./evidence.ts";

/** One file operation with its images. */
export interface PlannedOp {
  readonly change: MemoryChange;
  readonly journal: JournalOp;
  /** Undefined where there was, or will be, no file. */
  readonly contentBefore: Buffer | undefined;
  readonly contentAfter: string | undefined;
}

export interface OperationContext {
  readonly folder: Folder;
  readonly memories: readonly Memory[];
  readonly now: Instant;
  readonly today: string;
  readonly timeZone: TimeZone;
  /** Root to write as the memory's origin, in a folder several projects share. */
  readonly origin: string | undefined;
  /** All record ids a file rests on, as far as we know. */
  readonly recordsOf: ReadonlyMap<string, readonly string[]>;
  /** Memories of other voices than the person's that the accepted change is made of. */
  hearsayUnder?(change: MemoryChange): readonly string[];
  /** What memories that give way to the accepted change rest on: it rests on that from now on. */
  inherited?(change: MemoryChange): readonly RecordedQuote[];
}

/**
 * Undefined when the file is not any more what the change was judged against. Throws `too-large` or `bad-frontmatter`
 * when its header cannot hold the change.
 */
export function planOperation(change: MemoryChange, context: OperationContext): PlannedOp | undefined {
  if (change.op === "create") return planCreate(change, context);
  const memory = targetOf(change, context);
  const contentBefore = memory && context.folder.read(memory.file, MEMORY_LIMITS.topicBytesMax)?.content;
  if (memory === undefined || contentBefore === undefined || contentHash(contentBefore) !== change.basis) {
    return undefined;
  }
  const known = { change, memory, contentBefore };
  if (change.op === "withdraw") return planWithdraw({ ...known, change }, context);
  return change.op === "delete" ? planDelete(known, context) : planEdit(known, context);
}

function planCreate(change: MemoryChange & { op: "create" }, context: OperationContext): PlannedOp {
  const session = change.evidence[0]?.session.id ?? "";
  const confirmed = confirmedDate(change.evidence, context);
  const contentAfter = renderTopicFile(change.memory, {
    ...(confirmed === undefined ? {} : { confirmed }),
    modified: new Date(context.now).toISOString(),
    evidence: namedRecords(inheritedIds(change, context), change.evidence),
    ...(session === "" ? {} : { originSessionId: session }),
    ...(context.origin === undefined ? {} : { origin: context.origin }),
  });
  return {
    change,
    contentBefore: undefined,
    contentAfter,
    journal: {
      ...journalBase(change, context),
      file: change.file.normalize("NFC"),
      op: "created",
      before: null,
      after: contentHash(contentAfter),
      mtimeMs: oldStatementTime(change.evidence, context),
      body: bodyHash(change.memory.body),
    },
  };
}

interface Known {
  readonly change: MemoryChange & { readonly basis: ContentHash };
  readonly memory: Memory;
  readonly contentBefore: Buffer;
}

function planEdit({ change, memory, contentBefore }: Known, context: OperationContext): PlannedOp {
  const dates = [memory.confirmed ?? "", confirmedDate(change.evidence, context) ?? ""];
  const confirmed = dates.toSorted().at(-1) ?? "";
  const known = [...memory.evidence, ...inheritedIds(change, context)];
  const stamp: Stamp = {
    ...(confirmed === "" ? {} : { confirmed }),
    evidence: namedRecords(known, change.evidence),
  };
  const text = contentBefore.toString("utf8");
  const contentAfter =
    change.op === "update"
      ? editTopicFile(text, {
          memory: change.memory,
          stamp: { ...stamp, modified: new Date(context.now).toISOString() },
        })
      : editTopicFile(text, { stamp });
  const oldTime = oldStatementTime(change.evidence, context);
  const keepsTime = change.op === "confirm" && oldTime !== null;
  return {
    change,
    contentBefore,
    contentAfter,
    journal: {
      ...journalBase(change, context),
      file: memory.file,
      op: change.op === "update" ? "updated" : "confirmed",
      before: change.basis,
      after: contentHash(contentAfter),
      // A late look at an old statement must not make the file younger, nor older than it was.
      mtimeMs: keepsTime ? Math.max(Math.trunc(memory.mtimeMs), oldTime) : oldTime,
      body: bodyHash(parseTopicFile(contentAfter).body),
    },
  };
}

/** Only bookkeeping: the text stays, whoever it rests on now. */
function planWithdraw(
  { change, memory, contentBefore }: Known & { readonly change: MemoryChange & { op: "withdraw" } },
  context: OperationContext,
): PlannedOp {
  const isLeft = (id: string) => !change.records.includes(id);
  const named = memory.evidence.filter(isLeft);
  const others = (context.recordsOf.get(memory.file) ?? []).filter(isLeft);
  const said = change.saidAt === undefined ? undefined : localDate(change.saidAt, context.timeZone);
  const isOlder = said !== undefined && memory.confirmed !== undefined && said < memory.confirmed;
  const stamp = { evidence: evidenceIds(named, others), ...(isOlder ? { confirmed: said } : {}) };
  const contentAfter = editTopicFile(contentBefore.toString("utf8"), { stamp });
  return {
    change,
    contentBefore,
    contentAfter,
    journal: {
      ...journalBase(change, context),
      file: memory.file,
      op: "updated",
      before: change.basis,
      after: contentHash(contentAfter),
      mtimeMs: Math.trunc(memory.mtimeMs),
      body: bodyHash(memory.body),
      withdrawn: change.records,
    },
  };
}

function planDelete({ change, memory, contentBefore }: Known, context: OperationContext): PlannedOp {
  const isForgotten = change.op === "delete" && change.reason === "forgotten";
  const records = [...new Set([...memory.evidence, ...(context.recordsOf.get(memory.file) ?? [])])];
  return {
    change,
    contentBefore,
    contentAfter: undefined,
    journal: {
      ...journalBase(change, context),
      ...(change.op === "delete" ? { reason: change.reason } : {}),
      file: memory.file,
      op: "deleted",
      before: change.basis,
      after: null,
      mtimeMs: null,
      body: null,
      takenBack: isForgotten ? { records, text: textHashOf(memory) } : null,
    },
  };
}

function journalBase(
  change: MemoryChange,
  { hearsayUnder, inherited }: OperationContext,
): Pick<JournalOp, "evidence" | "takenBack"> {
  const marks = (hearsayUnder?.(change) ?? []).map(hearsayMark);
  const sources = inherited?.(change) ?? [];
  return { evidence: [...change.evidence.map(recordedQuote), ...sources, ...marks], takenBack: null };
}

function inheritedIds(change: MemoryChange, { inherited }: OperationContext): readonly string[] {
  return (inherited?.(change) ?? []).map(({ id }) => id);
}

function namedRecords(known: readonly string[], evidence: readonly Evidence[]): readonly string[] {
  const isRecord = ({ by }: Evidence) => by !== "memory" && by !== "instruction";
  const added = evidence.filter(isRecord).map((item) => item.recordId);
  return evidenceIds(known, added);
}

/** Tidying states nothing anew: it is as old as the newest of its sources, where one tells. */
function confirmedDate(evidence: readonly Evidence[], context: OperationContext): string | undefined {
  const isTidying = evidence.length > 0 && evidence.every(({ by }) => by === "memory");
  if (!isTidying) return saidDate(evidence, context) ?? context.today;
  const dates = evidence.flatMap(({ at }) => (at === undefined ? [] : [localDate(at, context.timeZone)]));
  return dates.toSorted().at(-1);
}

function saidDate(
  evidence: readonly Evidence[],
  context: Pick<OperationContext, "timeZone">,
): string | undefined {
  const at = newestSaidAt(evidence);
  return at === undefined ? undefined : localDate(at, context.timeZone);
}

/** Modification time for words of an earlier day; null when they are of today or of an unknown time. */
function oldStatementTime(evidence: readonly Evidence[], context: OperationContext): Instant | null {
  const at = newestSaidAt(evidence);
  if (at === undefined || localDate(at, context.timeZone) >= context.today) return null;
  return Math.trunc(at);
}

export function bodyHash(body: string): string {
  return shortHash(body.trim(), 32);
}
