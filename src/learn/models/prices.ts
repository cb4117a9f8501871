// Model ids and what they cost, in one dated table. Nothing else in the program names a model or a price.
import type { ModelUsage } from "../../domain/models.ts";
import type { Instant } from "../../domain/records.ts";

/** The day the table was last compared with the vendor's price list and list of retirements. */
export const PRICES_AS_OF = "2026-11-30";

/** US dollars for a million tokens. Cache writes at the five-minute rate, the one we ask for. */
export interface Price {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export type ModelClass = "small" | "middle";

/** What the words of the configuration stand for. */
const CLASSES: Readonly<Record<ModelClass, string>> = {
  small: "claude-haiku-4-5",
  middle: "claude-sonnet-4-6",
};

/** And with a login of Codex, by the list its program 0.171.0 carries. They have no price: they are part of a plan. */
const CODEX_CLASSES: Readonly<Record<ModelClass, string>> = {
  small: "gpt-6-luna",
  middle: "gpt-6.2-sol",
};

const PRICES: ReadonlyMap<string, Price> = new Map([
  ["claude-haiku-4-5", { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }],
  ["claude-sonnet-4-6", { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }],
  // No default any more: its vendor switches it off on 2026-11-30.
  ["claude-sonnet-4-5", { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }],
]);

/** Models their vendor switches off: from that day on (UTC) no request is sent, and what takes their place. */
const RETIRED: ReadonlyMap<string, Pick<Retired, "since" | "use">> = new Map([
  ["claude-sonnet-4-5", { since: "2026-11-30", use: CLASSES.middle }],
]);

/** A model that its vendor has switched off. */
export interface Retired {
  readonly model: string;
  /** `YYYY-MM-DD` */
  readonly since: string;
  /** The model to use instead. */
  readonly use: string;
}

/**
 * Assumed for a model that is not in the table, so that ceilings hold for it too: five times the vendor's middle class,
 * what its dearest class cost at first. As of `PRICES_AS_OF`, dearer than every price above.
 */
export const UNKNOWN_PRICE: Price = { input: 15, cacheRead: 1.5, cacheWrite: 18.75, output: 75 };

const TOKENS_PER_PRICE = 1_000_000;
/** Vendors answer with the dated id of the model that was asked for by its short one. */
const DATE_AT_END = /-\d{8}$/;

/** The model id behind a configured `small`, `middle` or id, for this provider. */
export function resolveModel(configured: string, provider?: string): string {
  const classes = provider === "codex-cli" ? CODEX_CLASSES : CLASSES;
  return configured === "small" || configured === "middle" ? classes[configured] : configured;
}

export function priceOf(model: string): Price | undefined {
  return PRICES.get(model.replace(DATE_AT_END, ""));
}

/** Whether the cost of a model is known; for any other one `costUsd` assumes too much rather than too little. */
export function isPriced(model: string): boolean {
  return priceOf(model) !== undefined;
}

/** Set when the vendor has switched the model off by now, as far as the table knows. */
export function retiredModel(model: string, now: Instant): Retired | undefined {
  const found = RETIRED.get(model.replace(DATE_AT_END, ""));
  return found === undefined || now < Date.parse(found.since) ? undefined : { model, ...found };
}

/** Money of one request to a paid provider. */
export function costUsd(model: string, usage: ModelUsage): number {
  const price = priceOf(model) ?? UNKNOWN_PRICE;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const sum =
    inputTokens * price.input +
    cacheReadTokens * price.cacheRead +
    cacheWriteTokens * price.cacheWrite +
    outputTokens * price.output;
  return sum / TOKENS_PER_PRICE;
}
