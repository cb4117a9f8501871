// The secret scanner in figures: labelled cases, and what it costs on talk as sessions hold it. The talk is made here
// from a seed; no case is printed but by `--show`, and then by its rule only.
import { readFileSync } from "node:fs";
import { findSecrets } from "../../src/memory/secrets/scanner.ts";
import { createRandom, type Random } from "./corpus.ts";
import { ownCost } from "./own-cost.ts";
import type { Witness } from "./quality-memorycode.ts";

export interface SecretsScore {
  readonly positives: number;
  /** Positives in which any rule fires / positives. */
  readonly recall: number;
  readonly negatives: number;
  /** Negatives in which any rule fires / negatives; without those that are true findings of other rules. */
  readonly falsePositives: number;
  readonly megabytes: number;
  readonly mbPerCpuS: number;
}

interface Case {
  readonly rule: string;
  readonly kind: "positive" | "negative";
  /** The text, UTF-8 in base64. */
  readonly b64: string;
  /** The file the text stands in. */
  readonly path?: string;
  /** Other rules whose true finding a negative is. */
  readonly also?: readonly string[];
}

const TALK_BYTES = 50_000_000;
const SEED = 1;

export function scoreSecrets(file: string, witness: Witness): SecretsScore {
  const cases = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Case);
  const positives = cases.filter(({ kind }) => kind === "positive");
  const negatives = cases.filter(({ kind, also }) => kind === "negative" && also === undefined);
  const missed = positives.filter((each) => rulesIn(each).length === 0);
  const flagged = negatives.filter((each) => rulesIn(each).length > 0);
  for (const { rule } of missed) witness("miss", rule);
  for (const each of flagged) witness("wrong", `${each.rule}: ${rulesIn(each).join(" ")}`);
  return {
    positives: positives.length,
    recall: rounded(1 - missed.length / Math.max(1, positives.length)),
    negatives: negatives.length,
    falsePositives: rounded(flagged.length / Math.max(1, negatives.length)),
    ...measureSpeed(),
  };
}

/** As the gate looks at a proposal: the name of the file stands above its text. */
function rulesIn({ b64, path }: Case): string[] {
  const text = Buffer.from(b64, "base64").toString("utf8");
  return findSecrets(path === undefined ? text : `${path}\n${text}`).map(({ rule }) => rule);
}

function measureSpeed(): Pick<SecretsScore, "megabytes" | "mbPerCpuS"> {
  const lines = makeTalk(SEED, TALK_BYTES);
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const before = ownCost().cpuMs;
  for (const line of lines) findSecrets(line);
  const seconds = (ownCost().cpuMs - before) / 1_000;
  return { megabytes: Math.round(bytes / 1e6), mbPerCpuS: Math.round((bytes / 1e6 / seconds) * 10) / 10 };
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}

/** Lines of sessions: invented words drawn as unevenly as real ones, pieces of code, ids, tool traffic. */
export function makeTalk(seed: number, bytesMin: number): string[] {
  const random = createRandom(seed);
  const words = Array.from({ length: 12_000 }, () => inventWord(random));
  const prose = inventProse(random, words);
  const lines: string[] = [];
  for (let bytes = 0; bytes < bytesMin;) {
    const line = JSON.stringify(makeRecord(random, prose));
    lines.push(line);
    bytes += Buffer.byteLength(line) + 1;
  }
  return lines;
}

const SYLLABLES = "ba con de fi gra ho in jo ka lo mi no op pre qui re sta tor un ver wa xi yo zen".split(
  " ",
);
const CODE = [
  'const page = await open(path, "utf8");',
  "if (error) { return done(error); }",
  "export function parse(line: string): Row {",
  "\t\treturn a.b?.c ?? null;",
  "npm run build && npm test",
  "error TS2345: Argument of type",
  "  at Object.<anonymous> (src/index.ts:12:5)",
  'git commit -m "fix: the last page"',
  "│ ✓ 42 passed │",
  "路径 记忆 测试",
  "🙂 done",
] as const;
const PROSE_CHARS = 2_000_000;

function inventWord(random: Random): string {
  return Array.from({ length: 1 + random.below(4) }, () => SYLLABLES[random.below(SYLLABLES.length)]).join(
    "",
  );
}

function inventProse(random: Random, words: readonly string[]): string {
  const parts: string[] = [];
  for (let chars = 0; chars < PROSE_CHARS;) {
    const word = words[Math.floor(words.length * random.next() ** 2.6)] ?? "";
    const part = random.next() < 0.04 ? random.pick(CODE) : word;
    parts.push(part);
    chars += part.length + 1;
  }
  return parts.join(" ");
}

/** Characters of a record's text: mostly small, with a long tail. */
function textChars(random: Random): number {
  const kind = random.next();
  if (kind < 0.55) return 40 + random.below(860);
  if (kind < 0.85) return 900 + random.below(4_100);
  if (kind < 0.97) return 5_000 + random.below(20_000);
  return kind < 0.997 ? 25_000 + random.below(55_000) : 80_000 + random.below(120_000);
}

function makeRecord(random: Random, prose: string): object {
  const cut = (chars: number) => {
    const from = random.below(prose.length - chars);
    return prose.slice(from, from + chars);
  };
  const id = () => `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
  const chars = textChars(random);
  const base = {
    parentUuid: id(),
    cwd: "/home/ana/shop",
    sessionId: id(),
    version: "2.1.140",
    gitBranch: "main",
    uuid: id(),
    timestamp: new Date(Date.UTC(2026, 3, 1) + random.below(1e9)).toISOString(),
  };
  const answer = (content: object) => ({
    ...base,
    type: "assistant",
    requestId: `req_${random.hex(24)}`,
    message: { id: `msg_${random.hex(24)}`, role: "assistant", content: [content] },
  });
  const kind = random.next();
  if (kind < 0.12)
    return { ...base, type: "user", message: { role: "user", content: cut(Math.min(chars, 6_000)) } };
  if (kind < 0.42) {
    const result = { tool_use_id: `toolu_${random.hex(24)}`, type: "tool_result", content: cut(chars >> 1) };
    const toolUseResult = { stdout: cut(chars >> 1), stderr: "", interrupted: false };
    return { ...base, type: "user", message: { role: "user", content: [result] }, toolUseResult };
  }
  if (kind < 0.62) return answer({ type: "text", text: cut(Math.min(chars, 8_000)) });
  const input = { file_path: "/home/ana/shop/src/cart.ts", content: cut(chars) };
  return answer({ type: "tool_use", id: `toolu_${random.hex(24)}`, name: "Write", input });
}
