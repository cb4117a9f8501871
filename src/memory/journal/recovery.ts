// Finishes what a crash left open. Rolls forward: the change set was judged and its images are on disk.
// A file that is neither as it was nor as it was to become was edited by somebody, and stays as they left it.
import { messageOf } from "../../domain/errors.ts";
import { TEMPORARY_PREFIX } from "../../system/files.ts";
import { isLeftover, removeLeftovers } from "../../system/leftovers.ts";
import { localDate } from "../../domain/calendar.ts";
import { applyOp, currentHash } from "./apply.ts";
import type { JournalEntry, JournalOp } from "./entries.ts";
import { onDisk } from "./failures.ts";
import { finishEntry } from "./finish.ts";
import { folderIdOf } from "./folder-id.ts";
import type { OpenEntry } from "./journal.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";

export interface RecoveryReport {
  /** Change sets that were open and are closed now. */
  readonly finished: readonly { readonly run: string; readonly memoryDir: string }[];
  /** Files left as somebody edited them meanwhile. */
  readonly keptEdits: readonly string[];
  readonly temporaryFilesRemoved: number;
  /** Folders that could not be looked at now; the next write there tries again. */
  readonly failed: readonly { readonly memoryDir: string; readonly message: string }[];
}

interface Gathering {
  readonly finished: { run: string; memoryDir: string }[];
  readonly keptEdits: string[];
  temporaryFilesRemoved: number;
  readonly failed: { memoryDir: string; message: string }[];
}

/** One folder that cannot be written never keeps the others from being recovered. */
export async function recoverAll(parts: Parts): Promise<RecoveryReport> {
  const report: Gathering = {
    finished: [],
    keptEdits: [],
    temporaryFilesRemoved: removeFromState(parts),
    failed: [],
  };
  for (const folderId of parts.journal.folderIds()) {
    const memoryDir = parts.journal.placeOf(folderId);
    if (memoryDir === undefined) continue;
    try {
      await recoverFolder(parts, { folderId, memoryDir, report });
    } catch (error) {
      const message = messageOf(error);
      parts.log.warn("memory:not-recovered", { memoryDir, message });
      report.failed.push({ memoryDir, message });
    }
  }
  return report;
}

/** What lies about in our state is a nuisance only: it never keeps the memory from being recovered. */
function removeFromState(parts: Parts): number {
  try {
    return removeLeftovers(parts.files, { folder: parts.stateDir, now: parts.clock.now() });
  } catch (error) {
    parts.log.warn("state:leftovers-kept", { message: messageOf(error) });
    return 0;
  }
}

interface FolderAsk {
  readonly folderId: string;
  readonly memoryDir: string;
  readonly report: Gathering;
}

async function recoverFolder(parts: Parts, { folderId, memoryDir, report }: FolderAsk): Promise<void> {
  const open = parts.journal.openEntries(folderId);
  const found = await parts.folders.withFolder({ memoryDir, make: false }, (memory) => {
    if (memory.folderId !== folderId) return false;
    report.temporaryFilesRemoved += removeTemporaryFiles(parts, { memory, all: open.length > 0 });
    report.keptEdits.push(...finishOpenEntries(parts, memory));
    return true;
  });
  // The folder is gone or is another one now; what was to be written is proposed again by its job.
  if (found !== true) for (const entry of open) abandon(parts, entry);
  report.finished.push(...open.map(({ entry }) => ({ run: entry.run, memoryDir })));
}

/** Closes every open entry of a folder that is held already. Returns files kept as somebody edited them. */
export function finishOpenEntries(parts: Parts, memory: OpenMemory): string[] {
  const kept: string[] = [];
  const state = { what: "state", path: parts.stateDir } as const;
  for (const open of onDisk(state, () => parts.journal.openEntries(memory.folderId))) {
    if (inodeOf(open.entry.dirFileId) === inodeOf(memory.folder.fileId)) {
      kept.push(...rollForward(parts, { memory, open }));
    } else {
      abandon(parts, open);
    }
  }
  return kept;
}

/** The same for a folder nobody holds: nothing is locked where nothing is open. */
export async function finishOpenIn(parts: Parts, memoryDir: string): Promise<boolean> {
  const state = { what: "state", path: parts.stateDir } as const;
  if (onDisk(state, () => parts.journal.openEntries(folderIdOf(memoryDir))).length === 0) return false;
  const done = await parts.folders.withFolder({ memoryDir, make: false }, (memory) => {
    finishOpenEntries(parts, memory);
    return true;
  });
  return done === true;
}

/** Device numbers may change with a restart of the machine; the inode stays. */
function inodeOf(fileId: string): string {
  return fileId.slice(fileId.indexOf(":") + 1);
}

function abandon(parts: Parts, { entry, ...ref }: OpenEntry): void {
  const finished = new Date(parts.clock.now()).toISOString();
  parts.journal.close(ref, { ...entry, finished, skipped: entry.ops.map((op) => op.file) });
}

function rollForward(
  parts: Parts,
  { memory, open }: { readonly memory: OpenMemory; readonly open: OpenEntry },
): readonly string[] {
  const { entry, ...ref } = open;
  const pending = pendingFrom(entry, memory);
  const skipped: string[] = [];
  for (const [at, op] of entry.ops.entries()) {
    if (!isWritten(memory, op) && (at < pending || !catchUp(parts, { memory, op }))) skipped.push(op.file);
  }
  const today = localDate(parts.clock.now(), parts.clock.timeZone());
  finishEntry(parts, { memory, ref, entry, skipped, today });
  return skipped;
}

/** Operations run in order: what lies before the last written one was written too, and changed since. */
function pendingFrom(entry: JournalEntry, memory: OpenMemory): number {
  return entry.ops.findLastIndex((op) => isWritten(memory, op)) + 1;
}

function isWritten(memory: OpenMemory, op: JournalOp): boolean {
  return (
    onDisk({ what: "memory", path: memory.memoryDir }, () => currentHash(memory.folder, op.file)) === op.after
  );
}

/** False when the file must stay as it is: edited since, or its image was never kept. */
function catchUp(
  parts: Parts,
  { memory, op }: { readonly memory: OpenMemory; readonly op: JournalOp },
): boolean {
  const content = op.after === null ? undefined : parts.journal.image(memory.folderId, op.after);
  if (op.after !== null && content === undefined) return false;
  return applyOp(memory, { op, content }) === "done";
}

interface TemporaryAsk {
  readonly memory: OpenMemory;
  /** We crashed in this folder: whatever is left is ours, however young. */
  readonly all: boolean;
}

function removeTemporaryFiles(parts: Parts, { memory, all }: TemporaryAsk): number {
  const { folder } = memory;
  const now = parts.clock.now();
  const leftovers = folder.names().filter((name) => {
    if (!name.startsWith(TEMPORARY_PREFIX)) return false;
    const facts = folder.look(name);
    return facts?.kind === "file" && (all || isLeftover({ name, mtimeMs: facts.mtimeMs }, now));
  });
  for (const name of leftovers) folder.remove(name);
  return leftovers.length;
}
