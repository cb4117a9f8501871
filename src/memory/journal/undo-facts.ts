// What an undo is decided by: the history, what was undone before, and each file as it is now. Reads, never writes.
import type { RunId } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash } from "../../domain/memories.ts";
import { contentHash } from "../../system/ids.ts";
import { memoryContentHash } from "../files/listing.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import { currentHash, ODD } from "./apply.ts";
import { EDIT_KIND, type JournalEntry, UNDO_KIND } from "./entries.ts";
import { onDisk } from "./failures.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";
import { INDEX_LEFT, planIndexUndo } from "./undo-index.ts";
import { planUndo, type Refused, type UndoPlan } from "./undo-plan.ts";
import { byTime, isUndoable, undoneFiles } from "./undone.ts";

export interface UndoAsk {
  readonly memoryDir: string;
  /** One run, or every run of one project that nobody has undone yet; hand edits are never undone. */
  readonly what: { readonly run: RunId } | { readonly project: string };
  /** Also where a later edit is lost by it. */
  readonly force: boolean;
  /** Tells what it would do and writes nothing. */
  readonly dryRun: boolean;
}

/** Why nothing can be said, or put back, of a purged memory. */
export const PURGED = "it was purged: nothing of what it said is kept";

export interface Planned {
  readonly entries: readonly JournalEntry[];
  readonly plan: UndoPlan;
  /** Entries of the runs that are meant. */
  readonly chosen: readonly JournalEntry[];
  images(hash: ContentHash): Buffer | undefined;
}

export function planFor(parts: Parts, memory: OpenMemory, { what, force }: UndoAsk): Planned {
  const { folderId } = memory;
  const entries = byTime(parts.journal.entries(folderId));
  const undone = undoneFiles(entries);
  const chosen = entries.filter((entry) => {
    if ("run" in what) return entry.run === what.run && entry.kind !== EDIT_KIND;
    // An undo is no run of its own here: what it left standing is undone, what it put back is so already.
    return entry.project.id === what.project && entry.kind !== UNDO_KIND && isUndoable(entry, undone);
  });
  const present = new Map<ContentHash, Buffer>();
  const current = (file: string) => {
    const hash = onDisk({ what: "memory", path: memory.memoryDir }, () => currentHash(memory.folder, file));
    if (hash === null || hash === ODD) return hash;
    const content = memory.folder.read(file, MEMORY_LIMITS.indexReadBytesMax)?.content;
    if (content !== undefined && contentHash(content) === hash) present.set(hash, content);
    return hash;
  };
  const images = (hash: ContentHash) => present.get(hash) ?? parts.journal.image(folderId, hash);
  const said = (hash: ContentHash) => {
    const text = images(hash)?.toString("utf8");
    return text === undefined ? undefined : memoryContentHash(parseTopicFile(text));
  };
  const runs = new Set(chosen.map(({ run }) => run));
  const plan = planUndo({ entries, undone, runs, force, current, said });
  const hasImage = (hash: ContentHash) => parts.journal.image(folderId, hash) !== undefined;
  const index = planIndexUndo({ chosen, undone, current, hasImage });
  // Of all runs nobody asks for a purged one, or for an index that has changed since.
  const refused = "run" in what ? [...plan.refused, ...purgedIn(chosen)] : plan.refused;
  const isNamed = "run" in what && index.isLeft && plan.files.length === 0;
  return {
    entries,
    chosen,
    images,
    plan: { ...plan, refused: isNamed ? [...refused, INDEX_LEFT] : refused, index: index.undo },
  };
}

function purgedIn(chosen: readonly JournalEntry[]): Refused[] {
  const ops = chosen.flatMap((entry) => entry.ops);
  const files = new Set(ops.flatMap(({ file, purged }) => (purged === undefined ? [] : [file])));
  return [...files].map((file) => ({ file, why: PURGED, forcible: false }));
}
