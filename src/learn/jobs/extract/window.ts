// The text a model reads of a session. Lines of ours carry a code that occurs in nobody's words, so no text can pass
// for a mark or for another record's header; what may be quoted is exactly what is shown. Pure; no rule of its own
// about what is worth keeping.
import type { TimeZone } from "../../../domain/calendar.ts";
import type { Instant, TranscriptRecord } from "../../../domain/records.ts";
import { estimateTokens } from "../../../domain/tokens.ts";
import { type Block, type BlockRules, blocksOf, type Said } from "./blocks.ts";
import { localTimeIn, type LocalTime } from "../local-time.ts";
import { CODE_CHARS, codeFor, hostLine } from "../marks.ts";

/** A record a model may quote. */
export interface ShownRecord {
  /** Stands in the window letter for letter. */
  readonly text: string;
  readonly by: Said["by"];
  readonly at: Instant | undefined;
  /** Place in the window, rising. */
  readonly order: number;
}

export interface RenderedWindow {
  readonly text: string;
  /** By record id. What is not in here cannot be evidence. */
  readonly shown: ReadonlyMap<string, ShownRecord>;
  /**
   * Everything shown, in order, for whoever asks what stands right before a yes; "" is the id of what cannot be quoted.
   */
  readonly heard: readonly HeardWords[];
  readonly tokens: number;
}

export interface HeardWords {
  readonly recordId: string;
  readonly by: Said["by"];
}

export interface WindowInput extends BlockRules {
  /** What was processed before, oldest first. */
  readonly context: readonly TranscriptRecord[];
  /** What is new; the person's privacy wishes have been applied to both (`offline/privacy.ts`). */
  readonly records: readonly TranscriptRecord[];
  readonly timeZone: TimeZone;
}

/** For measuring; a code of the same length takes its place. */
const ANY_CODE = "0".repeat(CODE_CHARS);

const CONTEXT_BEGINS = "already processed: for understanding only, no evidence for new memories";
const CONTEXT_ENDS = "end of what was already processed";
const NEW_BEGINS = "new: judge this part";
const NEW_ENDS = "end of the window";

/** Records as one window, all of them; `pieces.ts` cuts long ones. */
export function renderWindow(input: WindowInput): RenderedWindow {
  const context = blocksOf(input.context, { ...input, isFresh: () => false });
  return renderBlocks({
    context: asContext(context),
    blocks: blocksOf(input.records, input),
    time: localTimeIn(input.timeZone),
  });
}

/** Only words, and only the last answer with an id: a "yes" may be about it. */
export function asContext(blocks: readonly Block[]): Said[] {
  const said = blocks.filter((block) => block.kind === "said" && block.by !== "tool");
  return said.flatMap((block, index) => {
    if (block.kind !== "said") return [];
    const answered = block.by === "assistant" && index === said.length - 1;
    const who = block.fresh ? "person (read before)" : block.who;
    return [{ ...block, who, fresh: false, recordId: answered ? block.recordId : undefined }];
  });
}

export interface WindowParts {
  readonly context: readonly Said[];
  readonly blocks: readonly Block[];
  readonly time: LocalTime;
}

export function renderBlocks({ context, blocks, time }: WindowParts): RenderedWindow {
  const code = unusedCode([...context, ...blocks]);
  const page: Page = { code, time, lines: [], shown: new Map(), heard: [], last: undefined };
  if (context.length > 0) {
    mark(page, CONTEXT_BEGINS);
    for (const block of context) add(page, block);
    mark(page, CONTEXT_ENDS);
  }
  mark(page, NEW_BEGINS);
  for (const block of blocks) add(page, block);
  mark(page, NEW_ENDS);
  const text = page.lines.join("\n");
  return { text, shown: page.shown, heard: page.heard, tokens: estimateTokens(text) };
}

/** At least the tokens a block adds to a window. */
export function tokensOf(block: Block, time: LocalTime): number {
  if (block.kind === "silent") return 0;
  const header = estimateTokens(`${hostLine(ANY_CODE, headerOf(block, time))}\n`);
  return block.kind === "said" ? header + estimateTokens(`${block.text}\n`) : header;
}

/** At least the tokens of the marks. */
export const FRAME_TOKENS = [CONTEXT_BEGINS, CONTEXT_ENDS, NEW_BEGINS, NEW_ENDS]
  .map((words) => estimateTokens(`${hostLine(ANY_CODE, words)}\n`))
  .reduce((sum, tokens) => sum + tokens, 0);

interface Page {
  readonly code: string;
  readonly time: LocalTime;
  readonly lines: string[];
  readonly shown: Map<string, ShownRecord>;
  readonly heard: HeardWords[];
  /** The record whose text ends the page so far. */
  last: Said | undefined;
}

function mark(page: Page, words: string): void {
  page.lines.push(hostLine(page.code, words));
  page.last = undefined;
}

function add(page: Page, block: Block): void {
  if (block.kind === "silent") return;
  if (block.kind !== "said") return mark(page, headerOf(block, page.time));
  const { last, shown } = page;
  const { recordId, by, at, text } = block;
  const before = recordId === undefined ? undefined : shown.get(recordId);
  if (recordId !== undefined && before !== undefined && last?.recordId === recordId && last.by === by) {
    // One line of a transcript can hold several results: they share an id and stand under one header.
    shown.set(recordId, { ...before, text: `${before.text}\n${text}` });
    page.lines.push(text);
    return;
  }
  // An id leads to one text: what comes under a used one cannot be quoted.
  const own = before === undefined ? block : { ...block, recordId: undefined };
  const order = page.heard.push({ recordId: own.recordId ?? "", by });
  if (own.recordId !== undefined) shown.set(own.recordId, { text, by, at, order });
  page.lines.push(hostLine(page.code, headerOf(own, page.time)), text);
  page.last = own;
}

function headerOf(block: Exclude<Block, { kind: "silent" }>, time: LocalTime): string {
  if (block.kind === "compacted") return "the agent summed up and dropped what came before";
  if (block.kind === "folded") return foldedWords(block);
  const { who, by, at, left, recordId } = block;
  const said = at === undefined ? "time unknown" : by === "user" ? time.moment(at) : time.clock(at);
  // A message whose middle is missing is a message all the same: say so.
  const gap = left > 0 && by === "user" ? [`${left} characters left out at …`] : [];
  return [who, said, ...gap, ...(recordId === undefined ? [] : [`id ${recordId}`])].join(", ");
}

function foldedWords({ calls, answers }: Extract<Block, { kind: "folded" }>): string {
  const parts = [counted(calls, "tool call"), counted(answers, "answer")].filter((part) => part !== "");
  return `not shown: ${parts.length === 0 ? "more tool results" : parts.join(", ")}`;
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} more ${what}${count === 1 ? "" : "s"}`;
}

function unusedCode(blocks: readonly Block[]): string {
  const words = blocks
    .flatMap((block) => (block.kind === "said" ? [block.recordId ?? "", block.text] : []))
    .join("\n");
  return codeFor(words);
}
