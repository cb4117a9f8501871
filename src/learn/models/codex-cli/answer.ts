// Reads what Codex's program printed: one turn, or one named failure. Hostile text: parsed, bounded, never quoted in an
// error.
import { fieldsOf } from "../../../domain/json.ts";
import type { ModelText, ModelTurn, ModelUsage } from "../../../domain/models.ts";
import type { Instant } from "../../../domain/records.ts";
import { parseArguments } from "../arguments.ts";
import type { AnswerFacts, Fields } from "../cli/answer.ts";
import { callsIn, countIn, planLimit, statusFailure } from "../cli/answer.ts";
import type { ModelFailure, ModelFailureCode } from "../failure.ts";
import { modelFailure } from "../failure.ts";
import { limitEnd } from "../limit-notice.ts";

/** What of the printed lines is looked at. */
interface Printed {
  readonly texts: string[];
  usage: Fields | undefined;
  /** Why there is no answer, in the program's words. */
  failed: string | undefined;
  usedTools: boolean;
}

export function readAnswer(output: string, facts: AnswerFacts): ModelTurn {
  const { texts, usage, failed, usedTools } = readLines(output);
  // Nothing of it is believed: no tool was offered to it.
  if (usedTools) throw unusableProgram("used a tool");
  if (failed !== undefined) {
    const stop = STOPS.find(([sign]) => sign.test(failed))?.[1];
    if (stop === undefined) throw failureIn(failed, facts.now);
    return { blocks: [], stop, usage: wholeAnswer(facts), model: facts.request.model };
  }
  if (usage === undefined) throw unusableProgram(`exit ${facts.code ?? "by a signal"}`);
  if (texts.length === 0) throw modelFailure("model-answer-unusable", { detail: "codex, no answer" });
  const calls = callsIn(parseArguments(texts.at(-1) ?? ""), facts.request);
  const said = (calls === undefined ? texts : texts.slice(0, -1)).map((text): ModelText => ({
    kind: "text",
    text,
  }));
  return {
    blocks: [...said, ...(calls ?? [])],
    stop: calls === undefined || calls.length === 0 ? "done" : "tools",
    usage: usageOf(usage),
    model: facts.request.model,
  };
}

/** Items of an answer that only speak. */
const SPEAKS: readonly unknown[] = ["agent_message", "reasoning", "error"];

/** Tells that the program carries out what a model wanted of a tool: no more of it is run. */
export function usesTools(line: string): boolean {
  const { type, item } = parseArguments(line) ?? {};
  return typeof type === "string" && type.startsWith("item.") && !SPEAKS.includes(fieldsOf(item)?.["type"]);
}

function readLines(output: string): Printed {
  const printed: Printed = { texts: [], usage: undefined, failed: undefined, usedTools: false };
  for (const text of output.split("\n")) {
    printed.usedTools ||= usesTools(text);
    const line = parseArguments(text) ?? {};
    const item = fieldsOf(line["item"]);
    if (line["type"] === "item.completed" && item?.["type"] === "agent_message") {
      const said = item["text"];
      if (typeof said === "string" && said.trim() !== "") printed.texts.push(said);
    }
    if (line["type"] === "turn.completed") printed.usage = fieldsOf(line["usage"]) ?? {};
    if (line["type"] === "turn.failed") {
      const told = fieldsOf(line["error"])?.["message"];
      printed.failed = typeof told === "string" ? told.slice(0, NOTICE_CHARS_MAX) : "";
    }
  }
  return printed;
}

/** A notice is a sentence or two. */
const NOTICE_CHARS_MAX = 2_000;

/** What was read from a cache or written to it is part of the input here. */
function usageOf(told: Fields): ModelUsage {
  const cacheReadTokens = countIn(told, "cached_input_tokens");
  const cacheWriteTokens = countIn(told, "cache_write_input_tokens");
  return {
    inputTokens: Math.max(0, countIn(told, "input_tokens") - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: countIn(told, "output_tokens"),
  };
}

/** What a broken answer took is not told: the input is estimated, and the answer counts as all that was asked for. */
function wholeAnswer({ request }: AnswerFacts): ModelUsage {
  return { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: request.outputTokensMax };
}

const STOPS = [
  [/^Incomplete response returned, reason: max_output_tokens/u, "length"],
  [/^Incomplete response returned, reason: content_filter/u, "refused"],
] as const;

const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/u;

/** How sentences of the program itself begin (0.171.0); the server's own words stand behind them, or nowhere. */
const BY_PHRASE: readonly (readonly [RegExp, ModelFailureCode])[] = [
  [
    /^Codex ran out of room in the model's context window|^Input exceeds the maximum length/u,
    "model-too-long",
  ],
  [/^Selected model is at capacity/u, "model-overloaded"],
  [/^rate limit exceeded/iu, "model-rate-limited"],
  [/^Quota exceeded|^To use Codex with your ChatGPT plan/u, "model-credit"],
  [
    /^Your access token could not be refreshed|^Not logged in|^workspace routing discovery failed/iu,
    "model-login",
  ],
  [/^stream disconnected before completion: (?:stream closed|.*idle timeout)/u, "model-stream-cut"],
  [/^stream disconnected before completion: error sending request|^Connection failed/u, "model-unreachable"],
  [/^stream disconnected/u, "model-server-error"],
  [/^timeout waiting|^request timed out/iu, "model-timeout"],
];

function failureIn(notice: string, now: Instant): ModelFailure {
  const until = limitEnd(withZone(notice), { now, ...endOn(notice) });
  if (until !== undefined) return planLimit(until, now);
  const status = STATUS.exec(notice)?.[1];
  if (status !== undefined) return statusFailure(Number(status), "codex");
  const phrase = BY_PHRASE.find(([sign]) => sign.test(notice))?.[1];
  return modelFailure(phrase ?? "model-answer-unusable", { detail: "codex, an error" });
}

const TIME_AT_END = /\b(try again at [^.]* ?[ap]m)\.?$/iu;
/** `Dec 4th, 2026 7:40 AM`: a limit that ends on another day. */
const DAY_AT_END =
  /^You(?:'|\u2019)ve hit your usage limit.* try again at ([a-z]{3} \d{1,2})\w\w, (\d{4} [\d:]{4,5} [ap]m)\.?$/iu;

/** The program tells its local time, which we made UTC. */
function withZone(notice: string): string {
  return notice.replace(TIME_AT_END, "$1 (UTC)");
}

function endOn(notice: string): { readonly resetsAt?: number } {
  const [, day, time] = DAY_AT_END.exec(notice) ?? [];
  const at = Date.parse(`${day}, ${time} UTC`);
  return Number.isNaN(at) ? {} : { resetsAt: at / 1_000 };
}

function unusableProgram(what: string): ModelFailure {
  return modelFailure("model-program-unusable", { detail: `codex, ${what}` });
}
