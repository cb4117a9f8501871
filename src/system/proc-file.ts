// Reads files the kernel makes up while they are read (/proc, /sys): they have no size. Writes nothing.
import { systemCode } from "../domain/errors.ts";
import type { Files } from "./files.ts";

const CHUNK_BYTES = 4_096;

/** The text of such a file, at most `bytesMax` of it; undefined where there is none for us. */
export function readProcFile(
  files: Pick<Files, "openRead">,
  { path, bytesMax }: { readonly path: string; readonly bytesMax: number },
): string | undefined {
  try {
    const handle = files.openRead(path);
    try {
      const buffer = Buffer.alloc(bytesMax);
      let filled = 0;
      while (filled < bytesMax) {
        const length = Math.min(CHUNK_BYTES, bytesMax - filled);
        const got = handle.read(buffer, { offset: filled, position: filled, length });
        if (got === 0) break;
        filled += got;
      }
      return buffer.toString("utf8", 0, filled);
    } finally {
      handle.close();
    }
  } catch (error) {
    // Not Linux, or not ours to read: the question has no answer, which callers show as unknown.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
