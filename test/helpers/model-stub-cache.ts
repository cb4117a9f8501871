// The prompt cache of the stub server: prefixes up to a mark are kept and read as the real API does it.
import { createHash } from "node:crypto";

export interface StubUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

export interface PromptCache {
  /** Input counts of a request; what it marks is kept for the next one. */
  count(body: Readonly<Record<string, unknown>>): Omit<StubUsage, "output_tokens">;
}

type Block = Readonly<Record<string, unknown>>;

/** The API looks for a kept prefix at a mark and at this many blocks before it. */
const LOOK_BACK = 20;
const CHARS_PER_TOKEN = 4;

interface Prefix {
  readonly id: string;
  readonly tokens: number;
  readonly marked: boolean;
}

export function createPromptCache(): PromptCache {
  const kept = new Set<string>();
  return {
    count(body) {
      const prefixes = prefixesOf(body);
      const total = prefixes.at(-1)?.tokens ?? 0;
      let read = 0;
      let written = 0;
      prefixes.forEach((prefix, at) => {
        if (!prefix.marked) return;
        const known = prefixes.slice(Math.max(0, at - LOOK_BACK), at + 1).findLast((one) => kept.has(one.id));
        read = Math.max(read, known?.tokens ?? 0);
        written = Math.max(written, prefix.tokens);
      });
      for (const { id, marked } of prefixes) if (marked) kept.add(id);
      const creation = Math.max(0, written - read);
      return {
        input_tokens: total - read - creation,
        cache_creation_input_tokens: creation,
        cache_read_input_tokens: read,
      };
    },
  };
}

/** One entry a block, in the order the cache sees them: tools, system, messages. The model counts too. */
function prefixesOf(body: Block): Prefix[] {
  const hash = createHash("sha256").update(JSON.stringify(body["model"] ?? ""));
  let tokens = 0;
  return blocksOf(body).map(({ cache_control: mark, ...block }) => {
    const text = JSON.stringify(block);
    hash.update(text);
    tokens += Math.ceil(text.length / CHARS_PER_TOKEN);
    return { id: hash.copy().digest("hex"), tokens, marked: mark !== undefined };
  });
}

/** Every block that can carry a mark. */
export function blocksOf(body: Block): Block[] {
  const messages = list(body["messages"]);
  return [
    ...list(body["tools"]),
    ...contentOf(body["system"]),
    ...messages.flatMap(({ role, content }) => contentOf(content).map((block) => ({ role, ...block }))),
  ];
}

/** Content is a list of blocks or plain text. */
export function contentOf(content: unknown): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content);
}

export function list(value: unknown): Block[] {
  return Array.isArray(value) ? value : [];
}
