// One run: a bounded conversation with a model over a stage. Sends requests and performs tool calls; never commits,
// never retries, and never runs past its turns, its tokens or its signal.
import type { MemoryChange } from "../../domain/changes.ts";
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type {
  ModelClient,
  ModelMessage,
  ModelRequest,
  ModelStop,
  ModelTurn,
  ModelUsage,
} from "../../domain/models.ts";
import { mayBeBilled } from "../models/failure.ts";
import { type Denied, performCalls, type PerformedCalls, toolCallsOf } from "./calls.ts";
import { safeAnswer } from "./rendering.ts";
import {
  answerTokensMax,
  createSpending,
  type RequestSize,
  sizeOfMessage,
  type Spending,
  together,
} from "./spending.ts";
import type { Stage } from "./stage.ts";
import type { Tool } from "./tools/tool.ts";

export interface RunLimits {
  /** Answers, which are requests too. */
  readonly turnsMax: number;
  /** Over all requests of the job, cache reads included; a request that would pass it is not sent. */
  readonly inputTokensMax: number;
  /** What earlier runs of the same job took of `inputTokensMax`. Default 0. */
  readonly spentTokens?: number;
  /** Default `MODEL_LIMITS.outputTokensMax`. */
  readonly outputTokensMax?: number;
}

/** Plain facts about one answer, for events; nothing the model or a person wrote but tool names. */
export interface TurnReport {
  readonly turn: number;
  readonly stop: ModelStop;
  readonly calls: number;
  readonly errors: number;
  readonly denied: readonly Denied[];
}

/** What the next request may use. */
export interface Allowance {
  /** Estimated, mended by what the run's earlier requests really were. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface RunOptions {
  readonly client: ModelClient;
  /** `system` holds no transcript text; `prompt` holds only rendered text. */
  readonly request: { readonly model: string; readonly system: string; readonly prompt: string };
  readonly tools: readonly Tool[];
  /** `sizeOfPrefix` of system text and tools: the same for every run, so whoever owns them measures them once. */
  readonly prefix: RequestSize;
  readonly stage: Stage;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  /**
   * Asked right before each request, for nothing that is not sent then: is there still money, does the person still
   * agree? No ends the run.
   */
  allow?(next: Allowance): boolean;
  /**
   * Told after each answer, before anything is done with it, and of a request that broke after a model may have worked
   * on it: broken runs cost money too. Figures that cannot be true are mended (`plausibleUsage`).
   */
  onUsage?(usage: ModelUsage, model: string): void;
  /** Told when an answer has been dealt with. Nothing may depend on it. */
  observe?(report: TurnReport): void;
}

/**
 * `length`: the last answer was cut and no turn is left to mend it. `not-allowed`: `allow` said no; nothing of the run
 * may be committed.
 */
export type RunOutcome = "finished" | "turn-limit" | "token-limit" | "refused" | "length" | "not-allowed";

/** What the next request costs at most, for whoever allows it: all of it written to the cache, none read from there. */
export function dearest(
  { inputTokens, outputTokens }: Allowance,
  { usdOf }: { usdOf(usage: ModelUsage): number | undefined },
): Allowance & { readonly usd: number; readonly answerUsd: number } {
  const answer = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens };
  return {
    inputTokens,
    outputTokens,
    usd: usdOf({ ...answer, cacheWriteTokens: inputTokens }) ?? 0,
    answerUsd: usdOf(answer) ?? 0,
  };
}

/** A run at its bound has said what it could; one that was cut or refused may have said half of it. */
export const MAY_COMMIT: Readonly<Record<RunOutcome, boolean>> = {
  finished: true,
  "turn-limit": true,
  "token-limit": true,
  length: false,
  refused: false,
  "not-allowed": false,
};

export interface RunResult {
  readonly outcome: RunOutcome;
  readonly requests: number;
  readonly usage: ModelUsage;
  /** Counted against `inputTokensMax`. */
  readonly inputTokens: number;
  readonly denied: readonly Denied[];
  /** What the gate accepted, whatever the outcome; the caller decides which outcomes may commit. */
  readonly changes: readonly MemoryChange[];
}

interface Conversation {
  readonly messages: ModelMessage[];
  readonly spending: Spending;
  readonly denied: Denied[];
  /** Of everything the next request holds. */
  size: RequestSize;
  requests: number;
  /** How the last answer stopped. */
  stop: ModelStop | undefined;
}

/**
 * Rejects with what the client or a tool rejects with, or with the signal's reason; the stage is then worthless and
 * is thrown away, so that a broken run leaves nothing behind.
 */
export async function runModel(options: RunOptions): Promise<RunResult> {
  const talk = begin(options);
  let outcome: RunOutcome | undefined;
  while (outcome === undefined) outcome = await takeTurn(options, talk);
  return {
    outcome,
    requests: talk.requests,
    usage: talk.spending.usage(),
    inputTokens: talk.spending.inputTokens(),
    denied: talk.denied,
    changes: options.stage.changes(),
  };
}

function begin({ request, prefix, limits }: RunOptions): Conversation {
  const talk: Conversation = {
    messages: [],
    spending: createSpending({
      inputTokensMax: limits.inputTokensMax,
      spentTokens: limits.spentTokens ?? 0,
    }),
    denied: [],
    size: prefix,
    requests: 0,
    stop: undefined,
  };
  say(talk, { role: "user", blocks: [{ kind: "text", text: request.prompt }] });
  return talk;
}

/** One request and what its answer asks for; the outcome when it was the last one. */
async function takeTurn(options: RunOptions, talk: Conversation): Promise<RunOutcome | undefined> {
  const { signal, limits, stage, tools } = options;
  signal.throwIfAborted();
  if (talk.requests >= limits.turnsMax) return talk.stop === "length" ? "length" : "turn-limit";
  if (!talk.spending.fits(talk.size)) return "token-limit";
  const next = {
    inputTokens: talk.spending.expected(talk.size),
    outputTokens: answerTokensMax(limits.outputTokensMax ?? MODEL_LIMITS.outputTokensMax),
  };
  if (options.allow?.(next) === false) return "not-allowed";
  const turn = await send(options, talk);
  signal.throwIfAborted();
  const performed =
    turn.stop === "refused" ? NOTHING_DONE : await performCalls(turn, { tools, context: { stage, signal } });
  talk.denied.push(...performed.denied);
  options.observe?.(reportOf(turn, { performed, turns: talk.requests }));
  const outcome = outcomeOf(turn, performed);
  if (outcome !== undefined) return outcome;
  say(talk, { role: "assistant", blocks: safeAnswer(turn.blocks) });
  const cut = turn.stop === "length" ? [{ kind: "text", text: CUT } as const] : [];
  say(talk, { role: "user", blocks: [...performed.results, ...cut] });
  return undefined;
}

/** The next request; what it cost is told whether an answer comes or not. */
async function send(options: RunOptions, talk: Conversation): Promise<ModelTurn> {
  const { client, signal, stage } = options;
  const { size, spending } = talk;
  const request = requestOf(options, talk);
  const turn = await client.complete(request, signal).catch((error: unknown) => {
    if (signal.aborted || mayBeBilled(error)) options.onUsage?.(spending.unanswered(size), request.model);
    throw error;
  });
  stage.noteSent();
  talk.requests += 1;
  talk.stop = turn.stop;
  const answerTokens = sizeOfMessage({ role: "assistant", blocks: turn.blocks }).tokens;
  const { outputTokensMax } = request;
  const usage = spending.add({ size, told: turn.usage, answerTokens, outputTokensMax });
  options.onUsage?.(usage, turn.model);
  return turn;
}

const NOTHING_DONE: PerformedCalls = { results: [], denied: [], onlyWrites: false };
const CUT = "Your answer was cut off at its length limit. Go on from there, in shorter answers.";

/** Whether an answer ends the run. */
function outcomeOf(turn: ModelTurn, { results, onlyWrites }: PerformedCalls): RunOutcome | undefined {
  if (turn.stop === "refused") return "refused";
  // An empty answer cannot be sent back as part of the conversation.
  if (turn.stop === "length") return turn.blocks.length === 0 ? "length" : undefined;
  return results.length === 0 || onlyWrites ? "finished" : undefined;
}

function requestOf({ request, tools, limits }: RunOptions, talk: Conversation): ModelRequest {
  return {
    model: request.model,
    system: request.system,
    tools: tools.map(({ spec }) => spec),
    // A copy: the client may keep it, the conversation grows.
    messages: [...talk.messages],
    outputTokensMax: limits.outputTokensMax ?? MODEL_LIMITS.outputTokensMax,
  };
}

function say(talk: Conversation, message: ModelMessage): void {
  talk.messages.push(message);
  talk.size = together(talk.size, sizeOfMessage(message));
}

function reportOf(
  turn: ModelTurn,
  { performed, turns }: { readonly performed: PerformedCalls; readonly turns: number },
): TurnReport {
  return {
    turn: turns,
    stop: turn.stop,
    calls: toolCallsOf(turn).length,
    errors: performed.results.filter(({ isError }) => isError).length,
    denied: performed.denied,
  };
}
