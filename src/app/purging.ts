// What a purge needs of the running parts, and the end of those that a killed process left.
import { messageOf } from "../domain/errors.ts";
import type { Queue } from "../intake/queue/queue.ts";
import type { Quiet } from "../intake/watch/debounce.ts";
import type { MemoryWriter } from "../memory/journal/commit.ts";
import { finishPurges, type PurgeParts } from "../serve/answers/purge-finish.ts";
import { managerOf } from "../serve/deliver/self-test.ts";
import type { Ground } from "./ground.ts";
import { createMoving } from "./moving.ts";

type Given = Pick<PurgeParts, "catalog" | "candidates" | "ledger" | "places" | "views">;

export interface PurgingParts extends Ground, Given {
  readonly writer: MemoryWriter;
  readonly queue: Queue;
  readonly debounce: { touch(memoryDir: string, quiet: Quiet): void };
  readonly commitAsked: PurgeParts["commit"];
  due(memoryDir: string, ask: { readonly trigger: string; readonly now: boolean }): void;
}

export interface Purging {
  /** What `forget --purge` is done with. */
  purging(): PurgeParts;
  /** At start, before anything else writes. What fails is logged and tried at the next start. */
  finishPurges(): Promise<void>;
}

/** `unread`: folders with words nobody has read, and how long those wait. */
export function createPurging(parts: PurgingParts, unread: () => ReadonlyMap<string, Quiet>): Purging {
  const { log, paths, input, queue, debounce } = parts;
  const { settleJobs } = createMoving(parts, { queue, due: parts.due });
  const purging = () => ({
    ...parts,
    stateDir: paths.stateDir,
    commit: parts.commitAsked,
    settleJobs,
    readLater(memoryDir: string) {
      const quiet = unread().get(memoryDir);
      if (quiet !== undefined) debounce.touch(memoryDir, quiet);
    },
    isLogKept: () => managerOf(input) === "systemd",
  });
  return {
    purging,
    finishPurges: () =>
      finishPurges(purging(), (error) => log.warn("memory:not-purged", { message: messageOf(error) })),
  };
}
