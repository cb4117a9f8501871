// What the real API refuses, so that a test cannot pass with a request no provider would take.
import { blocksOf, contentOf, list } from "./model-stub-cache.ts";

type Body = Readonly<Record<string, unknown>>;

const MARKS_MAX = 4;

/** Why the API would answer 400; undefined for a request it takes. */
export function whyRefused(body: Body): string | undefined {
  const { model, max_tokens: limit, stream } = body;
  if (typeof model !== "string" || model === "") return "model: field required";
  if (typeof limit !== "number" || limit < 1) return "max_tokens: field required";
  if (stream !== true) return "stream: this server only streams";
  const blocks = blocksOf(body);
  const marks = blocks.filter((block) => block["cache_control"] !== undefined).length;
  if (marks > MARKS_MAX)
    return `a maximum of ${MARKS_MAX} blocks with cache_control may be provided, found ${marks}`;
  if (blocks.some(({ type, text }) => type === "text" && text === ""))
    return "text content blocks must be non-empty";
  if (/[^\\](?:\\\\)*\\ud[89a-f]/i.test(JSON.stringify(body))) return "the body holds half a surrogate pair";
  return whyToolsRefused(body) ?? whyMessagesRefused(body);
}

function whyToolsRefused(body: Body): string | undefined {
  const bad = list(body["tools"]).find(({ name, input_schema: schema }) => {
    return typeof name !== "string" || !/^[\w-]{1,128}$/.test(name) || typeof schema !== "object";
  });
  return bad === undefined ? undefined : "tools: name and input_schema are required";
}

/** Every call has its result in the message right after it, and no result comes without its call. */
function whyMessagesRefused(body: Body): string | undefined {
  const messages = list(body["messages"]);
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.["role"] !== "user") return "messages: first message must use the user role";
  let open: unknown[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = contentOf(content);
    if (blocks.length === 0) return `messages.${at}: content must be non-empty`;
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"]);
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined)
      return `messages.${at}: tool_use ${JSON.stringify(missing)} has no tool_result`;
    const stray = results.find((id) => !open.includes(id));
    if (stray !== undefined) return `messages.${at}: unexpected tool_use_id ${JSON.stringify(stray)}`;
    open = role === "assistant" ? blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id) : [];
  }
  return undefined;
}
