// Performs the tool calls of one answer, in order. A torn, unknown or surplus call is answered, never performed.
import { RUN_LIMITS } from "../../domain/limits.ts";
import type { ModelToolCall, ModelTurn, ToolResultBlock } from "../../domain/models.ts";
import { safeText } from "./rendering.ts";
import type { DenialCode } from "./sandbox.ts";
import { denial, failure, type Tool, type ToolAnswer, type ToolContext } from "./tools/tool.ts";

export interface Denied {
  /** `unknown` for a name that is none of ours: it is the model's text, and this goes into a log. */
  readonly tool: string;
  readonly why: DenialCode;
}

export interface PerformedCalls {
  /** One for each call, in the same order. */
  readonly results: readonly ToolResultBlock[];
  readonly denied: readonly Denied[];
  /** At least one call, every one a write, every one successful: nothing is left to answer. */
  readonly onlyWrites: boolean;
}

/** Rejects with the signal's reason once it is aborted, between two calls at the latest. */
export async function performCalls(
  turn: ModelTurn,
  { tools, context }: { readonly tools: readonly Tool[]; readonly context: ToolContext },
): Promise<PerformedCalls> {
  const calls = toolCallsOf(turn);
  const torn = tornCall(turn);
  const results: ToolResultBlock[] = [];
  const denied: Denied[] = [];
  let onlyWrites = calls.length > 0;
  for (const [at, call] of calls.entries()) {
    context.signal.throwIfAborted();
    const tool = tools.find(({ spec }) => spec.name === call.tool);
    const answer =
      refusal(call, { at, isTorn: call === torn, tool, tools }) ?? (await perform(call, tool, context));
    // Ten thousand surplus calls are one fact, not ten thousand.
    if (answer.denied !== undefined && at <= RUN_LIMITS.callsPerTurnMax) {
      denied.push({ tool: tool?.spec.name ?? "unknown", why: answer.denied });
    }
    onlyWrites &&= tool?.writes === true && !answer.isError;
    results.push({
      kind: "tool-result",
      callId: call.id,
      text: safeText(answer.text),
      isError: answer.isError,
    });
  }
  return { results, denied, onlyWrites };
}

export function toolCallsOf(turn: ModelTurn): readonly ModelToolCall[] {
  return turn.blocks.flatMap((block) => (block.kind === "tool-call" ? [block] : []));
}

/** The call an answer was cut in; half an argument may still read as a whole one. */
function tornCall(turn: ModelTurn): ModelToolCall | undefined {
  const last = turn.blocks.at(-1);
  return turn.stop === "length" && last?.kind === "tool-call" ? last : undefined;
}

interface Circumstances {
  readonly at: number;
  readonly isTorn: boolean;
  readonly tool: Tool | undefined;
  readonly tools: readonly Tool[];
}

/** Why a call is not performed. */
function refusal(call: ModelToolCall, { at, isTorn, tool, tools }: Circumstances): ToolAnswer | undefined {
  if (at >= RUN_LIMITS.callsPerTurnMax) {
    return denial({
      why: "too-many-calls",
      message: `not done: at most ${RUN_LIMITS.callsPerTurnMax} calls in one answer`,
    });
  }
  if (isTorn) return failure("not done: your answer was cut off inside this call; send it again, shorter");
  if (tool === undefined) {
    const names = tools.map(({ spec }) => spec.name).join(", ");
    return denial({ why: "unknown-tool", message: `there is no such tool; there are ${names}` });
  }
  return call.input === undefined
    ? failure("not done: the arguments were no valid JSON object; send the call again")
    : undefined;
}

async function perform(
  { input }: ModelToolCall,
  tool: Tool | undefined,
  context: ToolContext,
): Promise<ToolAnswer> {
  if (tool === undefined || input === undefined) return failure("not done");
  return tool.run(input, context);
}
