// What takes history away: purges, the end of those that a killed process left, and what is too old.
import { join } from "node:path";
import { messageOf } from "../domain/errors.ts";
import { HISTORY_LIMITS } from "../domain/limits.ts";
import type { Queue } from "../intake/queue/queue.ts";
import type { Quiet } from "../intake/watch/debounce.ts";
import type { MemoryWriter } from "../memory/journal/commit.ts";
import { finishPurges, type PurgeParts } from "../serve/answers/purge-finish.ts";
import { managerOf } from "../serve/deliver/self-test.ts";
import type { Ground } from "./ground.ts";
import { createMoving } from "./moving.ts";

type Given = Pick<PurgeParts, "catalog" | "inbox" | "ledger" | "places" | "views">;

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
  /** After a round: once a day, what of the history is too old or too much goes. Fails quietly: it is logged. */
  tidyHistory(): Promise<void>;
}

const DAY_MS = 86_400_000;

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
  async function tidyHistory(): Promise<void> {
    const { files, clock, writer, config } = parts;
    // Removed while we run: it is not made anew, and the lost lock ends us.
    if (files.look(paths.stateDir) === undefined) return;
    const stamp = join(paths.stateDir, "stamps", "history");
    const sinceMs = clock.now() - (files.look(stamp)?.mtimeMs ?? 0);
    if (sinceMs >= 0 && sinceMs < DAY_MS) return;
    const { historyDays } = config().retention;
    const removed = await (await writer.purging()).prune({ historyDays });
    if (removed > 0) log.info("memory:history-pruned", { removed });
    files.ensureFolder(join(paths.stateDir, "stamps"));
    // More is left: the next round goes on.
    if (removed < HISTORY_LIMITS.removedMax) files.replace(stamp, "", { mtimeMs: clock.now() });
  }
  return {
    tidyHistory: () =>
      tidyHistory().catch((error: unknown) =>
        log.warn("memory:history-not-pruned", { message: messageOf(error) }),
      ),
    purging,
    finishPurges: () =>
      finishPurges(purging(), (error) => log.warn("memory:not-purged", { message: messageOf(error) })),
  };
}
