// Puts planned operations on disk, one whole file after the other. A file somebody changed meanwhile is left alone.
import { AppError, systemCode } from "../../domain/errors.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash } from "../../domain/memories.ts";
import type { Folder, HeldFile } from "../../system/folder.ts";
import { contentHash } from "../../system/ids.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import type { JournalOp } from "./entries.ts";
import { onDisk } from "./failures.ts";
import type { OpenMemory } from "./open-memory.ts";

/** Stands for a link, a folder, a file too large or with two names: never ours to touch. Equals no hash. */
export const ODD = "odd";

/** Hash of what is at a name now; null when nothing is. What is no plain file equals no hash. */
export function currentHash(folder: Folder, file: string): ContentHash | null {
  return hashOrOdd(() => folder.read(file, bytesMaxOf(file))?.content);
}

function hashOrOdd(read: () => Buffer | undefined): ContentHash | null {
  try {
    const content = read();
    return content === undefined ? null : contentHash(content);
  } catch (error) {
    const code = error instanceof AppError ? error.code : systemCode(error);
    if (code === "unsafe-file" || code === "too-large" || code === "not-a-file") return ODD;
    throw error;
  }
}

/** Larger is not ours to touch; an index that grew by hand is, so that it can be brought within its caps. */
function bytesMaxOf(file: string): number {
  return file === INDEX_FILE ? MEMORY_LIMITS.indexReadBytesMax : MEMORY_LIMITS.topicBytesMax;
}

/** `done`: the file is as wanted now. `edited`: somebody else changed it; their content stays. */
export type Applied = "done" | "edited";

export interface ApplyAsk {
  readonly op: JournalOp;
  /** Undefined for a removal. */
  readonly content: string | Buffer | undefined;
}

/** Brings one file from its `before` to its `after`. Already there: nothing is written. */
export function applyOp(memory: OpenMemory, { op, content }: ApplyAsk): Applied {
  const { folder } = memory;
  return onDisk({ what: "memory", path: memory.memoryDir }, () => {
    const current = currentHash(folder, op.file);
    if (current === op.after) return "done";
    if (current !== op.before) return "edited";
    memory.assertHeld();
    return keepingEdits(folder, op, () => {
      if (content !== undefined) return replaceIfUnchanged(folder, { op, content });
      if (currentHash(folder, op.file) !== op.before) return "edited";
      folder.remove(op.file);
      return "done";
    });
  });
}

function replaceIfUnchanged(
  folder: Folder,
  {
    op,
    content,
  }: {
    readonly op: Pick<JournalOp, "file" | "before" | "mtimeMs">;
    readonly content: string | Buffer;
  },
): Applied {
  try {
    folder.replace(op.file, content, {
      stillValid: () => currentHash(folder, op.file) === op.before,
      ...(op.mtimeMs === null ? {} : { mtimeMs: op.mtimeMs }),
    });
    return "done";
  } catch (error) {
    const code = error instanceof AppError ? error.code : systemCode(error);
    if (code === "changed" || code === "unsafe-file") return "edited";
    throw error;
  }
}

/** Undefined: what had the name is gone, or has become something that is not ours to touch. */
function held(folder: Folder, file: string): HeldFile | undefined {
  try {
    return folder.hold(file);
  } catch (error) {
    if (systemCode(error) === "unsafe-file") return undefined;
    throw error;
  }
}

/** Texts put back before whoever keeps writing to a file that is gone is left to it. */
const PUT_BACK_MAX = 5;

/**
 * Between the last look at a file and its replacement somebody may write into it, and what they wrote would go with the
 * old file. So the old file is looked at once more afterwards, and what it holds then is put back.
 */
export function keepingEdits(
  folder: Folder,
  { file, before, after }: Pick<JournalOp, "file" | "before" | "after">,
  act: () => Applied,
): Applied {
  if (before === null) return act();
  const old = held(folder, file);
  if (old === undefined) return currentHash(folder, file) === after ? "done" : "edited";
  try {
    if (hashOrOdd(() => old.content(bytesMaxOf(file))) !== before) return "edited";
    const applied = act();
    return applied === "done" && putBack(folder, { old, file, before, after }) ? "edited" : applied;
  } finally {
    old.close();
  }
}

/** True when the old file holds other words than before; they are at their name again unless somebody wrote newer ones. */
function putBack(
  folder: Folder,
  { old, file, before, after }: Pick<JournalOp, "file" | "before" | "after"> & { readonly old: HeldFile },
): boolean {
  let known = before;
  let ours = after;
  for (let round = 0; round < PUT_BACK_MAX; round += 1) {
    const content = old.content(MEMORY_LIMITS.indexReadBytesMax);
    const hash = contentHash(content);
    if (hash === known) break;
    const op = { file, before: ours, mtimeMs: null };
    known = hash;
    if (currentHash(folder, file) !== ours || replaceIfUnchanged(folder, { op, content }) === "edited") break;
    ours = hash;
  }
  return known !== before;
}
