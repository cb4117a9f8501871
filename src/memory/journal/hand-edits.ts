// What a person or the host agent did to the files: part of the history, and what they removed stays away.
import type { ContentHash, Memory } from "../../domain/memories.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Steps } from "../../system/breather.ts";
import { contentHash, newRunId } from "../../system/ids.ts";
import type { ListingChanges } from "../files/listing.ts";
import type { FolderView } from "../files/store.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import type { Removal } from "../gate/refused.ts";
import { textHashOf } from "../gate/text-hash.ts";
import { EDIT_KIND, type JournalOp, type RecordedQuote, type WrittenOp } from "./entries.ts";
import { standingQuotes } from "./evidence.ts";
import { bodyHash } from "./operations.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";

export interface HandEditAsk {
  readonly memory: OpenMemory;
  readonly project: { readonly id: string; readonly root: string };
  readonly changes: ListingChanges;
  readonly view: FolderView;
}

/** Writes one finished entry of kind `edit`; nothing when there was no edit of a memory. A step a file. */
export function* recordingHandEdits(parts: Parts, ask: HandEditAsk): Steps<void> {
  const { memory, changes, view } = ask;
  const files = [...changes.added, ...changes.edited, ...changes.vanished];
  if (files.length === 0) return;
  const before = parts.journal.lastHashes(memory.folderId, files);
  const gone = yield* findingGone(parts, { ...ask, before });
  const memories = new Map(view.memories.map((known) => [known.file, known]));
  const added = new Set(changes.added);
  const ops: JournalOp[] = [];
  for (const file of files) {
    const now = memories.get(file);
    const isNew = added.has(file);
    const evidence = isNew && now !== undefined ? broughtAlong(now, gone) : [];
    ops.push(opOf({ file, now, before: before.get(file) ?? null, isNew, evidence }));
    if (now !== undefined) keepImage(parts, memory, now);
    yield;
  }
  parts.refused.add(memory.folderId, yield* removalsOf(parts, { view, gone }));
  const run = newRunId(parts.clock.now());
  parts.evidence.add(memory.folderId, { run, ops: ops.filter((op) => movesEvidence(op, gone)) });
  const at = new Date(parts.clock.now()).toISOString();
  const entry = {
    v: 1,
    run,
    kind: EDIT_KIND,
    trigger: "hand-edit",
    producer: "hand",
    at,
    project: ask.project,
    memoryDir: memory.folder.path,
    dirFileId: memory.folder.fileId,
    madeFolder: false,
    finished: at,
    ops,
    skipped: [],
    index: { before: null, after: null },
  } as const;
  parts.journal.note(memory.folderId, entry);
  parts.emitter.emit("memory:edited", { dir: memory.memoryDir, files });
}

/** Not flushed: what a person writes in their folder, they do not flush either, and 3,000 files took 37 s of waiting. */
function keepImage({ journal }: Parts, { folder, folderId }: OpenMemory, { file, hash }: Memory): void {
  const found = folder.read(file, MEMORY_LIMITS.topicBytesMax)?.content;
  if (found !== undefined && contentHash(found) === hash)
    journal.keepImage(folderId, found, { flush: false });
}

interface OpAsk {
  readonly file: string;
  readonly now: Memory | undefined;
  readonly before: ContentHash | null;
  readonly isNew: boolean;
  readonly evidence: readonly RecordedQuote[];
}

function opOf({ file, now, before, isNew, evidence }: OpAsk): JournalOp {
  const op: WrittenOp = now === undefined ? "deleted" : isNew ? "created" : "updated";
  return {
    file,
    op,
    before: isNew ? null : before,
    after: now?.hash ?? null,
    mtimeMs: null,
    body: now === undefined ? null : bodyHash(now.body),
    evidence,
    takenBack: null,
  };
}

/** A file that is not there any more, as we knew it. */
interface Gone {
  readonly file: string;
  /** Undefined: no image of it was kept. */
  readonly text: string | undefined;
  /** What it rested on. */
  readonly quotes: readonly RecordedQuote[];
}

interface GoneFiles {
  readonly files: ReadonlyMap<string, Gone>;
  /** The first of each text. */
  readonly byText: ReadonlyMap<string, Gone>;
}

interface GoneAsk extends HandEditAsk {
  readonly before: ReadonlyMap<string, ContentHash>;
}

function* findingGone(parts: Parts, { memory, changes, before }: GoneAsk): Steps<GoneFiles> {
  const files = new Map<string, Gone>();
  const byText = new Map<string, Gone>();
  if (changes.vanished.length === 0) return { files, byText };
  const standing = standingQuotes(parts.evidence.lines(memory.folderId));
  for (const file of changes.vanished) {
    yield;
    const hash = before.get(file);
    const image = hash === undefined ? undefined : parts.journal.image(memory.folderId, hash);
    const text = image === undefined ? undefined : textHashOf(parseTopicFile(image.toString()));
    const gone = { file, text, quotes: standing.get(file) ?? [] };
    files.set(file, gone);
    if (text !== undefined && !byText.has(text)) byText.set(text, gone);
  }
  return { files, byText };
}

/** A renamed file rests on what it rested on: else its words would count as the person's own, whoever said them. */
function broughtAlong(now: Memory, { byText }: GoneFiles): readonly RecordedQuote[] {
  return byText.size === 0 ? [] : (byText.get(textHashOf(now))?.quotes ?? []);
}

/** A removed file rests on nothing any more, a renamed one on what it brought along. */
function movesEvidence({ file, op, evidence }: JournalOp, gone: GoneFiles): boolean {
  if (op === "created") return evidence.length > 0;
  return op === "deleted" && (gone.files.get(file)?.quotes.length ?? 0) > 0;
}

interface RemovalAsk extends Pick<HandEditAsk, "view"> {
  readonly gone: GoneFiles;
}

/** A renamed file was not removed: its text still stands under another name. */
function* removalsOf({ clock }: Parts, { view, gone }: RemovalAsk): Steps<Removal[]> {
  if (gone.files.size === 0) return [];
  const present = new Set<string>();
  for (const memory of view.memories) {
    present.add(textHashOf(memory));
    yield;
  }
  return [...gone.files.values()].flatMap(({ text, quotes }) => {
    if (text !== undefined && present.has(text)) return [];
    const records = [...new Set(quotes.flatMap(({ id, by }) => (by === "memory" ? [] : [id])))];
    return text === undefined && records.length === 0 ? [] : [{ at: clock.now(), records, text }];
  });
}
