// Puts one answer together from the events of the Messages API. What arrives is hostile: every field is checked,
// unknown kinds are ignored, and nothing counts before the stream has said that it is complete.
import { fieldsOf } from "../../../domain/json.ts";
import { MODEL_LIMITS } from "../../../domain/limits.ts";
import type { ModelStop, ModelText, ModelToolCall, ModelTurn, ModelUsage } from "../../../domain/models.ts";
import { parseArguments } from "../arguments.ts";

/** Why an answer cannot be used. */
export type AnswerProblem = "too-large" | "malformed";

export interface Answer {
  /** Takes one event in order. Answers what is wrong with it, if anything is. */
  take(event: unknown): AnswerProblem | undefined;
  /** The whole turn; undefined before the stream has ended by itself. */
  turn(): ModelTurn | undefined;
}

interface TextPart {
  readonly kind: "text";
  text: string;
}

interface CallPart {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  /** Arguments that came at once; some servers do not stream them. */
  readonly whole: Readonly<Record<string, unknown>> | undefined;
  json: string;
}

type Part = TextPart | CallPart;

const STOPS: ReadonlyMap<string, ModelStop> = new Map([
  ["end_turn", "done"],
  ["stop_sequence", "done"],
  ["pause_turn", "done"],
  ["tool_use", "tools"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refused"],
]);

/** Tokens of one request; more is nonsense that must not reach a sum. */
const TOKENS_MAX = 100_000_000;
/** Longest model name kept. */
const MODEL_CHARS_MAX = 200;
/** Blocks of one answer; far more than calls are looked at. */
const PARTS_MAX = 1_000;

export function createAnswer(): Answer {
  const draft: Draft = {
    parts: new Map(),
    usage: NO_USAGE,
    model: "",
    reason: undefined,
    chars: 0,
    state: "waiting",
  };
  return {
    take(event) {
      const fields = fieldsOf(event);
      const type = fields?.["type"];
      if (fields === undefined || typeof type !== "string") return "malformed";
      return TAKERS.get(type)?.(draft, fields);
    },
    turn() {
      if (draft.state !== "complete") return undefined;
      const parts = [...draft.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
      const stop = stopOf(draft.reason, parts);
      const last = parts.at(-1);
      const blocks = parts.flatMap((part) => toBlock(part, stop === "length" && part === last));
      return { blocks, stop, usage: draft.usage, model: draft.model };
    },
  };
}

/** What has arrived so far. */
interface Draft {
  readonly parts: Map<number, Part>;
  usage: ModelUsage;
  model: string;
  reason: string | undefined;
  /** Of text and arguments together. */
  chars: number;
  state: "waiting" | "open" | "complete";
}

const NO_USAGE: ModelUsage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

type Taker = (draft: Draft, event: Fields) => AnswerProblem | undefined;

/** Events of any other type are ignored. */
const TAKERS: ReadonlyMap<string, Taker> = new Map<string, Taker>([
  ["message_start", takeStart],
  ["content_block_start", takeBlock],
  ["content_block_delta", takeDelta],
  ["message_delta", takeEnd],
  ["message_stop", takeStop],
]);

function takeStart(draft: Draft, { message }: Fields): AnswerProblem | undefined {
  const start = fieldsOf(message);
  if (start === undefined) return "malformed";
  draft.state = "open";
  draft.model = typeof start["model"] === "string" ? start["model"].slice(0, MODEL_CHARS_MAX) : "";
  draft.usage = addUsage(draft.usage, start["usage"]);
  return undefined;
}

function takeBlock(draft: Draft, { index, content_block: block }: Fields): AnswerProblem | undefined {
  if (!isPlace(index)) return "malformed";
  if (draft.parts.size >= PARTS_MAX) return "too-large";
  const part = partOf(fieldsOf(block));
  if (part === "ignored") return undefined;
  if (part === undefined) return "malformed";
  draft.parts.set(index, part);
  return part.kind === "text" ? grow(draft, part, fieldsOf(block)?.["text"] ?? "") : undefined;
}

function takeDelta(draft: Draft, { index, delta }: Fields): AnswerProblem | undefined {
  const part = isPlace(index) ? draft.parts.get(index) : undefined;
  const change = fieldsOf(delta);
  if (part === undefined || change === undefined) return undefined;
  if (part.kind === "text") {
    return change["type"] === "text_delta" ? grow(draft, part, change["text"]) : undefined;
  }
  return change["type"] === "input_json_delta" ? grow(draft, part, change["partial_json"]) : undefined;
}

function takeEnd(draft: Draft, { delta, usage }: Fields): undefined {
  const stop = fieldsOf(delta)?.["stop_reason"];
  if (typeof stop === "string") draft.reason = stop;
  draft.usage = addUsage(draft.usage, usage);
}

function takeStop(draft: Draft): AnswerProblem | undefined {
  if (draft.state === "waiting") return "malformed";
  draft.state = "complete";
  return undefined;
}

function grow(draft: Draft, part: Part, piece: unknown): AnswerProblem | undefined {
  if (typeof piece !== "string") return "malformed";
  draft.chars += piece.length;
  if (draft.chars > MODEL_LIMITS.answerCharsMax) return "too-large";
  if (part.kind === "text") part.text += piece;
  else part.json += piece;
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isPlace(index: unknown): index is number {
  return Number.isSafeInteger(index);
}

/** Kinds we do not know (thinking, server tools) are `ignored`, with everything that belongs to them. */
function partOf(block: Fields | undefined): Part | "ignored" | undefined {
  if (block === undefined) return undefined;
  const { type, id, name, input } = block;
  if (type === "text") return { kind: "text", text: "" };
  if (type !== "tool_use") return "ignored";
  if (typeof id !== "string" || typeof name !== "string" || id === "") return undefined;
  return { kind: "call", id, tool: name, whole: fieldsOf(input), json: "" };
}

/** A reason nobody has heard of: the model waits for results if it asked for any. */
function stopOf(reason: string | undefined, parts: readonly Part[]): ModelStop {
  const known = reason === undefined ? undefined : STOPS.get(reason);
  return known ?? (parts.some(({ kind }) => kind === "call") ? "tools" : "done");
}

function toBlock(part: Part, mayBeTorn: boolean): (ModelText | ModelToolCall)[] {
  if (part.kind === "text") return part.text === "" ? [] : [{ kind: "text", text: part.text }];
  const { id, tool, whole, json } = part;
  // No arguments streamed: a tool without any, unless the answer was cut right there.
  const empty = mayBeTorn && Object.keys(whole ?? {}).length === 0 ? undefined : (whole ?? {});
  return [{ kind: "tool-call", id, tool, input: json === "" ? empty : parseArguments(json) }];
}

/** Counts come at the start and, as running totals, at the end; what a later event does not name stays. */
function addUsage(before: ModelUsage, counts: unknown): ModelUsage {
  const fields = fieldsOf(counts) ?? {};
  return {
    inputTokens: tokens(fields["input_tokens"]) ?? before.inputTokens,
    cacheReadTokens: tokens(fields["cache_read_input_tokens"]) ?? before.cacheReadTokens,
    cacheWriteTokens: tokens(fields["cache_creation_input_tokens"]) ?? before.cacheWriteTokens,
    outputTokens: tokens(fields["output_tokens"]) ?? before.outputTokens,
  };
}

function tokens(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 0)) return undefined;
  return Math.min(Math.floor(value), TOKENS_MAX);
}
