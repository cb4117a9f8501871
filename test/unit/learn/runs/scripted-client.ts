// A model whose answers the test writes down beforehand.
import type {
  ModelRequest,
  ModelStop,
  ModelText,
  ModelToolCall,
  ModelTurn,
  ModelUsage,
} from "../../../../src/domain/models.ts";
import type { ScriptedClient } from "../../../../src/learn/models/scripted/index.ts";
import { createScriptedClient } from "../../../../src/learn/models/scripted/index.ts";

export type Answer = Partial<ModelTurn> | Error | ((request: ModelRequest, signal: AbortSignal) => Answer);

export function scripted(...answers: readonly Answer[]): ScriptedClient {
  let sent = 0;
  return createScriptedClient((request, signal) => {
    let answer = answers[sent] ?? says("nothing more");
    sent += 1;
    while (typeof answer === "function") answer = answer(request, signal);
    return answer instanceof Error ? answer : { ...says(""), ...answer };
  });
}

export const used = (inputTokens: number, rest: Partial<ModelUsage> = {}): ModelUsage => ({
  inputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
  ...rest,
});

export function says(text: string, stop: ModelStop = "done"): ModelTurn {
  return turnOf([{ kind: "text", text }], stop);
}

let calls = 0;

export function call(tool: string, input: ModelToolCall["input"]): ModelToolCall {
  calls += 1;
  return { kind: "tool-call", id: `call-${calls}`, tool, input };
}

/** An answer that asks for tools. */
export function asks(...wanted: readonly ModelToolCall[]): ModelTurn {
  return turnOf(wanted, "tools");
}

export function turnOf(blocks: readonly (ModelText | ModelToolCall)[], stop: ModelStop): ModelTurn {
  return { blocks, stop, usage: used(10), model: "scripted-1" };
}

/** The results that were sent back with the n-th request, counted from 0. */
export function resultsIn(client: ScriptedClient, at: number): readonly { text: string; isError: boolean }[] {
  const blocks = client.requests[at]?.messages.at(-1)?.blocks ?? [];
  return blocks.flatMap((block) => (block.kind === "tool-result" ? [block] : []));
}
