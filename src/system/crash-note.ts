// A line that outlives this process, for telling the next one what it died of. Kept by the kernel, not by the disk:
// no flush, no rename, one write into a file that stays open. Never for anything that must outlive the machine.
import * as fs from "node:fs";
import { systemCode } from "../domain/errors.ts";
import { isAlive } from "./process.ts";
import { randomSuffix } from "./ids.ts";

export interface CrashNote {
  /** What this process is about to do; "" when it is done. Costs some microseconds; at a full disk it says nothing. */
  write(line: string): void;
  /** The line of a process that ended before it was done, and who that was; undefined when none did. */
  ofTheDead(): { readonly writer: string; readonly line: string } | undefined;
}

type NoteOps = Pick<typeof fs, "openSync" | "writeSync" | "readSync" | "closeSync">;

/** A path has 4 KiB at most; a longer line is cut and then counts as none. */
const NOTE_BYTES_MAX = 16_384;
const FILE_MODE = 0o600;

export interface CrashNoteOptions {
  readonly path: string;
  /** Called before the file is made: its folder must exist then. */
  readonly prepare: () => void;
  readonly ops?: NoteOps;
}

export function createCrashNote({ path, prepare, ops = fs }: CrashNoteOptions): CrashNote {
  // In a container every start has the same process id.
  const writer = `${process.pid} ${randomSuffix()}`;
  let fd: number | undefined;
  return {
    write(line) {
      try {
        // It is written around every read: opening it each time costs as much as the read.
        fd ??= openNote(ops, path, prepare);
        ops.writeSync(fd, line === "" ? "\n" : `${writer} ${line}\n`, 0);
      } catch (error) {
        // Without the note a crash is not counted; that must not keep anything from being read.
        if (systemCode(error) === undefined) throw error;
      }
    },
    ofTheDead() {
      const [, dead = "", line = ""] = /^(\d+ \w+) (.+)$/.exec(readFirstLine(ops, path) ?? "") ?? [];
      const pid = Number.parseInt(dead, 10);
      if (dead === "" || dead === writer || (pid !== process.pid && isAlive(pid))) return undefined;
      return { writer: dead, line };
    },
  };
}

/** Written in place: cutting the file first makes some file systems wait for the disk. */
function openNote(ops: NoteOps, path: string, prepare: () => void): number {
  prepare();
  return ops.openSync(
    path,
    fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW,
    FILE_MODE,
  );
}

function readFirstLine(ops: NoteOps, path: string): string | undefined {
  try {
    const fd = ops.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(NOTE_BYTES_MAX);
      const text = buffer.toString("utf8", 0, ops.readSync(fd, buffer, 0, NOTE_BYTES_MAX, 0));
      const end = text.indexOf("\n");
      return end < 0 ? undefined : text.slice(0, end);
    } finally {
      ops.closeSync(fd);
    }
  } catch (error) {
    // No note, or none that can be read: nothing is known of any crash.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
