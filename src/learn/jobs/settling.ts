// Whether somebody else changed a memory folder a moment ago: then a job waits, so that what they wrote stands
// in the folder it reads. Looks at times only.
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";

export interface Settling {
  /** When the folder will have settled; undefined when it has. */
  until(memoryDir: string): Instant | undefined;
  /** Our own writes settle nothing. */
  wroteOurselves(memoryDir: string): void;
}

export function createSettling(deps: {
  readonly files: Files;
  readonly clock: Clock;
  settleMs(): number;
}): Settling {
  const own = new Map<string, Instant>();
  return {
    until(memoryDir) {
      const changedAt = newestChange(deps.files, memoryDir);
      const now = deps.clock.now();
      // A time ahead of the clock was set under a wrong one and says nothing.
      if (changedAt === undefined || changedAt > now || changedAt <= (own.get(memoryDir) ?? 0))
        return undefined;
      const settledAt = changedAt + deps.settleMs();
      return settledAt > now ? settledAt : undefined;
    },
    wroteOurselves: (memoryDir) => void own.set(memoryDir, deps.clock.now()),
  };
}

/** Change times of the folder's Markdown files; the folder's own time also moves with foreign temporary files. */
function newestChange(files: Files, memoryDir: string): Instant | undefined {
  const names = (files.names(memoryDir) ?? []).filter((name) => name.endsWith(".md"));
  let newest: Instant | undefined;
  for (const name of names.slice(0, MEMORY_LIMITS.folderFilesMax)) {
    const ctimeMs = files.look(`${memoryDir}/${name}`)?.ctimeMs;
    if (ctimeMs !== undefined && ctimeMs > (newest ?? 0)) newest = ctimeMs;
  }
  return newest;
}
