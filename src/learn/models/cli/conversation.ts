// A conversation as words for a program that takes words only, and the functions a model may call, as text. Pure: what
// was said stands in JSON, so that nothing in it can pass for ours.
import type { ModelMessage, ModelRequest, ToolSpec } from "../../../domain/models.ts";

/** The parts of a conversation: its first text as it is, then every later message told again. */
export function partsOf({ messages }: ModelRequest): string[] {
  const [first, ...rest] = messages;
  const begin = (first?.blocks ?? []).flatMap((block) => (block.kind === "text" ? [block.text] : []));
  return [...begin, ...rest.map(toldAgain)];
}

function toldAgain(message: ModelMessage): string {
  const blocks = message.blocks.map((block) => {
    switch (block.kind) {
      case "text":
        return { text: block.text };
      case "tool-call":
        return { id: block.id, tool: block.tool, arguments: block.input ?? null };
      case "tool-result":
        return { id: block.callId, [block.isError ? "error" : "result"]: block.text };
    }
  });
  const whose = message.role === "assistant" ? "Your answer" : "What came of it";
  return `${whose}: ${JSON.stringify(blocks)}`;
}

/** The system text of a request with what its program needs said besides. */
export function systemWith({ system, tools }: ModelRequest, howToAnswer: string): string {
  const functions = tools.map((tool) => JSON.stringify(tool));
  return [system, ["# How you answer", howToAnswer, "# Functions", ...functions].join("\n")].join("\n\n");
}

/** What one call's arguments are in the program's frame of an answer. */
export type ArgumentsSchema = Readonly<Record<string, unknown>>;

/** One place for all calls of an answer; their arguments are judged by whoever performs them. */
export function answerSchema(
  tools: readonly ToolSpec[],
  argumentsSchema: ArgumentsSchema,
  strict: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const call = {
    type: "object",
    properties: {
      tool: { type: "string", enum: tools.map(({ name }) => name) },
      arguments: argumentsSchema,
    },
    required: ["tool", "arguments"],
    ...strict,
  };
  return {
    type: "object",
    properties: { calls: { type: "array", items: call } },
    required: ["calls"],
    ...strict,
  };
}
