// What the answers of such programs have in common: the calls in their frame, and failures by status and by a limit.
// Hostile text: parsed, bounded, never quoted in an error.
import { fieldsOf } from "../../../domain/json.ts";
import type { ModelRequest, ModelToolCall } from "../../../domain/models.ts";
import type { Instant } from "../../../domain/records.ts";
import { parseArguments } from "../arguments.ts";
import type { ModelFailure, ModelFailureCode } from "../failure.ts";
import { modelFailure } from "../failure.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface AnswerFacts {
  readonly request: ModelRequest;
  readonly now: Instant;
  /** Exit code of the program. */
  readonly code: number | null;
}

/**
 * Undefined when there is no such list. Each call has an id no other turn of the run can have. Arguments are an object, or
 * one written as text where the program's frame takes no free object.
 */
export function callsIn(value: unknown, { messages }: ModelRequest): readonly ModelToolCall[] | undefined {
  const calls = fieldsOf(value)?.["calls"];
  if (!Array.isArray(calls)) return undefined;
  return calls.map((one: unknown, at): ModelToolCall => {
    const { tool, arguments: input } = fieldsOf(one) ?? {};
    return {
      kind: "tool-call",
      id: `call_${messages.length}_${at}`,
      tool: typeof tool === "string" ? tool : "",
      input: typeof input === "string" ? parseArguments(input) : fieldsOf(input),
    };
  });
}

/** How many there are of a kind of token; zero where it is not told. */
export function countIn(told: Fields, name: string): number {
  const value = told[name];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

const BY_STATUS: readonly (readonly [number, number, ModelFailureCode])[] = [
  // The first that fits.
  [402, 402, "model-credit"],
  [401, 403, "model-login"],
  [404, 404, "model-not-found"],
  [408, 408, "model-timeout"],
  [413, 413, "model-too-long"],
  [429, 429, "model-rate-limited"],
  [529, 529, "model-overloaded"],
  [400, 499, "model-request-rejected"],
  [500, 599, "model-server-error"],
];

/** What a status of the server means, by a login that is the person's. */
export function statusFailure(status: number, name: string): ModelFailure {
  const code = BY_STATUS.find(([from, to]) => status >= from && status <= to)?.[2];
  return modelFailure(code ?? "model-server-error", { detail: `${name}, ${status}` });
}

/** A limit of the plan, closed until then. */
export function planLimit(until: Instant, now: Instant): ModelFailure {
  const detail = `until ${new Date(until).toISOString()}`;
  return modelFailure("model-plan-limit", { detail, retryAfterMs: until - now });
}
