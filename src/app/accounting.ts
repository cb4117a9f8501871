// Joins the answers by which engramd accounts for what it did with the parts: runs that can be ended, folders to be
// read later. Decides nothing.
import type { Quiet } from "../intake/watch/debounce.ts";
import type { Queue } from "../intake/queue/queue.ts";
import type { CurrentRun } from "../domain/status.ts";
import type { AccountInput } from "../serve/answers/account.ts";
import { currentRuns } from "../serve/answers/cancel.ts";
import type { Ground } from "./ground.ts";

type Given = Omit<
  AccountInput,
  "cancelJob" | "commit" | "hold" | "learns" | "queue" | "readLater" | "stateDir"
>;

export interface AccountingParts extends Given, Pick<Ground, "config" | "paths"> {
  readonly queue: Queue;
  readonly debounce: { touch(memoryDir: string, quiet: Quiet): void };
  readonly commitAsked: AccountInput["commit"];
  /** Folders whose run a person cancelled: no round asks for them again. */
  readonly held: Set<string>;
}

export interface Accounting {
  readonly account: AccountInput;
  currentRuns(): readonly CurrentRun[];
}

/** `unread`: folders with words nobody has read, and how long those wait. */
export function createAccounting(
  parts: AccountingParts,
  unread: () => ReadonlyMap<string, Quiet>,
): Accounting {
  const { queue, debounce, held, config, paths } = parts;
  const describe = () => queue.describe();
  return {
    account: {
      ...parts,
      stateDir: paths.stateDir,
      queue: describe,
      commit: parts.commitAsked,
      learns: () => config().extract.enabled,
      cancelJob: (key, why) => queue.cancel(key, why),
      hold: (memoryDir) => void held.add(memoryDir),
      readLater(memoryDir) {
        const quiet = unread().get(memoryDir);
        if (quiet !== undefined) debounce.touch(memoryDir, quiet);
      },
    },
    currentRuns: () => currentRuns({ ...parts, queue: describe }),
  };
}
