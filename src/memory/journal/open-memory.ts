// Opens one memory folder for writing: made if missing, under its writer lock, and never another folder than before.
import { dirname } from "node:path";
import { AppError } from "../../domain/errors.ts";
import type { FileLocks, Lock } from "../../system/file-lock.ts";
import type { Files } from "../../system/files.ts";
import { type Folder, openFolder } from "../../system/folder.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import type { FolderView } from "../files/store.ts";
import { canonicalFile } from "../gate/facts.ts";
import { diskError, onDisk } from "./failures.ts";
import { folderIdOf } from "./folder-id.ts";

/** A commit takes milliseconds; whoever holds the lock longer than this is stuck or stopped. */
const LOCK_WAIT_MS = 20_000;

/** A memory folder held for one piece of work. */
export interface OpenMemory {
  readonly folder: Folder;
  readonly folderId: string;
  /** The path as the caller spelt it. */
  readonly memoryDir: string;
  /** It did not exist and was made now. */
  readonly made: boolean;
  /** Throws `memory-lock-lost` (retry) once another process may own the folder. */
  assertHeld(): void;
  /** Throws `folder-swapped` (retry) when the path leads elsewhere by now. */
  assertSamePlace(): void;
}

export interface MemoryFolders {
  /**
   * Runs `work` under the folder's writer lock. A missing folder is made (0700) when `make` is set;
   * otherwise `work` is not run and the answer is undefined.
   */
  withFolder<T>(
    ask: { readonly memoryDir: string; readonly make: boolean },
    work: (memory: OpenMemory) => T | Promise<T>,
  ): Promise<T | undefined>;
}

interface Deps {
  readonly files: Files;
  readonly locks: FileLocks;
}

export function createMemoryFolders(deps: Deps): MemoryFolders {
  /** The volume each folder was on when it was first used: one mounted over it later hides memories, it removes none. */
  const volumes = new Map<string, string>();
  const assertVolume = ({ memoryDir, folder }: OpenMemory) => {
    const [volume = ""] = folder.fileId.split(":");
    const known = volumes.get(memoryDir) ?? volume;
    volumes.set(memoryDir, known);
    if (known !== volume) throw otherVolume(memoryDir);
  };
  return {
    async withFolder({ memoryDir, make }, work) {
      const made =
        make && onDisk({ what: "memory", path: memoryDir }, () => ensureFolder(deps.files, memoryDir));
      const real = onDisk({ what: "memory", path: memoryDir }, () => deps.files.real(memoryDir));
      if (real === undefined) return undefined;
      assertRoot({ memoryDir, real });
      const folderId = folderIdOf(real);
      const lock = await takeLock(deps.locks, { folderId, memoryDir });
      try {
        return await withOpen(deps.files, { memoryDir, real, folderId, made, lock }, (memory) => {
          assertVolume(memory);
          return work(memory);
        });
      } finally {
        await lock.release();
      }
    },
  };
}

function ensureFolder(files: Files, memoryDir: string): boolean {
  if (files.follow(memoryDir) !== undefined) return false;
  if (files.look(memoryDir)?.kind === "link") {
    throw new AppError({
      code: "unsafe-file",
      message: `${memoryDir} is a link that leads nowhere`,
      fix: "create what it points to, or remove the link",
      disposition: "retry",
    });
  }
  const ground = nearestFolder(files, memoryDir);
  assertRoot({ memoryDir: ground, real: files.real(ground) ?? "nowhere" });
  files.ensureFolder(memoryDir);
  return true;
}

/** The folder on the way to a path that is there already. */
function nearestFolder(files: Files, path: string): string {
  const parent = dirname(path);
  return parent === path || files.follow(parent) !== undefined ? parent : nearestFolder(files, parent);
}

/** Links were resolved when the folder was chosen: one on the path now has come since, and may lead anywhere. */
function assertRoot({ memoryDir, real }: { readonly memoryDir: string; readonly real: string }): void {
  if (real === memoryDir) return;
  throw new AppError({
    code: "folder-swapped",
    message: `${memoryDir} now leads to ${real}; nothing was written`,
    fix: "put the folder back where it was",
    disposition: "retry",
  });
}

function otherVolume(memoryDir: string): AppError {
  return new AppError({
    code: "folder-swapped",
    message: `${memoryDir} is on another volume than before; nothing was written`,
    fix: "unmount what lies over it, or restart engramd if this is its place now",
    disposition: "retry",
  });
}

async function takeLock(
  locks: FileLocks,
  { folderId, memoryDir }: { readonly folderId: string; readonly memoryDir: string },
): Promise<Lock> {
  const lock = await locks.take(`memory-${folderId}`, { waitMs: LOCK_WAIT_MS }).catch((error: unknown) => {
    throw diskError({ what: "state", path: "the folder of locks" }, error);
  });
  if (lock !== undefined) return lock;
  throw new AppError({
    code: "memory-locked",
    message: `another process is writing in ${memoryDir}`,
    disposition: "retry",
  });
}

interface OpenAsk {
  readonly memoryDir: string;
  readonly real: string;
  readonly folderId: string;
  readonly made: boolean;
  readonly lock: Lock;
}

async function withOpen<T>(
  files: Files,
  { memoryDir, real, folderId, made, lock }: OpenAsk,
  work: (memory: OpenMemory) => T | Promise<T>,
): Promise<T | undefined> {
  const folder = onDisk({ what: "memory", path: memoryDir }, () => openFolder(files, real));
  if (folder === undefined) return undefined;
  try {
    const assertSamePlace = () => {
      const now = files.real(memoryDir);
      if (now === folder.path && files.follow(memoryDir)?.fileId === folder.fileId) return;
      throw new AppError({
        code: "folder-swapped",
        message: `${memoryDir} was replaced while it was being written`,
        disposition: "retry",
      });
    };
    const assertHeld = () => {
      if (lock.held()) return;
      throw new AppError({
        code: "memory-lock-lost",
        message: `another process took over ${memoryDir}`,
        disposition: "retry",
      });
    };
    return await work({ folder, folderId, memoryDir, made, assertHeld, assertSamePlace });
  } finally {
    folder.close();
  }
}

/** What an index that is no plain file is, and the way back to one, by its kind; `file`: shared with another name. */
const ODD_INDEX = {
  file: { what: "has a second hard link", fix: ownCopy(INDEX_FILE) },
  link: { what: "is a link", fix: ownCopy(`"$(readlink -f ${INDEX_FILE})"`) },
  folder: { what: "is a folder", fix: "move it away: a new index is made" },
  other: { what: "is a pipe or a device", fix: "move it away: a new index is made" },
} as const;

function ownCopy(from: string): string {
  return `make it a plain file, in that folder: cp ${from} index.tmp && mv index.tmp ${INDEX_FILE}`;
}

/** Throws `unsafe-file` (retry) when the index is a link, a folder or shares its bytes with another file. */
export function assertPlainIndex({ folder, memoryDir }: OpenMemory): void {
  const facts = folder.look(INDEX_FILE);
  if (facts === undefined || (facts.kind === "file" && facts.links === 1)) return;
  const { what, fix } = ODD_INDEX[facts.kind];
  throw new AppError({
    code: "unsafe-file",
    message: `${INDEX_FILE} in ${memoryDir} ${what}; nothing was written`,
    fix,
    disposition: "retry",
  });
}

/** Throws `memory-failed` (retry) for a file that could not be read now: it must not count as missing. */
export function assertReadable(
  view: FolderView,
  { memory, files }: { readonly memory: OpenMemory; readonly files: readonly string[] },
): void {
  const wanted = new Set([INDEX_FILE, ...files].map(canonicalFile));
  const unread = view.notMemories.find(
    ({ file, code }) => code !== undefined && wanted.has(canonicalFile(file)),
  );
  if (unread === undefined) return;
  throw new AppError({
    code: "memory-failed",
    message: `cannot read ${JSON.stringify(unread.file)} in ${memory.memoryDir}: ${unread.why}`,
    disposition: "retry",
  });
}
