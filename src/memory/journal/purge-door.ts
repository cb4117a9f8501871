// How the writer offers purges: what is not done yet, and the steps, which are loaded with the first of them.
import { loadLate } from "../../system/late-module.ts";
import type { Parts } from "./parts.ts";
import { createPurgeIntents, type PurgeIntents } from "./purge-intents.ts";
import type { PurgeSteps } from "./purge-steps.ts";

export interface PurgeDoor {
  /** What a person wants purged and is not done yet. */
  readonly purges: PurgeIntents;
  purging(): Promise<PurgeSteps>;
}

export function createPurgeDoor(parts: Parts): PurgeDoor {
  return {
    purges: createPurgeIntents(parts),
    purging: async () => (await loadLate(() => import("./purge-steps.ts"))).purgeSteps(parts),
  };
}
