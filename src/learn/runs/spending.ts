// Counts what a run has made the model read and whether one more request fits. Estimates are mended by real usage;
// figures that cannot be true are never counted as they are told.
import { estimateTokens } from "../../domain/tokens.ts";
import { inputTokensOf, type ModelMessage, type ModelUsage, type ToolSpec } from "../../domain/models.ts";

/** How large a request is. */
export interface RequestSize {
  /** Estimated. */
  readonly tokens: number;
  /** Everything that is sent. */
  readonly chars: number;
}

/** One request whose answer has come. */
export interface Answered {
  readonly size: RequestSize;
  /** As the provider tells it. */
  readonly told: ModelUsage;
  /** The answer itself, where the provider does not tell its length. */
  readonly answerTokens: number;
  readonly outputTokensMax: number;
}

export interface Spending {
  /** Whether a request of this size stays within the bound; exactly the bound is within. */
  fits(size: RequestSize): boolean;
  /** Input tokens a request of this size is likely to count. */
  expected(size: RequestSize): number;
  /** Counts a request; answers the figures that were counted. */
  add(answered: Answered): ModelUsage;
  /** What a request counts whose answer never came whole: what it was sent may have been read and is paid for. */
  unanswered(size: RequestSize): ModelUsage;
  usage(): ModelUsage;
  /** What counts against the bound. */
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
  /** Of the requests whose real size is known. */
  let real = 0;
  let estimated = 0;
  const corrected = ({ tokens }: RequestSize) => Math.ceil(real === 0 ? tokens : (tokens * real) / estimated);
  return {
    fits: (size) => spentTokens + inputTokensOf(usage) + corrected(size) <= inputTokensMax,
    expected: corrected,
    add({ size, told, answerTokens, outputTokensMax }) {
      const one = plausibleUsage(told, {
        inputTokens: corrected(size),
        answerTokens,
        charsSent: size.chars,
        outputTokensMax,
      });
      usage = sum(usage, one);
      if (tellsInput(told) && size.tokens > 0) {
        real += inputTokensOf(one);
        estimated += size.tokens;
      }
      return one;
    },
    unanswered: (size) => ({ ...NOTHING, inputTokens: corrected(size) }),
    usage: () => usage,
    inputTokens: () => inputTokensOf(usage),
  };
}

/** Tokens a server may read beside what it is sent; the most its vendor names for tools is 530. */
const SERVER_TOKENS_MAX = 4_000;
/** Tokens of an answer beyond those asked for: its end mark and the frames of its calls. */
const OUTPUT_EXTRA_TOKENS = 100;

/** What is known of a request without its provider. */
export interface UsageBounds {
  /** Estimates, which count where the provider tells nothing. */
  readonly inputTokens: number;
  readonly answerTokens: number;
  /** A token has at least one character, so that no more tokens can have been read. */
  readonly charsSent: number;
  readonly outputTokensMax: number;
}

/**
 * The figures of one request as they may be counted: the estimate for what is not told, and no more than the request
 * and its answer can have held. Dear tokens are kept before cheap ones.
 */
export function plausibleUsage(told: ModelUsage, bounds: UsageBounds): ModelUsage {
  const outputTokens = Math.min(
    count(told.outputTokens) || bounds.answerTokens,
    answerTokensMax(bounds.outputTokensMax),
  );
  if (!tellsInput(told)) return { ...NOTHING, inputTokens: bounds.inputTokens, outputTokens };
  let left = bounds.charsSent + SERVER_TOKENS_MAX;
  const take = (tokens: number) => {
    const taken = Math.min(count(tokens), left);
    left -= taken;
    return taken;
  };
  return {
    cacheWriteTokens: take(told.cacheWriteTokens),
    inputTokens: take(told.inputTokens),
    cacheReadTokens: take(told.cacheReadTokens),
    outputTokens,
  };
}

/** The most an answer counts that was asked for with this bound. */
export function answerTokensMax(outputTokensMax: number): number {
  return outputTokensMax + OUTPUT_EXTRA_TOKENS;
}

function tellsInput({ inputTokens, cacheReadTokens, cacheWriteTokens }: ModelUsage): boolean {
  return [inputTokens, cacheReadTokens, cacheWriteTokens].some((tokens) => count(tokens) > 0);
}

/** Zero for everything that counts nothing: negative, no number at all. */
function count(tokens: number): number {
  return tokens > 0 ? Math.ceil(tokens) : 0;
}

export function sizeOfPrefix(system: string, tools: readonly ToolSpec[]): RequestSize {
  return sizeOf([system, JSON.stringify(tools)]);
}

export function sizeOfMessage({ blocks }: ModelMessage): RequestSize {
  return sizeOf(
    blocks.map((block) =>
      block.kind === "tool-call" ? `${block.tool}${JSON.stringify(block.input ?? {})}` : block.text,
    ),
  );
}

export function together(a: RequestSize, b: RequestSize): RequestSize {
  return { tokens: a.tokens + b.tokens, chars: a.chars + b.chars };
}

function sizeOf(texts: readonly string[]): RequestSize {
  return texts
    .map((text) => ({ tokens: estimateTokens(text), chars: text.length }))
    .reduce(together, { tokens: 0, chars: 0 });
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
