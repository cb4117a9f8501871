// What takes history away: the steps of a purge, for whoever puts them in order, and what is too old. Loaded when first
// needed.
import { createBreather } from "../../system/breather.ts";
import type { Parts } from "./parts.ts";
import { pruneHistory, type PruneAsk } from "./prune.ts";
import type { PurgeIntent } from "./purge-intents.ts";
import { pastFilesNamed, type PlanAsk, planPurge } from "./purge-plan.ts";
import { namesToPurge, purgeHistory, type Purged } from "./purge.ts";

export interface PurgeSteps {
  /** Files there no more that a name may mean: memories of before, and purged ones. */
  pastFilesNamed(name: string, memoryDir: string): Promise<readonly string[]>;
  plan(ask: Omit<PlanAsk, "now" | "pause">): Promise<PurgeIntent>;
  /** The intent's names as far as they still stand anywhere; ask before `history`. */
  names(intent: PurgeIntent): Promise<ReadonlySet<string>>;
  /** Takes it out of history, evidence and listing, and sees to it that it stays away. */
  history(intent: PurgeIntent): Promise<Purged>;
  /** Removes what of the history is too old or too much; answers how many change sets. */
  prune(ask: PruneAsk): Promise<number>;
}

export function purgeSteps(parts: Parts): PurgeSteps {
  const { clock } = parts;
  return {
    pastFilesNamed: (name, memoryDir) =>
      pastFilesNamed(parts, name, { memoryDir, pause: createBreather(clock) }),
    plan: (ask) => planPurge(parts, { ...ask, now: clock.now(), pause: createBreather(clock) }),
    names: (intent) => namesToPurge(parts, intent, createBreather(clock)),
    history: (intent) => purgeHistory(parts, intent, createBreather(clock)),
    prune: (ask) => pruneHistory(parts, ask),
  };
}
