// What one job has spent so far, over all its runs. Counts; decides nothing.
import type { ModelUsage } from "../../../domain/models.ts";
import { inputTokensOf } from "../../../domain/models.ts";
import type { RunCost } from "../../models/ledger.ts";

export interface JobCost {
  /** Counts one answered request. */
  add(usage: ModelUsage, usd: number | undefined): void;
  sum(): RunCost;
}

export function createJobCost(): JobCost {
  let cost: RunCost = { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
  return {
    add(usage, usd) {
      cost = {
        requests: cost.requests + 1,
        inputTokens: cost.inputTokens + inputTokensOf(usage),
        outputTokens: cost.outputTokens + usage.outputTokens,
        usd: cost.usd + (usd ?? 0),
      };
    },
    sum: () => cost,
  };
}
