// The steps of a purge that are the journal's, for whoever puts them in order. Loaded with the first purge.
import { createBreather } from "../../system/breather.ts";
import type { Parts } from "./parts.ts";
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
}

export function purgeSteps(parts: Parts): PurgeSteps {
  const { clock } = parts;
  return {
    pastFilesNamed: (name, memoryDir) =>
      pastFilesNamed(parts, name, { memoryDir, pause: createBreather(clock) }),
    plan: (ask) => planPurge(parts, { ...ask, now: clock.now(), pause: createBreather(clock) }),
    names: (intent) => namesToPurge(parts, intent, createBreather(clock)),
    history: (intent) => purgeHistory(parts, intent, createBreather(clock)),
  };
}
