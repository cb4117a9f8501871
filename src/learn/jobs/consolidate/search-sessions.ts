// The tool `search_sessions`: finds a literal text in what was said since the last dream. What it shows can be quoted,
// letter for letter; what it does not show cannot. Knows no patterns, and shows no tool's output.
import type { Evidence } from "../../../domain/changes.ts";
import { DREAM_LIMITS, RUN_LIMITS } from "../../../domain/limits.ts";
import type { HeardRecord } from "../../../memory/gate/facts.ts";
import { renderText } from "../../../memory/secrets/render.ts";
import { isTypedIn } from "../../offline/human-text.ts";
import { readArguments } from "../../runs/tools/arguments.ts";
import { objectSchema, textSchema } from "../../runs/tools/schemas.ts";
import { failure, success, type Tool } from "../../runs/tools/tool.ts";
import type { Quote } from "../../runs/stage.ts";
import type { LocalTime } from "../local-time.ts";
import { codeFor, hostLine } from "../marks.ts";
import type { Words } from "./session-words.ts";

export const SEARCH_SPEC: Tool["spec"] = {
  name: "search_sessions",
  description: `Finds messages of the sessions since the last dream that contain a text: what the person typed and what the assistant said. The text is taken literally; upper and lower case are the same. Use it for something you already suspect, at most ${DREAM_LIMITS.searchesMax} times. What it shows can be quoted by its id.`,
  inputSchema: objectSchema({ text: textSchema("The words to look for, part of one message.") }),
};

/** Of one message; longer ones are shown around what was found. */
const SHOWN_CHARS = 1_200;
/** All hits of one search; a tool result holds a little more. */
const ANSWER_CHARS = RUN_LIMITS.toolResultCharsMax - 1_000;
/** Ids are UUIDs, hashes or `file:offset`; anything else came from a broken or hostile transcript. */
const QUOTABLE_ID = /^[^\s[\],]{1,200}$/u;

/** What a run was shown of the sessions. */
export interface SessionSearch {
  readonly tool: Tool;
  /** Whose words a quote is; undefined for what was not shown. */
  evidenceOf(quote: Quote): Evidence | undefined;
  recordText(recordId: string): string | undefined;
  /** By record id. */
  shownTexts(): ReadonlyMap<string, string>;
  /** Every message in order, also those that were not shown: a "yes" answers what stands right before it. */
  readonly heard: readonly HeardRecord[];
  /** Messages that ask to remember something; whoever finds more adds them. */
  readonly insisted: Set<string>;
}

export interface SearchDeps {
  /** Asked once, at the first search. */
  read(): Promise<readonly Words[]>;
  readonly time: LocalTime;
}

interface State {
  readonly time: LocalTime;
  readonly rendered: Map<Words, string>;
  readonly shown: Map<string, { readonly words: Words; readonly text: string }>;
  readonly heard: HeardRecord[];
  readonly insisted: Set<string>;
  words: readonly Words[] | undefined;
  searches: number;
}

export function createSessionSearch({ read, time }: SearchDeps): SessionSearch {
  const state: State = {
    time,
    rendered: new Map(),
    shown: new Map(),
    heard: [],
    insisted: new Set(),
    words: undefined,
    searches: 0,
  };
  const load = async () => {
    state.words ??= remember(state, await read());
    return state.words;
  };
  return {
    tool: { spec: SEARCH_SPEC, writes: false, run: async (input) => search(state, input, load) },
    evidenceOf: (quote) => evidenceOf(state, quote),
    recordText: (recordId) => state.shown.get(recordId)?.text,
    shownTexts: () => new Map([...state.shown].map(([recordId, { text }]) => [recordId, text])),
    heard: state.heard,
    insisted: state.insisted,
  };
}

function remember({ heard, insisted }: State, words: readonly Words[]): readonly Words[] {
  for (const { recordId, by, insists } of words) {
    // Nothing of the assistant's counts as affirmed before it was shown to its end.
    heard.push({ recordId: by === "user" ? recordId : "", by });
    if (insists) insisted.add(recordId);
  }
  return words;
}

async function search(
  state: State,
  input: Readonly<Record<string, unknown>>,
  load: () => Promise<readonly Words[]>,
): Promise<ReturnType<typeof success>> {
  const given = readArguments(input);
  const text = given.text("text", { charsMax: RUN_LIMITS.patternCharsMax });
  const problem = given.problem();
  if (problem !== undefined) return failure(problem);
  if (state.searches >= DREAM_LIMITS.searchesMax) {
    return failure(`not done: at most ${DREAM_LIMITS.searchesMax} searches in one run`);
  }
  state.searches += 1;
  const wanted = folded(text);
  const words = await load();
  const hits: { readonly index: number; readonly text: string }[] = [];
  let room = ANSWER_CHARS;
  let left = 0;
  for (const [index, one] of words.entries()) {
    if (!QUOTABLE_ID.test(one.recordId) || !folded(one.text).includes(wanted)) continue;
    // Asked again of what is shown: what is masked cannot be guessed at.
    const at = folded(renderedOf(state, one)).indexOf(wanted);
    if (at === -1) continue;
    const excerpt = excerptOf(renderedOf(state, one), at);
    room -= excerpt.length + HEADER_CHARS;
    if (hits.length >= DREAM_LIMITS.hitsMax || room < 0) left += 1;
    else hits.push({ index, text: excerpt });
  }
  return success(shownHits(state, { hits, left }));
}

/** At least what stands above a hit. */
const HEADER_CHARS = 300;

interface Hits {
  readonly hits: readonly { readonly index: number; readonly text: string }[];
  readonly left: number;
}

function shownHits(state: State, { hits, left }: Hits): string {
  if (hits.length === 0) return "nothing was found";
  const code = codeFor(hits.map(({ text }) => text).join("\n"));
  const lines = hits.flatMap(({ index, text }) => {
    const words = state.words?.[index];
    if (words === undefined) return [];
    note(state, { words, index, text });
    const { by, at, recordId } = words;
    const when = at === undefined ? "time unknown" : state.time.moment(at);
    return [
      hostLine(code, [by === "user" ? "person" : "assistant", when, `id ${recordId}`].join(", ")),
      text,
    ];
  });
  const more = left === 0 ? [] : [hostLine(code, `${left} more; look for a longer text`)];
  return [...lines, hostLine(code, "end"), ...more].join("\n");
}

/** What was shown before of the same message stays quotable. */
function note(state: State, { words, index, text }: { words: Words; index: number; text: string }): void {
  const { recordId, by } = words;
  const before = state.shown.get(recordId)?.text;
  const all = before === undefined || before.includes(text) ? (before ?? text) : `${before}\n${text}`;
  state.shown.set(recordId, { words, text: all });
  if (by === "assistant" && text === renderedOf(state, words)) state.heard[index] = { recordId, by };
}

function renderedOf({ rendered }: State, words: Words): string {
  const text = rendered.get(words) ?? renderText(words.text).trim();
  rendered.set(words, text);
  return text;
}

/** Whole words around a place. */
function excerptOf(text: string, at: number): string {
  if (text.length <= SHOWN_CHARS) return text;
  const from = Math.max(0, Math.min(at - SHOWN_CHARS / 2, text.length - SHOWN_CHARS));
  const piece = text.slice(from, from + SHOWN_CHARS);
  const head = from === 0 ? piece : `…${piece.replace(/^\S{1,300}/u, "")}`;
  return from + SHOWN_CHARS >= text.length ? head : `${head.replace(/\S{1,300}$/u, "")}…`;
}

function evidenceOf({ shown }: State, { recordId, quote }: Quote): Evidence | undefined {
  const found = shown.get(recordId);
  if (found === undefined) return undefined;
  const { session, by, at } = found.words;
  const voice = by === "user" && !isTypedIn(found.words.text, quote) ? "tool" : by;
  return { session, recordId, by: voice, quote, at };
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
