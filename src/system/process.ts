// Questions about processes of this machine.
import { readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
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

/** Version of the Node that runs us, without the `v`. */
export function nodeVersion(): string {
  return process.versions.node;
}

/** Rights that are taken from every file we make, as the kernel applies them. */
export function ownUmask(): number {
  return process.umask();
}

/** Whether a socket of a family that only system programs need is refused; undefined where that cannot be told. */
export function refusesOddSockets(): boolean | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // Asks the kernel over a netlink socket, and needs nothing else that could be refused.
    networkInterfaces();
    return false;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return /\b(?:EAFNOSUPPORT|EPERM|EACCES)\b/u.test(error.message) ? true : undefined;
  }
}
