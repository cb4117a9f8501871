// Transcripts for measuring, made from a seed. Two shapes are mixed: dense talk as long sessions of Claude Code
// hold it, and the bookkeeping that makes up nine tenths of a fresh session's bytes. All words are invented.

export interface CorpusOptions {
  readonly seed: number;
  /** Size aimed at; the last line may pass it. */
  readonly bytes: number;
  /** Share of the bytes that is talk and tool traffic; the rest is bookkeeping. */
  readonly talkShare: number;
  /** Lines with this many characters of base64, spread evenly. */
  readonly images?: { readonly count: number; readonly chars: number };
}

/** Whole lines; a few are damaged on purpose, some hold NULs, line separators and quoted records. */
export function createCorpus(options: CorpusOptions): Buffer {
  const random = createRandom(options.seed);
  const session = createSession(random);
  const parts: string[] = [];
  let talk = 0;
  let noise = 0;
  while (talk + noise < options.bytes) {
    const isTalk = talk < options.talkShare * (talk + noise + 1);
    const line = isTalk ? session.talk() : session.bookkeeping();
    parts.push(line);
    if (isTalk) talk += line.length;
    else noise += line.length;
  }
  const { count = 0, chars = 0 } = options.images ?? {};
  for (let n = 0; n < count; n += 1) parts.splice(random.below(parts.length), 0, session.image(chars));
  return Buffer.from(parts.map((line) => `${line}\n`).join(""));
}

export interface Random {
  /** 0 <= x < 1 */
  next(): number;
  below(limit: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  hex(digits: number): string;
}

/** Mulberry32: small, fast, the same on every machine. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(""),
  };
}

const WORDS: readonly [string, ...string[]] = [
  "the cart rounds tax per line and not per order",
  "export function total(lines: Line[]): Money {",
  'const rate = await rates.find("vat", { at: today });',
  "please keep the names short",
  "\tif (error !== undefined) throw error;",
  "src/cart/total.ts:41:7 - expected 3 arguments",
  "注文 合計",
  "│ ✓ 118 passed │",
  "naïve rounding 🙂 again",
  'a line that quotes "type":"user" and \\"content\\"',
  "release notes come from the ticket titles",
];

interface Session {
  talk(): string;
  bookkeeping(): string;
  image(chars: number): string;
}

function createSession(random: Random): Session {
  const sessionId = `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-8${random.hex(3)}-${random.hex(12)}`;
  let parentUuid: string | null = null;
  let at = Date.UTC(2026, 3, 1);

  function prose(length: number): string {
    const parts: string[] = [];
    for (let size = 0; size < length;) {
      const part = random.next() < 0.9 ? random.pick(WORDS) : `${random.hex(12)}\n`;
      parts.push(part);
      size += part.length + 1;
    }
    return parts.join(" ").slice(0, length);
  }

  function line(own: Record<string, unknown>, tail: Record<string, unknown> = {}): string {
    const uuid = `${random.hex(8)}-${random.hex(4)}-4000-8000-${random.hex(12)}`;
    at += 500 + random.below(60_000);
    const record = {
      parentUuid,
      isSidechain: false,
      ...own,
      uuid,
      timestamp: new Date(at).toISOString(),
      ...tail,
      userType: "external",
      entrypoint: "cli",
      cwd: "/home/ana/shop",
      sessionId,
      version: "2.1.140",
      gitBranch: "main",
    };
    parentUuid = uuid;
    return JSON.stringify(record);
  }

  const answer = (content: readonly unknown[], stop: string) =>
    line({
      message: {
        id: `msg_${random.hex(24)}`,
        type: "message",
        role: "assistant",
        model: "claude-x",
        content,
        stop_reason: stop,
        usage: {
          input_tokens: random.below(9),
          cache_read_input_tokens: random.below(150_000),
          output_tokens: 40,
        },
      },
      requestId: `req_${random.hex(24)}`,
      type: "assistant",
    });
  const user = (content: unknown, tail?: Record<string, unknown>) =>
    line({ type: "user", message: { role: "user", content } }, tail);

  function talk(): string {
    const length = textLength(random);
    const kind = random.next();
    if (kind < 0.12) return user(prose(Math.min(length, 6000)));
    if (kind < 0.42) {
      const content = prose(length / 2);
      const result = {
        tool_use_id: `toolu_${random.hex(24)}`,
        type: "tool_result",
        content,
        is_error: false,
      };
      return user([result], { toolUseResult: { stdout: prose(length / 2), stderr: "", interrupted: false } });
    }
    if (kind < 0.62)
      return answer(
        [{ type: "text", text: prose(Math.min(length, 8000)) }],
        random.pick(["end_turn", "tool_use"]),
      );
    if (kind < 0.92) {
      const name = random.pick(["Read", "Edit", "Bash", "Grep", "Write"]);
      const input = { file_path: "/home/ana/shop/src/cart.ts", content: prose(length) };
      return answer([{ type: "tool_use", id: `toolu_${random.hex(24)}`, name, input }], "tool_use");
    }
    if (kind < 0.96)
      return line({ type: "progress", data: { type: "hook_progress", hookEvent: "PostToolUse" } });
    if (kind < 0.98)
      return line({ type: "system", subtype: "compact_boundary", content: "Conversation compacted" });
    if (kind < 0.985) return '{"type":"user","message":{"role":"user","con';
    return user(`odd \u2028 \u0000 ${prose(50)} \ud83d`);
  }

  function bookkeeping(): string {
    const kind = random.next();
    if (kind < 0.12)
      return line({
        attachment: { type: "prompt_snapshot", system: [prose(9000 + random.below(40_000))] },
        type: "attachment",
      });
    if (kind < 0.2)
      return JSON.stringify({
        type: "api-request-shape",
        sessionId,
        shapeHash: random.hex(16),
        shape: { tools: prose(8000 + random.below(50_000)) },
      });
    if (kind < 0.4)
      return line(
        { attachment: { type: "skill_listing", content: prose(3000) }, type: "attachment" },
        { rendered: prose(3000) },
      );
    if (kind < 0.6)
      return JSON.stringify({
        type: "api-request-blob",
        sessionId,
        hash: random.hex(16),
        message: { role: "user", content: prose(900) },
      });
    if (kind < 0.7)
      return JSON.stringify({
        type: "queue-operation",
        operation: random.pick(["enqueue", "dequeue"]),
        sessionId,
        content: prose(60),
      });
    if (kind < 0.9)
      return JSON.stringify({
        type: "last-prompt",
        lastPrompt: prose(80),
        leafUuid: random.hex(32),
        sessionId,
      });
    return JSON.stringify({ type: "file-history-snapshot", messageId: random.hex(32), snapshot: {} });
  }

  return {
    talk,
    bookkeeping,
    image: (chars) =>
      user([
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: random.hex(1000).repeat(chars / 1000) },
        },
      ]),
  };
}

/** Mostly a few hundred characters, with a tail to 200,000. */
function textLength(random: Random): number {
  const kind = random.next();
  if (kind < 0.55) return 40 + random.below(860);
  if (kind < 0.85) return 900 + random.below(4100);
  if (kind < 0.97) return 5000 + random.below(20_000);
  return kind < 0.997 ? 25_000 + random.below(55_000) : 80_000 + random.below(120_000);
}
