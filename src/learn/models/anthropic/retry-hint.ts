// What a server says about another try: whether, and when. Hostile numbers: bounded, never slept on here.
import type { Disposition } from "../../../domain/errors.ts";
import { MODEL_LIMITS } from "../../../domain/limits.ts";

export interface RetryHint {
  /** The server's own word on whether to try again. */
  readonly disposition: Disposition | undefined;
  readonly retryAfterMs: number | undefined;
}

/** By name in lower case. */
export type AnswerHeaders = ReadonlyMap<string, string>;

export function readRetryHint(headers: AnswerHeaders | undefined, now: number): RetryHint {
  const word = headers?.get("x-should-retry");
  return {
    disposition: word === "true" ? "retry" : word === "false" ? "give-up" : undefined,
    retryAfterMs: headers === undefined ? undefined : retryAfterMs(headers, now),
  };
}

function retryAfterMs(headers: AnswerHeaders, now: number): number | undefined {
  const exact = plainNumber(headers.get("retry-after-ms"));
  if (exact !== undefined) return bounded(exact);
  const header = headers.get("retry-after");
  const seconds = plainNumber(header);
  if (seconds !== undefined) return bounded(seconds * 1_000);
  // Some servers send a date; a date that has passed asks for nothing.
  const date = header === undefined || !/\d{4}/.test(header) ? Number.NaN : Date.parse(header);
  return date > now ? bounded(date - now) : undefined;
}

function plainNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function bounded(ms: number): number {
  return Math.min(Math.ceil(ms), MODEL_LIMITS.retryAfterMsMax);
}
