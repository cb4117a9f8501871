// What a person or the host agent did to the files: part of the history, and what they removed stays away.
import type { ContentHash, Memory } from "../../domain/memories.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import { contentHash, newRunId } from "../../system/ids.ts";
import type { ListingChanges } from "../files/listing.ts";
import type { FolderView } from "../files/store.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import type { Removal } from "../gate/refused.ts";
import { textHashOf } from "../gate/text-hash.ts";
import type { JournalOp, WrittenOp } from "./entries.ts";
import { bodyHash } from "./operations.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";

export interface HandEditAsk {
  readonly memory: OpenMemory;
  readonly project: { readonly id: string; readonly root: string };
  readonly changes: ListingChanges;
  readonly view: FolderView;
}

/** Writes one finished entry of kind `edit`; nothing when there was no edit of a memory. */
export function recordHandEdits(parts: Parts, ask: HandEditAsk): void {
  const { memory, changes, view } = ask;
  const files = [...changes.added, ...changes.edited, ...changes.vanished];
  if (files.length === 0) return;
  const before = parts.journal.lastHashes(memory.folderId, files);
  const memories = new Map(view.memories.map((known) => [known.file, known]));
  const ops = files.map((file) =>
    opOf({
      file,
      now: memories.get(file),
      before: before.get(file) ?? null,
      isNew: changes.added.includes(file),
    }),
  );
  for (const op of ops) {
    if (op.after === null) continue;
    const found = memory.folder.read(op.file, MEMORY_LIMITS.topicBytesMax)?.content;
    if (found !== undefined && contentHash(found) === op.after)
      parts.journal.keepImage(memory.folderId, found);
  }
  parts.refused.add(memory.folderId, removalsOf(parts, { ...ask, before }));
  const at = new Date(parts.clock.now()).toISOString();
  const entry = {
    v: 1,
    run: newRunId(parts.clock.now()),
    kind: "edit",
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

interface OpAsk {
  readonly file: string;
  readonly now: Memory | undefined;
  readonly before: ContentHash | null;
  readonly isNew: boolean;
}

function opOf({ file, now, before, isNew }: OpAsk): JournalOp {
  const op: WrittenOp = now === undefined ? "deleted" : isNew ? "created" : "updated";
  return {
    file,
    op,
    before: isNew ? null : before,
    after: now?.hash ?? null,
    mtimeMs: null,
    body: now === undefined ? null : bodyHash(now.body),
    evidence: [],
    takenBack: null,
  };
}

interface RemovalAsk extends HandEditAsk {
  readonly before: ReadonlyMap<string, ContentHash>;
}

/** A renamed file was not removed: its text still stands under another name. */
function removalsOf(parts: Parts, { memory, changes, view, before }: RemovalAsk): Removal[] {
  const { recordsOf } = parts.evidence.load(memory.folderId);
  const present = new Set(view.memories.map(textHashOf));
  return changes.vanished.flatMap((file) => {
    const hash = before.get(file);
    const image = hash === undefined ? undefined : parts.journal.image(memory.folderId, hash);
    const text = image === undefined ? undefined : textHashOf(parseTopicFile(image.toString()));
    if (text !== undefined && present.has(text)) return [];
    const records = recordsOf.get(file) ?? [];
    return text === undefined && records.length === 0 ? [] : [{ at: parts.clock.now(), records, text }];
  });
}
