// Reads what Claude Code's program printed: one turn, or one named failure. Hostile text: parsed, bounded, never quoted
// in an error.
import { fieldsOf } from "../../../domain/json.ts";
import type { ModelStop, ModelText, ModelTurn, ModelUsage } from "../../../domain/models.ts";
import { parseArguments } from "../arguments.ts";
import type { AnswerFacts, Fields } from "../cli/answer.ts";
import { callsIn, countIn, planLimit, statusFailure } from "../cli/answer.ts";
import type { ModelFailure, ModelFailureCode } from "../failure.ts";
import { modelFailure } from "../failure.ts";
import { limitEnd } from "../limit-notice.ts";

/** What of the printed lines is looked at. */
interface Printed {
  /** Answers of the model, by the order of their first block. */
  readonly answers: Map<string, Answer>;
  /** The program's own account of the run. */
  result: Fields | undefined;
  /** When a limit that was reached ends, in seconds. */
  resetsAt: unknown;
}

interface Answer {
  readonly texts: string[];
  readonly model: string;
  readonly usage: Fields;
}

export function readAnswer(output: string, facts: AnswerFacts): ModelTurn {
  const printed = readLines(output);
  const { result, answers } = printed;
  const [first] = answers.values();
  // More than one answer: the first was cut at its length, and the program went on by itself.
  if (answers.size > 1 && first !== undefined) return cutTurn(first, facts);
  if (result === undefined) {
    throw modelFailure("model-program-unusable", { detail: `claude, exit ${facts.code ?? "by a signal"}` });
  }
  if (result["stop_reason"] === "refusal") return turnOf([], { stop: "refused", result, first, facts });
  const texts = (first?.texts ?? []).map((text): ModelText => ({ kind: "text", text }));
  const calls = callsIn(result["structured_output"], facts.request);
  if (calls !== undefined) {
    const stop = calls.length === 0 ? "done" : "tools";
    return turnOf([...texts, ...calls], { stop, result, first, facts });
  }
  const failure = failureIn(printed, facts);
  if (failure !== undefined) throw failure;
  // It only talked; there is nothing more to do then.
  return turnOf(texts, { stop: "done", result, first, facts });
}

/** Tells at which line the program begins a second answer, which nobody asked for. */
export function goesOnByItself(): (line: string) => boolean {
  let first: string | undefined;
  return (line) => {
    const id = answerId(parseArguments(line));
    first ??= id;
    return id !== undefined && id !== first;
  };
}

/** The program's own words, such as a notice, stand in answers of this model. */
const NO_MODEL = "<synthetic>";

function answerId(line: Fields | undefined): string | undefined {
  const message = line?.["type"] === "assistant" ? fieldsOf(line["message"]) : undefined;
  if (message === undefined || message["model"] === NO_MODEL) return undefined;
  return typeof message["id"] === "string" ? message["id"] : undefined;
}

function readLines(output: string): Printed {
  const printed: Printed = { answers: new Map(), result: undefined, resetsAt: undefined };
  for (const text of output.split("\n")) {
    const line = parseArguments(text);
    if (line?.["type"] === "result") printed.result = line;
    if (line?.["type"] === "rate_limit_event") {
      const info = fieldsOf(line["rate_limit_info"]);
      if (info?.["status"] === "rejected") printed.resetsAt = info["resetsAt"];
    }
    const id = answerId(line);
    if (id !== undefined) addAnswer(printed.answers, id, fieldsOf(line?.["message"]) ?? {});
  }
  return printed;
}

function addAnswer(answers: Printed["answers"], id: string, message: Fields): void {
  const { content, model, usage } = message;
  const known = answers.get(id) ?? {
    texts: [],
    model: typeof model === "string" ? model : "",
    usage: fieldsOf(usage) ?? {},
  };
  answers.set(id, known);
  for (const block of Array.isArray(content) ? content : []) {
    const text = fieldsOf(block)?.["text"];
    if (typeof text === "string" && text.trim() !== "") known.texts.push(text);
  }
}

interface TurnFacts {
  readonly stop: ModelStop;
  readonly result: Fields;
  readonly first: Answer | undefined;
  readonly facts: AnswerFacts;
}

function turnOf(blocks: ModelTurn["blocks"], { stop, result, first, facts }: TurnFacts): ModelTurn {
  const usage = usageOf(fieldsOf(result["usage"]) ?? {});
  return { blocks, stop, usage, model: first?.model ?? facts.request.model };
}

/** What the answer took is told at its end only, which was not waited for: all that was asked for. */
function cutTurn({ texts, model, usage }: Answer, { request }: AnswerFacts): ModelTurn {
  return {
    blocks: texts.map((text) => ({ kind: "text", text })),
    stop: "length",
    usage: { ...usageOf(usage), outputTokens: request.outputTokensMax },
    model,
  };
}

function usageOf(told: Fields): ModelUsage {
  return {
    inputTokens: countIn(told, "input_tokens"),
    cacheReadTokens: countIn(told, "cache_read_input_tokens"),
    cacheWriteTokens: countIn(told, "cache_creation_input_tokens"),
    outputTokens: countIn(told, "output_tokens"),
  };
}

/** Phrases of the program itself, by both versions. Looked for in its own notices only. */
const BY_PHRASE: readonly (readonly [RegExp, ModelFailureCode])[] = [
  [/not logged in|run \/login|invalid api key|oauth|failed to authenticate/iu, "model-login"],
  [/credit balance/iu, "model-credit"],
  [/prompt is too long/iu, "model-too-long"],
  [/overloaded/iu, "model-overloaded"],
  [/timed? ?out/iu, "model-timeout"],
  [/connection|ECONN|unable to connect|ENOTFOUND|certificate/iu, "model-unreachable"],
];
/** A notice is a sentence or two. */
const NOTICE_CHARS_MAX = 2_000;

/** Why there is no answer; undefined for a model that only talked. */
function failureIn(
  { result = {}, answers, resetsAt }: Printed,
  facts: AnswerFacts,
): ModelFailure | undefined {
  const { api_error_status: status, result: told, subtype, is_error: isError } = result;
  const notice = typeof told === "string" ? told.slice(0, NOTICE_CHARS_MAX) : "";
  // Beside a model's own words a notice is nothing but words.
  const isSpoken = answers.size > 0;
  if (!isSpoken || isError === true) {
    const until = limitEnd(isSpoken ? "" : notice, { resetsAt, now: facts.now });
    if (until !== undefined) return planLimit(until, facts.now);
  }
  if (isError !== true) return isSpoken ? undefined : unusable("no answer");
  // The one turn it was given is over, with words only.
  if (subtype === "error_max_turns" && isSpoken) return undefined;
  if (typeof subtype === "string" && subtype.startsWith("error_")) return unusable("no list of calls");
  const phrase = BY_PHRASE.find(([sign]) => sign.test(notice))?.[1];
  // The server's own words may stand behind its status; these two alone are told by words only.
  const isTold = phrase === "model-too-long" || phrase === "model-credit";
  if (typeof status === "number" && !isTold) return statusFailure(status, "claude");
  if (phrase === "model-unreachable" && isSpoken)
    return modelFailure("model-stream-cut", { detail: "claude" });
  return phrase === undefined ? unusable("an error") : modelFailure(phrase, { detail: "claude" });
}

function unusable(what: string): ModelFailure {
  return modelFailure("model-answer-unusable", { detail: `claude, ${what}` });
}
