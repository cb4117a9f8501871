// Whether a process id that somebody left in a folder is one this process can look up. Never asks about a process itself.
import { statfsSync } from "node:fs";
import { systemCode } from "../domain/errors.ts";
import type { Files } from "./files.ts";
import type { ProcessSpace } from "./process.ts";

/** The kernel's own name for the ids of a machine that is no container (a constant of Linux). */
const MACHINE_IDS = "pid:[4026531836]";
/** Kinds of file systems (`man 2 statfs`) that another machine may have open: NFS, SMB, 9p, FUSE, AFS, Ceph, VirtualBox. */
const SHARED_KINDS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x5346414f, 0x00c36400, 0x786f4256,
]);

/**
 * False where others, of another machine or outside of this container, may have written the id: then nobody can be
 * declared dead for it. Only Linux tells.
 */
export function reachesWriters(
  files: Pick<Files, "follow">,
  { folder, space }: { readonly folder: string; readonly space: ProcessSpace },
): boolean {
  if (SHARED_KINDS.has(kindOf(folder))) return false;
  if (!space.ids.startsWith("pid:") || space.ids === MACHINE_IDS) return true;
  // What is not of the container's own disk was brought in from outside.
  return deviceOf(files, folder) === deviceOf(files, "/");
}

function kindOf(folder: string): number {
  if (process.platform !== "linux") return 0;
  try {
    return statfsSync(folder).type >>> 0;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 0;
  }
}

function deviceOf(files: Pick<Files, "follow">, path: string): string | undefined {
  return files.follow(path)?.fileId.split(":")[0];
}
