// What lies in a memory folder right now, and a cheap summary of it for the status.
import { orUnreadable, systemCode, unreadable } from "../../domain/errors.ts";
import { atOnce, createBreather, inBreaths, type Steps } from "../../system/breather.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import { type Folder, openFolder } from "../../system/folder.ts";
import { INDEX_FILE } from "../../memory/files/file-name.ts";
import type { FolderView } from "../../memory/files/store.ts";
import { readingFolder } from "../../memory/files/store.ts";

export interface FolderSummary {
  readonly memories: number;
  /** Memories that name the words they rest on: those engramd saved, unless a host dropped the mark. */
  readonly evidenced: number;
  readonly index: { readonly lines: number; readonly bytes: number };
  readonly conflictCopies: readonly string[];
  readonly notMemories: readonly { readonly file: string; readonly why: string }[];
}

export interface FolderViews {
  /** Undefined when the folder does not exist, or a link has taken its place. */
  view(memoryDir: string): FolderView | undefined;
  /** The same for one of many: why it cannot be read is an answer, as one folder must not keep the others from theirs. */
  oneOfMany(memoryDir: string): FolderView | { readonly unreadable: string } | undefined;
  /** From memory while neither the folder nor its index changed; of one that cannot be read, that of an empty one. */
  summary(memoryDir: string): FolderSummary;
  /** The same with the summaries of these folders as they are now; nobody is held up where thousands of files changed. */
  freshen(memoryDirs: Iterable<string>): Promise<FolderViews>;
}

const EMPTY: FolderSummary = {
  memories: 0,
  evidenced: 0,
  index: { lines: 0, bytes: 0 },
  conflictCopies: [],
  notMemories: [],
};
/** Summaries kept; one per memory folder, small. */
const SUMMARIES_MAX = 5_000;

export function createFolderViews({ files, clock }: FolderViewsDeps): FolderViews {
  const summaries = new Map<string, { readonly stamp: string; readonly summary: FolderSummary }>();

  function* summing(memoryDir: string): Steps<FolderSummary> {
    const stamp = stampOf(files, memoryDir);
    if (stamp === undefined) return EMPTY;
    const known = summaries.get(memoryDir);
    if (known?.stamp === stamp) return known.summary;
    const found = yield* viewingOneOfMany(files, memoryDir);
    if (found !== undefined && "unreadable" in found) return EMPTY;
    const summary = summaryOf(found);
    if (summaries.size >= SUMMARIES_MAX) summaries.clear();
    summaries.set(memoryDir, { stamp, summary });
    return summary;
  }

  const summary = (memoryDir: string) => atOnce(summing(memoryDir));
  const views: FolderViews = {
    view: (memoryDir) => atOnce(viewing(files, memoryDir)),
    oneOfMany: (memoryDir) => atOnce(viewingOneOfMany(files, memoryDir)),
    summary,
    async freshen(memoryDirs) {
      const breathe = createBreather(clock);
      const fresh = new Map<string, FolderSummary>();
      for (const dir of memoryDirs) fresh.set(dir, await inBreaths(summing(dir), breathe));
      // A folder that goes on changing is not read again at once.
      return { ...views, summary: (memoryDir) => fresh.get(memoryDir) ?? summary(memoryDir) };
    },
  };
  return views;
}

interface FolderViewsDeps {
  readonly files: Files;
  readonly clock: Clock;
}

function* viewing(files: Files, memoryDir: string): Steps<FolderView | undefined> {
  const folder = openUnswapped(files, memoryDir);
  if (folder === undefined) return undefined;
  try {
    return yield* readingFolder(folder);
  } finally {
    folder.close();
  }
}

function* viewingOneOfMany(files: Files, memoryDir: string): Steps<ReturnType<FolderViews["oneOfMany"]>> {
  try {
    return yield* viewing(files, memoryDir);
  } catch (error) {
    return unreadable(error);
  }
}

/** Undefined where no folder lies, or nobody may look. */
function stampOf(files: Files, memoryDir: string): string | undefined {
  const stamp = orUnreadable(() => {
    const at = files.look(memoryDir);
    if (at?.kind !== "folder") return undefined;
    return `${at.ctimeMs} ${files.look(`${memoryDir}/${INDEX_FILE}`)?.ctimeMs ?? 0}`;
  });
  return typeof stamp === "string" ? stamp : undefined;
}

/** A path that leads elsewhere by now shows nothing: what lies there is no memory of this project. */
function openUnswapped(files: Files, memoryDir: string): Folder | undefined {
  try {
    return openFolder(files, memoryDir);
  } catch (error) {
    if (systemCode(error) === "folder-swapped") return undefined;
    throw error;
  }
}

function summaryOf(view: FolderView | undefined): FolderSummary {
  if (view === undefined) return EMPTY;
  const text = view.index.text ?? "";
  return {
    memories: view.memories.length,
    evidenced: view.memories.filter(({ evidence }) => evidence.length > 0).length,
    index: {
      lines: text === "" ? 0 : text.replace(/\n$/, "").split("\n").length,
      bytes: Buffer.byteLength(text),
    },
    conflictCopies: view.conflictCopies,
    notMemories: view.notMemories.map(({ file, why }) => ({ file, why })),
  };
}
