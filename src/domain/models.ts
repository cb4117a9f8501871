// What a model is asked and what it answers, whoever the provider is. No provider's own format crosses this file.

/** JSON Schema of a tool's arguments. */
export type ToolSchema = Readonly<Record<string, unknown>>;

/** A function offered to the model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
}

export interface ModelText {
  readonly kind: "text";
  readonly text: string;
}

/** The model asks for one use of a tool. */
export interface ModelToolCall {
  readonly kind: "tool-call";
  /** Joins the call with its result; unique within a run. */
  readonly id: string;
  readonly tool: string;
  /** Parsed arguments, unchecked; undefined when what the model sent is no JSON object. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
}

/** What we answer to a tool call. An error is something the model can mend. */
export interface ToolResultBlock {
  readonly kind: "tool-result";
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

export type ModelMessage =
  | { readonly role: "user"; readonly blocks: readonly (ModelText | ToolResultBlock)[] }
  | { readonly role: "assistant"; readonly blocks: readonly (ModelText | ModelToolCall)[] };

/** One request. `system` and `tools` are the stable prefix that a provider may keep in its cache. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly ModelMessage[];
  readonly outputTokensMax: number;
}

/** Tokens of one request. The three input counts add up to everything the model read. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/**
 * Why the model stopped. `done`: it has nothing more to say; `tools`: it waits for results; `length`: cut at
 * `outputTokensMax`, its last call may be torn; `refused`: the provider or the model declined.
 */
export type ModelStop = "done" | "tools" | "length" | "refused";

/** One whole answer. A broken stream is an error, never a short turn. */
export interface ModelTurn {
  readonly blocks: readonly (ModelText | ModelToolCall)[];
  readonly stop: ModelStop;
  readonly usage: ModelUsage;
  /** The model that answered, as the provider names it. */
  readonly model: string;
}

/**
 * A provider. `complete` sends one request and retries nothing. It rejects with an `AppError` whose code names
 * the failure (see `learn/models/README.md`) or, after an abort, with the signal's reason. No error holds a key.
 */
export interface ModelClient {
  readonly provider: string;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelTurn>;
}

/** Everything a request made the model read, cache reads included. */
export function inputTokensOf(usage: ModelUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
