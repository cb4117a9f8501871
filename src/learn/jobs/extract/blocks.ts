// Records as the blocks a window is made of: each rendered once, shortened, long stretches of the agent's own doing
// folded. Decides what is quotable; never shows a record of a subagent, of our own sessions, or injected text.
import type { Evidence } from "../../../domain/changes.ts";
import type { Instant, TranscriptRecord, UserText } from "../../../domain/records.ts";
import { estimateTokens } from "../../../domain/tokens.ts";
import { renderRecord, renderText } from "../../../memory/secrets/render.ts";
import { trustedAt } from "../local-time.ts";
import { keepEnds, keepStart, type Shortened } from "../shorten.ts";

/** One call or result: what was done, not what came of it. 60 calls and their results stay below 6,000 tokens. */
const TOOL_TOKENS_MAX = 32;
/** One answer of the assistant, or a message that was read before: enough for what is being talked about. */
const ANSWER_TOKENS_MAX = 400;
/** An offer ("shall I always ...?") stands at the end of an answer. */
const ANSWER_HEAD_SHARE = 1 / 3;
/** Of the answers, and of the tool records, between two typed messages: how it began and how it ended. */
const FIRST_SHOWN = 2;
const LAST_SHOWN = 4;
/** Ids are UUIDs, hashes or `file:offset`; anything else came from a broken or hostile transcript. */
const QUOTABLE_ID = /^[^\s[\],]{1,200}$/u;

export interface BlockRules {
  /** Whether a typed message is new and may teach. Others are shown for understanding only. */
  isFresh(recordId: string): boolean;
  readonly now: Instant;
}

/** Offsets of the records in a block: a cursor may stand at `end` once everything up to there is done. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Block =
  | {
      readonly kind: "said";
      readonly span: Span;
      readonly who: string;
      readonly by: Extract<Evidence["by"], "user" | "assistant" | "tool">;
      /** Undefined: cannot be quoted. */
      readonly recordId: string | undefined;
      /** Letter for letter what is shown and what quotes are checked against. */
      readonly text: string;
      /** Characters that are not shown. */
      readonly left: number;
      readonly at: Instant | undefined;
      /** A new message of the person. */
      readonly fresh: boolean;
    }
  | { readonly kind: "compacted"; readonly span: Span }
  | { readonly kind: "folded"; readonly span: Span; readonly calls: number; readonly answers: number }
  /** Nothing to show. */
  | { readonly kind: "silent"; readonly span: Span; readonly endsTurn: boolean };

export type Said = Extract<Block, { kind: "said" }>;

/** In the order of the records. A second copy of a typed message is not new. */
export function blocksOf(records: readonly TranscriptRecord[], rules: BlockRules): Block[] {
  const folded = foldedOf(records);
  const heard = new Set<string>();
  const blocks: Block[] = [];
  for (const [index, record] of records.entries()) {
    if (folded.has(index)) {
      addFolded(blocks, record);
      continue;
    }
    const block = blockOf(record, { ...rules, isFresh: (id) => !heard.has(id) && rules.isFresh(id) });
    if (block.kind === "said" && block.fresh) heard.add(record.recordId);
    blocks.push(block);
  }
  return blocks;
}

/** Tokens of the words a model would be shown of new records, without headers. Larger than 0 does not mean new words. */
export function newTokens(records: readonly TranscriptRecord[]): number {
  return blocksOf(records, { isFresh: () => true, now: Number.MAX_SAFE_INTEGER }).reduce(
    (sum, block) => sum + (block.kind === "said" ? estimateTokens(block.text) : 0),
    0,
  );
}

function blockOf(record: TranscriptRecord, rules: BlockRules): Block {
  const span = { start: record.endOffset, end: record.endOffset };
  const silent: Block = { kind: "silent", span, endsTurn: record.kind === "turn-end" };
  if (!isShown(record)) return silent;
  if (record.kind === "turn-end") return silent;
  if (record.kind === "injected") return record.what === "compaction" ? { kind: "compacted", span } : silent;
  const rendered = renderRecord(record).trim();
  if (rendered === "") return silent;
  const fresh = record.kind === "user-text" && rules.isFresh(record.recordId);
  const { text, left } = shortened(rendered, { record, fresh });
  return {
    kind: "said",
    span,
    who: whoOf(record, fresh),
    by: record.kind === "user-text" ? "user" : record.kind === "assistant-text" ? "assistant" : "tool",
    recordId: record.kind === "user-text" && !fresh ? undefined : quotableId(record.recordId),
    text,
    left,
    at: trustedAt(record.at, rules.now),
    fresh,
  };
}

function isShown({ origin }: TranscriptRecord): boolean {
  return origin !== "subagent" && origin !== "ours";
}

type Spoken = Exclude<TranscriptRecord, { kind: "injected" | "turn-end" }>;

function shortened(text: string, { record, fresh }: { record: Spoken; fresh: boolean }): Shortened {
  switch (record.kind) {
    case "user-text":
      return fresh ? { text, left: 0 } : keepEnds(text, ANSWER_TOKENS_MAX);
    case "assistant-text":
      return keepEnds(text, ANSWER_TOKENS_MAX, ANSWER_HEAD_SHARE);
    case "tool-call":
    case "tool-result":
      return keepStart(text, TOOL_TOKENS_MAX);
  }
}

function whoOf(record: Spoken, fresh: boolean): string {
  switch (record.kind) {
    case "user-text":
      return fresh ? "person" : notNew(record);
    case "assistant-text":
      return "assistant";
    case "tool-call":
      return "tool call";
    case "tool-result":
      return record.ok ? "tool result" : "tool result (failed)";
  }
}

function notNew({ origin }: UserText): string {
  return origin === "headless" ? "script" : "person (read before)";
}

/** An id stands in a header of ours: it must be one plain word, and no secret. */
function quotableId(recordId: string): string | undefined {
  return QUOTABLE_ID.test(recordId) && renderText(recordId) === recordId ? recordId : undefined;
}

/** Places of the records that are only counted. A stretch reaches from one typed message to the next. */
function foldedOf(records: readonly TranscriptRecord[]): ReadonlySet<number> {
  const folded = new Set<number>();
  let stretch = { answers: new Array<number>(), tools: new Array<number>() };
  const fold = (places: readonly number[]) => {
    for (const place of places.slice(FIRST_SHOWN, -LAST_SHOWN)) folded.add(place);
  };
  for (const [index, record] of records.entries()) {
    if (!isShown(record)) continue;
    if (record.kind === "assistant-text") stretch.answers.push(index);
    else if (record.kind === "tool-call" || record.kind === "tool-result") stretch.tools.push(index);
    else if (record.kind === "user-text") {
      fold(stretch.answers);
      fold(stretch.tools);
      stretch = { answers: [], tools: [] };
    }
  }
  fold(stretch.answers);
  fold(stretch.tools);
  return folded;
}

/** Neighbours become one line. A result belongs to a call that was counted already. */
function addFolded(blocks: Block[], { kind, endOffset }: TranscriptRecord): void {
  const last = blocks.at(-1);
  const before = last?.kind === "folded" ? blocks.pop() : undefined;
  const sum = before?.kind === "folded" ? before : { calls: 0, answers: 0, span: undefined };
  blocks.push({
    kind: "folded",
    span: {
      start: Math.min(endOffset, sum.span?.start ?? endOffset),
      end: Math.max(endOffset, sum.span?.end ?? endOffset),
    },
    calls: sum.calls + (kind === "tool-call" ? 1 : 0),
    answers: sum.answers + (kind === "assistant-text" ? 1 : 0),
  });
}
