// Asks a memory folder whether it can be written, before anybody pays for work whose result it could not take.
import { join } from "node:path";
import { type Files, TEMPORARY_PREFIX } from "../../system/files.ts";
import { randomSuffix } from "../../system/ids.ts";
import { onDisk } from "./failures.ts";

/** Throws `memory-unwritable` or `memory-failed` (retry). A folder that does not exist yet passes: a commit makes it. */
export function assertWritable(files: Files, memoryDir: string): void {
  onDisk({ what: "memory", path: memoryDir }, () => {
    if (files.follow(memoryDir) === undefined) return;
    // Permission bits do not tell about full disks, quotas, read-only mounts.
    const probe = join(memoryDir, `${TEMPORARY_PREFIX}${randomSuffix()}-probe`);
    files.createExclusive(probe, "may this folder be written?\n");
    files.remove(probe);
  });
}
