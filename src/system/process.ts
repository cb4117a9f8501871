// Questions about processes of this machine.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { systemCode } from "../domain/errors.ts";
import type { Files } from "./files.ts";
import { shortHash } from "./ids.ts";

/**
 * Whether a process with this id runs, even one that is not ours. False for what is no process id, and for one that
 * ended and was not yet collected by its parent: a container's first process may never do that.
 */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about whole groups.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) !== "EPERM") return false;
  }
  return !hasEnded(pid);
}

/** False where the system does not tell. */
function hasEnded(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name before it stands in brackets and may hold some itself.
    return /^ [ZX] /u.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    // Gone since it was asked, or hidden from us.
    return false;
  }
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const MACHINE_ID = "/etc/machine-id";
const ID_BYTES_MAX = 100;

/** Where a process id means something. A part is "" where the system does not tell. */
export interface ProcessSpace {
  readonly boot: string;
  /** Containers share folders but not process ids. */
  readonly ids: string;
  /** Two machines may share a folder; copies of one are told apart by their host names. */
  readonly machine: string;
}

export function processSpace(files: Pick<Files, "openRead">, platform = process.platform): ProcessSpace {
  // One space for all: there are no containers of macOS itself, and no file tells the boot.
  if (platform === "darwin") return { boot: "", ids: "darwin", machine: shortHash(hostname(), 12) };
  const machine = idIn(files, MACHINE_ID);
  return {
    boot: idIn(files, BOOT_ID),
    ids: pidNamespace(),
    machine: machine === "" ? "" : shortHash(`${machine} ${hostname()}`, 12),
  };
}

function idIn(files: Pick<Files, "openRead">, path: string, bytesMax = ID_BYTES_MAX): string {
  try {
    const handle = files.openRead(path);
    try {
      const buffer = Buffer.alloc(bytesMax);
      const length = handle.read(buffer, { offset: 0, position: 0, length: bytesMax });
      return buffer.subarray(0, length).toString().trim();
    } finally {
      handle.close();
    }
  } catch {
    // Not Linux, or not to be read: then nobody is ever declared dead for it.
    return "";
  }
}

const STAT_BYTES_MAX = 1_024;

/** When a process began, in ticks since the boot: its id may be somebody else's by now. "" where nothing tells. */
export function startOf(files: Pick<Files, "openRead">, pid: number): string {
  const stat = idIn(files, `/proc/${pid}/stat`, STAT_BYTES_MAX);
  // The program's name, in brackets, may hold anything; 20 fields after it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
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

/** libuv has no name for "address family not supported" (97, seen under an injected refusal). */
const REFUSED = /\b(?:system error 97|EAFNOSUPPORT|EPERM|EACCES)\b/u;

/** Whether a socket of a family that only system programs need is refused; undefined where that cannot be told. */
export function refusesOddSockets(): boolean | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // Asks the kernel over a netlink socket, and needs nothing else that could be refused.
    networkInterfaces();
    return false;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return REFUSED.test(error.message) ? true : undefined;
  }
}
