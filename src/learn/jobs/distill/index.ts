// The distillation job kind: the daily logs of one memory folder into memories. Starts nothing by itself.
import type { ConsolidationReply } from "../../../domain/consolidation.ts";
import type { DistillAsk, DistillDeps } from "./contract.ts";
import { distillFolder } from "./steps.ts";

export interface DistillJob {
  /**
   * Distils what is new. Rejects with what broke, after the folder was given back; what was committed until then stays
   * and is not read again.
   */
  run(ask: DistillAsk): Promise<ConsolidationReply>;
}

export function createDistillJob(deps: DistillDeps): DistillJob {
  return { run: (ask) => distillFolder(ask, deps) };
}
