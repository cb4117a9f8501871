// Cuts new records into pieces that one run of a model can read, oldest first. Nothing is asked of a model without a
// new typed message; no such message is lost or shown as new twice. Pure.
import { type Block, blocksOf, type Said } from "./blocks.ts";
import { localTimeIn, type LocalTime } from "../local-time.ts";
import { keepEnds } from "../shorten.ts";
import {
  asContext,
  FRAME_TOKENS,
  renderBlocks,
  type RenderedWindow,
  tokensOf,
  type WindowInput,
} from "./window.ts";

export interface Piece {
  readonly window: RenderedWindow;
  /**
   * Everything up to this offset is in this piece, in an earlier one, or nothing to ask about: the cursor moves there.
   * Undefined: it stays, because one line of the transcript reaches into a later piece.
   */
  readonly endOffset: number | undefined;
  /** New typed messages in it; at least one. */
  readonly typed: number;
}

/** Smallest piece: a short message with its header still fits. */
export const PIECE_TOKENS_MIN = 400;
/** Largest piece: two hours of brisk work; beyond it a small model overlooks the middle and a failed run costs more. */
export const PIECE_TOKENS_MAX = 24_000;
/** A run reads and then writes: two requests, each with everything before it. */
const REQUESTS = 2;
/** In the second request: the first answer and the memories it read. */
const READ_TOKENS = 6_000;
/** Words before a piece that are shown for understanding. */
const CONTEXT_RECORDS_MAX = 6;
const CONTEXT_TOKENS_MAX = 1_200;
const CONTEXT_SHARE = 1 / 8;
/** Of one of them; fewer say nothing. */
const CONTEXT_WORDS_MAX = 400;
const CONTEXT_WORDS_MIN = 10;

/**
 * Tokens a piece may have when all requests of a run may have `maxInputTokens` and `fixedTokens` of each are taken
 * (system text, tools, list of memories).
 */
export function pieceTokens(facts: {
  readonly maxInputTokens: number;
  readonly fixedTokens: number;
}): number {
  const room = Math.floor((facts.maxInputTokens - READ_TOKENS) / REQUESTS) - facts.fixedTokens;
  return Math.min(PIECE_TOKENS_MAX, Math.max(PIECE_TOKENS_MIN, room));
}

export interface PiecesInput extends WindowInput {
  /** Tokens of one rendered piece; `PIECE_TOKENS_MIN` at least. */
  readonly tokensMax: number;
}

/** None when nobody typed anything new. */
export function piecesOf(input: PiecesInput): Piece[] {
  const before = blocksOf(input.context, { ...input, isFresh: () => false });
  const blocks = [...before, ...blocksOf(input.records, input)];
  const cutting: Cutting = {
    blocks,
    time: localTimeIn(input.timeZone),
    tokensMax: Math.max(PIECE_TOKENS_MIN, input.tokensMax),
  };
  const drafts: Draft[] = [];
  for (let from = nextFresh(blocks, before.length); from < blocks.length;) {
    const draft = draftAt(from, cutting);
    drafts.push(draft);
    from = nextFresh(blocks, draft.end);
  }
  const cleanEnd = cleanEndsOf(blocks, before.length);
  return drafts.map((draft, index) => ({
    window: renderBlocks({ context: draft.context, blocks: draft.blocks, time: cutting.time }),
    // What lies between two pieces holds nothing new.
    endOffset: cleanEnd(drafts[index + 1]?.from ?? blocks.length),
    typed: draft.blocks.filter(isFresh).length,
  }));
}

interface Cutting {
  /** Context first. */
  readonly blocks: readonly Block[];
  readonly time: LocalTime;
  readonly tokensMax: number;
}

interface Draft {
  readonly from: number;
  /** Just after its last block. */
  readonly end: number;
  readonly context: readonly Said[];
  readonly blocks: readonly Block[];
}

/** A piece that begins with the new message at `from`. */
function draftAt(from: number, cutting: Cutting): Draft {
  const { blocks, time, tokensMax } = cutting;
  const context = contextBefore(from, cutting);
  const room = tokensMax - FRAME_TOKENS - sumOf(context, time);
  const first = blocks.slice(from, from + 1).map((block) => fitted(block, { time, room }));
  let used = sumOf(first, time);
  const tooMuch = (block: Block) => (used += tokensOf(block, time)) > room;
  const full = firstIn(blocks, { from: from + 1, to: blocks.length }, tooMuch) ?? blocks.length;
  const cut = full === blocks.length ? full : cutAt(blocks, { from, to: full });
  const end = withoutOldTail(blocks, { from, to: cut });
  return { from, end, context, blocks: [...first, ...blocks.slice(from + 1, end)] };
}

/** Places from `from` up to, not including, `to`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Where a piece ends that has no room for the block at `to`: after a whole turn, else before a message. When there is
 * but one message, the rest of the agent's work on it is left out: it holds nothing the person said.
 */
function cutAt(blocks: readonly Block[], { from, to }: Stretch): number {
  const lastFresh = lastIn(blocks, { from, to }, isFresh) ?? from;
  if (lastFresh === from) return to;
  const turnEnd = lastIn(blocks, { from, to }, (block) => block.kind === "silent" && block.endsTurn);
  if (turnEnd !== undefined) return turnEnd + 1;
  return blocks.slice(to, to + 1).some(isFresh) ? to : lastFresh;
}

/** Without the messages read before that follow the last new one, and what was answered to them. */
function withoutOldTail(blocks: readonly Block[], { from, to }: Stretch): number {
  const lastFresh = lastIn(blocks, { from, to }, isFresh) ?? from;
  const isTyped = (block: Block) => block.kind === "said" && block.by === "user";
  return firstIn(blocks, { from: lastFresh + 1, to }, isTyped) ?? to;
}

/** A message that fits no piece is shown without its middle. */
function fitted(block: Block, { time, room }: { readonly time: LocalTime; readonly room: number }): Block {
  if (block.kind !== "said" || tokensOf(block, time) <= room) return block;
  const header = tokensOf({ ...block, text: "", left: block.text.length }, time);
  return { ...block, ...keepEnds(block.text, room - header) };
}

/** The last words before a piece, as many as there is room for. */
function contextBefore(from: number, { blocks, time, tokensMax }: Cutting): readonly Said[] {
  const words: Block[] = [];
  for (let index = from - 1; index >= 0 && words.length < CONTEXT_RECORDS_MAX; index -= 1) {
    const block = blocks[index];
    if (block?.kind === "said" && block.by !== "tool") words.unshift(block);
  }
  const kept: Said[] = [];
  let room = Math.min(CONTEXT_TOKENS_MAX, Math.floor(tokensMax * CONTEXT_SHARE));
  for (const block of asContext(words).toReversed()) {
    const header = tokensOf({ ...block, text: "", left: block.text.length }, time);
    const text = Math.min(CONTEXT_WORDS_MAX, room - header);
    if (text < CONTEXT_WORDS_MIN) break;
    const short = { ...block, ...keepEnds(block.text, text) };
    kept.unshift(short);
    room -= tokensOf(short, time);
  }
  return kept;
}

/** Where the cursor may stand when everything before a block is done: never inside a line that reaches beyond it. */
function cleanEndsOf(blocks: readonly Block[], base: number): (boundary: number) => number | undefined {
  const highest = new Map<number, number>();
  const lowest = new Map<number, number>();
  let [high, low] = [0, Number.POSITIVE_INFINITY];
  for (let place = base; place < blocks.length; place += 1) {
    high = Math.max(high, blocks[place]?.span.end ?? 0);
    highest.set(place + 1, high);
  }
  for (let place = blocks.length; place >= base; place -= 1) {
    low = Math.min(low, blocks[place]?.span.start ?? low);
    lowest.set(place, low);
  }
  return (boundary) => {
    for (let place = boundary; place > base; place -= 1) {
      const end = highest.get(place);
      if (end !== undefined && end < (lowest.get(place) ?? Number.POSITIVE_INFINITY)) return end;
    }
    return undefined;
  };
}

function nextFresh(blocks: readonly Block[], from: number): number {
  return firstIn(blocks, { from, to: blocks.length }, isFresh) ?? blocks.length;
}

function isFresh(block: Block): boolean {
  return block.kind === "said" && block.fresh;
}

function sumOf(blocks: readonly Block[], time: LocalTime): number {
  return blocks.reduce((sum, block) => sum + tokensOf(block, time), 0);
}

/** A long session has many pieces: nothing here looks at all of it for each. */
function firstIn(blocks: readonly Block[], { from, to }: Stretch, test: (block: Block) => boolean) {
  for (let place = from; place < to; place += 1) {
    const block = blocks[place];
    if (block !== undefined && test(block)) return place;
  }
  return undefined;
}

function lastIn(blocks: readonly Block[], { from, to }: Stretch, test: (block: Block) => boolean) {
  for (let place = to - 1; place >= from; place -= 1) {
    const block = blocks[place];
    if (block !== undefined && test(block)) return place;
  }
  return undefined;
}
