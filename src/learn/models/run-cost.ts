// Sums of what a run cost, request by request. Pure.
import { inputTokensOf, type ModelUsage } from "../../domain/models.ts";
import type { RunCost } from "./ledger.ts";

export const NO_COST: RunCost = { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

export function tokensOf({
  inputTokens,
  outputTokens,
}: Pick<RunCost, "inputTokens" | "outputTokens">): number {
  return inputTokens + outputTokens;
}

export function withRequest(
  cost: RunCost,
  { usage, usd }: { readonly usage: ModelUsage; readonly usd: number },
): RunCost {
  return {
    ...cost,
    requests: cost.requests + 1,
    inputTokens: cost.inputTokens + inputTokensOf(usage),
    outputTokens: cost.outputTokens + usage.outputTokens,
    usd: cost.usd + usd,
  };
}
