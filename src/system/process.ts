// Questions about processes of this machine.
import { readlinkSync } from "node:fs";
import { systemCode } from "../domain/errors.ts";
import type { Files } from "./files.ts";

/** Whether a process with this id exists, even one that is not ours. False for what is no process id. */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about whole groups.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const BOOT_ID_BYTES_MAX = 100;

/**
 * Names this boot and this process id space, so that an id means one process; "" where the system does not tell.
 * Containers share folders but not ids.
 */
export function processSpace(files: Pick<Files, "openRead">): string {
  try {
    const handle = files.openRead(BOOT_ID);
    try {
      const buffer = Buffer.alloc(BOOT_ID_BYTES_MAX);
      const length = handle.read(buffer, { offset: 0, position: 0, length: BOOT_ID_BYTES_MAX });
      const boot = buffer.subarray(0, length).toString().trim();
      return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
    } finally {
      handle.close();
    }
  } catch {
    // Not Linux, or /proc is not to be read: then nobody is ever declared dead.
    return "";
  }
}

/** The user we run as; undefined where the system knows none. */
export function ownUid(): number | undefined {
  return process.getuid?.();
}
