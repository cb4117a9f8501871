// Counts what a run has made the model read and whether one more request fits. Estimates are mended by real usage.
import { estimateTokens } from "../../domain/tokens.ts";
import { inputTokensOf, type ModelMessage, type ModelUsage, type ToolSpec } from "../../domain/models.ts";

export interface Spending {
  /** Whether a request of this estimate stays within the bound; exactly the bound is within. */
  fits(estimate: number): boolean;
  add(estimate: number, usage: ModelUsage): void;
  usage(): ModelUsage;
  /** What counts against the bound: real input tokens, or the estimate where a provider tells none. */
  inputTokens(): number;
}

const NOTHING: ModelUsage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

export function createSpending({
  inputTokensMax,
  spentTokens,
}: {
  readonly inputTokensMax: number;
  /** What the job's earlier runs took of the same bound. */
  readonly spentTokens: number;
}): Spending {
  let usage = NOTHING;
  let charged = 0;
  /** Of the requests whose real size is known. */
  let real = 0;
  let estimated = 0;
  const corrected = (estimate: number) => Math.ceil(real === 0 ? estimate : (estimate * real) / estimated);
  return {
    fits: (estimate) => spentTokens + charged + corrected(estimate) <= inputTokensMax,
    add(estimate, one) {
      usage = sum(usage, one);
      const told = inputTokensOf(one);
      charged += told > 0 ? told : corrected(estimate);
      if (told <= 0 || estimate <= 0) return;
      real += told;
      estimated += estimate;
    },
    usage: () => usage,
    inputTokens: () => charged,
  };
}

export function estimatePrefix(system: string, tools: readonly ToolSpec[]): number {
  return estimateTokens(system) + estimateTokens(JSON.stringify(tools));
}

export function estimateMessage(message: ModelMessage): number {
  let tokens = 0;
  for (const block of message.blocks) {
    tokens += estimateTokens(
      block.kind === "tool-call" ? `${block.tool}${JSON.stringify(block.input ?? {})}` : block.text,
    );
  }
  return tokens;
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
