// Removes the memories engramd made and nobody edited, on the person's word. What is ours is what an unbroken line of
// our own changes leads to; the journal's recovery does the removing, so it can be stopped anywhere and undone.
import { join } from "node:path";
import { orUnreadable } from "../../../domain/errors.ts";
import type { ContentHash } from "../../../domain/memories.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { contentHash, newRunId } from "../../../system/ids.ts";
import { removeEmptyFolder } from "../../../system/removal.ts";
import { INDEX_FILE } from "../../../memory/files/file-name.ts";
import { createMemoryWriter } from "../../../memory/journal/commit.ts";
import type { JournalEntry } from "../../../memory/journal/entries.ts";
import { standingEntries } from "../../../memory/journal/undone.ts";
import { createParts, type PartsDeps } from "../../../memory/journal/parts.ts";

export type OwnMemoriesDeps = PartsDeps;

export interface RemovedMemories {
  /** Paths of removed files and folders. */
  readonly removed: readonly string[];
  /** Memories in those folders that somebody wrote or edited, or that could not be removed; the folder where it cannot be read. */
  readonly kept: readonly string[];
}

const KIND = "uninstall";

/** No other engramd may run. */
export async function removeOwnMemories(deps: OwnMemoriesDeps): Promise<RemovedMemories> {
  const writer = createMemoryWriter(deps);
  await writer.recover();
  const { found, unreadable } = ownFolders(deps);
  for (const folder of found) openRemoval(deps, folder);
  await writer.recover();
  for (const { folderId } of found) giveUpOpen(deps, folderId);
  const outcomes = found.map((folder) => outcomeOf(deps, folder));
  return {
    removed: outcomes.flatMap(({ removed }) => removed),
    kept: [...outcomes.flatMap(({ kept }) => kept), ...unreadable],
  };
}

interface OwnFolder {
  readonly folderId: string;
  readonly memoryDir: string;
  readonly entries: readonly JournalEntry[];
  /** Files that are ours, as they are now. */
  readonly own: ReadonlyMap<string, ContentHash>;
}

interface OwnFolders {
  readonly found: readonly OwnFolder[];
  readonly unreadable: readonly string[];
}

/** One that cannot be read keeps its memories, and no other. */
function ownFolders(deps: OwnMemoriesDeps): OwnFolders {
  const { journal } = createParts(deps);
  const found: OwnFolder[] = [];
  const unreadable: string[] = [];
  for (const folderId of journal.folderIds()) {
    const memoryDir = journal.placeOf(folderId);
    if (memoryDir === undefined) continue;
    const own = orUnreadable(() =>
      ownFolder(deps, { folderId, memoryDir, entries: journal.entries(folderId) }),
    );
    if (own === undefined) continue;
    if ("unreadable" in own) unreadable.push(memoryDir);
    else found.push(own);
  }
  return { found, unreadable };
}

/** Undefined when it is gone, or a link has taken its place. */
function ownFolder(deps: OwnMemoriesDeps, folder: Omit<OwnFolder, "own">): OwnFolder | undefined {
  const { memoryDir, entries } = folder;
  if (deps.files.real(memoryDir) !== memoryDir) return undefined;
  // Its names as well: one that may only be entered would fail at the end.
  deps.files.names(memoryDir);
  const own = new Map(
    [...ownHashes(standingEntries(entries))].filter(
      ([file, hash]) => hashOf(deps, join(memoryDir, file)) === hash,
    ),
  );
  return { ...folder, own };
}

/** Files whose whole history is ours, with what we last made of them. */
function ownHashes(entries: readonly JournalEntry[]): Map<string, ContentHash> {
  const own = new Map<string, ContentHash>();
  for (const { ops, skipped, producer } of entries) {
    for (const { file, before, after } of ops) {
      // Somebody changed it between two changes of ours, or before the first.
      const isOurs = (own.get(file) ?? null) === before && producer !== "hand" && !skipped.includes(file);
      if (isOurs && after !== null) own.set(file, after);
      else own.delete(file);
    }
  }
  return own;
}

/** A finished judgement on disk: recovery takes each file away that is still what it was, and mends the index. */
function openRemoval({ files, clock, ...deps }: OwnMemoriesDeps, folder: OwnFolder): void {
  const { folderId, memoryDir, entries, own } = folder;
  const last = entries.at(-1);
  const dirFileId = files.follow(memoryDir)?.fileId;
  if (own.size === 0 || last === undefined || dirFileId === undefined) return;
  const { journal } = createParts({ files, clock, ...deps });
  const ops = [...own].flatMap(([file, before]) => {
    const content = files.read(join(memoryDir, file), MEMORY_LIMITS.topicBytesMax);
    if (content === undefined || !journal.keepImage(folderId, content)) return [];
    const gone = {
      op: "deleted",
      after: null,
      mtimeMs: null,
      body: null,
      evidence: [],
      takenBack: null,
    } as const;
    return [{ file, before, ...gone }];
  });
  journal.open(folderId, {
    v: 1,
    run: newRunId(clock.now()),
    kind: KIND,
    trigger: KIND,
    producer: "person",
    at: new Date(clock.now()).toISOString(),
    project: last.project,
    memoryDir,
    dirFileId,
    madeFolder: false,
    finished: null,
    ops,
    skipped: [],
    index: { before: null, after: null },
  });
}

/** A folder that cannot be written now must not lose memories at some later start. */
function giveUpOpen(deps: OwnMemoriesDeps, folderId: string): void {
  const { journal } = createParts(deps);
  const finished = new Date(deps.clock.now()).toISOString();
  for (const { entry, ...ref } of journal.openEntries(folderId)) {
    if (entry.kind !== KIND) continue;
    journal.close(ref, { ...entry, finished, skipped: entry.ops.map(({ file }) => file) });
  }
}

function outcomeOf(deps: OwnMemoriesDeps, { memoryDir, entries, own }: OwnFolder): RemovedMemories {
  const { files } = deps;
  const removed = [...own.keys()]
    .map((file) => join(memoryDir, file))
    .filter((path) => files.look(path) === undefined);
  const index = join(memoryDir, INDEX_FILE);
  const madeIndex = entries.some(({ index: { before, after } }) => before === null && after !== null);
  const facts = files.look(index);
  if (madeIndex && facts?.kind === "file" && facts.bytes === 0) {
    files.remove(index);
    removed.push(index);
  }
  const madeFolder = entries.some((entry) => entry.madeFolder);
  if (madeFolder && removeEmptyFolder(memoryDir)) removed.push(memoryDir);
  const kept = (files.names(memoryDir) ?? []).filter((name) => name.endsWith(".md") && name !== INDEX_FILE);
  return { removed, kept: kept.map((name) => join(memoryDir, name)) };
}

function hashOf({ files }: OwnMemoriesDeps, path: string): ContentHash | undefined {
  const facts = files.look(path);
  if (facts?.kind !== "file" || facts.links !== 1 || facts.bytes > MEMORY_LIMITS.topicBytesMax)
    return undefined;
  const content = files.read(path, MEMORY_LIMITS.topicBytesMax);
  return content === undefined ? undefined : contentHash(content);
}
