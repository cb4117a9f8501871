// A request in the Messages API's own format, with the marks that let the next request of a run read this one's
// prefix from the provider's cache. Pure; holds no key.
import type { ModelMessage, ModelRequest } from "../../../domain/models.ts";

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: ModelMessage["role"];
  readonly content: readonly Block[];
}

/** The API keeps everything up to a mark for five minutes and takes at most four marks a request. */
const MARK = { cache_control: { type: "ephemeral" } } as const;
/**
 * Newest user messages with a mark. The one before the newest is what the last request wrote: the API looks only
 * twenty blocks back from a mark, and one turn of many tool calls is longer.
 */
const MARKED_MESSAGES = 2;

/** The body of a streaming request. Empty text is left out: the API refuses it. */
export function toBody(request: ModelRequest): Block {
  const { model, system, outputTokensMax } = request;
  const tools = request.tools.map(({ name, description, inputSchema }): Block => {
    return { name, description, input_schema: inputSchema };
  });
  const messages = request.messages.map(toMessage).filter(({ content }) => content.length > 0);
  return {
    model,
    max_tokens: outputTokensMax,
    stream: true,
    // Tools come before the system text in what is cached, so one mark covers both.
    ...(system === "" ? {} : { system: [{ type: "text", text: wellFormed(system), ...MARK }] }),
    ...(tools.length === 0 ? {} : { tools: system === "" ? marked(tools) : tools }),
    messages: withMarks(messages),
  };
}

function toMessage({ role, blocks }: ModelMessage): Message {
  return { role, content: blocks.flatMap(toBlock) };
}

function toBlock(block: ModelMessage["blocks"][number]): Block[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: wellFormed(block.text) }];
    case "tool-call":
      // A call whose arguments could not be read still has to be there for its result to be accepted.
      return [{ type: "tool_use", id: block.id, name: block.tool, input: block.input ?? {} }];
    case "tool-result":
      return [
        {
          type: "tool_result",
          tool_use_id: block.callId,
          content: wellFormed(block.text),
          ...(block.isError ? { is_error: true } : {}),
        },
      ];
  }
}

/** The API refuses half a surrogate pair, which a cut text can end with. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function withMarks(messages: readonly Message[]): readonly Message[] {
  const newest = messages.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-MARKED_MESSAGES);
  return messages.map((message, at) =>
    newest.includes(at) ? { ...message, content: marked(message.content) } : message,
  );
}

/** The last block carries the mark: it stands for everything before it. */
function marked(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...MARK } : block));
}
