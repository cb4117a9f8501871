// Puts planned operations on disk, one whole file after the other. A file somebody changed meanwhile is left alone.
import { AppError, systemCode } from "../../domain/errors.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash } from "../../domain/memories.ts";
import type { Folder } from "../../system/folder.ts";
import { contentHash } from "../../system/ids.ts";
import type { JournalOp } from "./entries.ts";
import { onDisk } from "./failures.ts";
import type { OpenMemory } from "./open-memory.ts";

/** Stands for a link, a folder, a file too large or with two names: never ours to touch. Equals no hash. */
export const ODD = "odd";

/** Hash of what is at a name now; null when nothing is. What is no plain file equals no hash. */
export function currentHash(folder: Folder, file: string): ContentHash | null {
  try {
    const found = folder.read(file, MEMORY_LIMITS.topicBytesMax);
    return found === undefined ? null : contentHash(found.content);
  } catch (error) {
    const code = error instanceof AppError ? error.code : systemCode(error);
    if (code === "unsafe-file" || code === "too-large" || code === "not-a-file") return ODD;
    throw error;
  }
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
  return onDisk({ what: "memory", path: memory.memoryDir }, () => {
    const current = currentHash(memory.folder, op.file);
    if (current === op.after) return "done";
    if (current !== op.before) return "edited";
    memory.assertHeld();
    if (content === undefined) {
      memory.folder.remove(op.file);
      return "done";
    }
    return replaceIfUnchanged(memory.folder, { op, content });
  });
}

function replaceIfUnchanged(
  folder: Folder,
  { op, content }: { readonly op: JournalOp; readonly content: string | Buffer },
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
