// Names that tell which process made them, so that what it left is known as soon as it is gone. Asks about no other process.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { randomSuffix, shortHash } from "./ids.ts";

/** Eight hex characters for this boot and its space of process ids; "" where the system does not tell. */
function spaceMark(): string {
  if (process.platform === "darwin") return shortHash(hostname(), 8);
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    return shortHash(`${boot} ${readlinkSync("/proc/self/ns/pid")}`, 8);
  } catch {
    // Then nobody's files are ever taken for a dead process's.
    return "";
  }
}

/** No two calls give the same name; it ends in `readable`. */
export function markedName(readable: string): string {
  const space = spaceMark();
  return `${space === "" ? "" : `${process.pid}.${space}.`}${randomSuffix()}-${readable}`;
}

/** The process that made this name, when its id means something here. */
export function makerOf(name: string): number | undefined {
  const [, pid, space] = /^(\d+)\.([0-9a-f]{8})\./u.exec(name) ?? [];
  return space !== undefined && space === spaceMark() ? Number(pid) : undefined;
}
