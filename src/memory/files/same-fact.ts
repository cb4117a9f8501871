// Decides whether a new statement says what a memory already says, in any supported language. Conservative: a wrong
// "no" costs a second file, a wrong "yes" loses what the person said. Pure.
import type { MemoryDraft, MemoryType } from "../../domain/memories.ts";
import { choiceKey } from "./choice.ts";

/** Share of words both sides have in common from which they say the same. */
export const SIMILAR_SHARE = 0.85;
/** Characters compared of one text; facts are short, pasted walls are not facts. */
const COMPARED_CHARS_MAX = 8_000;

/** Negation, in the languages we read. */
const NEGATIONS = new Set(
  (
    "not no never none neither nor without don't doesn't didn't isn't aren't can't cannot won't shouldn't mustn't avoid " +
    "stop nicht kein keine keinen keiner nie niemals ohne nunca no sin jamás ni tampoco evita evitar nada"
  ).split(" "),
);
const NEGATION_PARTS = /(?:不要|别|別|不|没|沒|勿|禁止|ない|ません|なく|ずに|禁)/gu;

/** Words that carry no meaning of their own. */
const FILLERS = new Set(
  (
    "a an the is are be to of in on for and or we i you our my your it this that please should must always " +
    "der die das ein eine ist sind zu von im in am und oder wir ich bitte immer den dem " +
    "el la los las un una es son de del en y o que por favor siempre " +
    "的 了 是 在 我 我们 请 です ます は が を に の で と"
  ).split(" "),
);

/** A memory on disk, or one that is to be. */
export interface Stated {
  readonly type: MemoryType | undefined;
  readonly description: string | undefined;
  readonly body: string;
}

export function sameFact(draft: Pick<MemoryDraft, "type" | "description" | "body">, memory: Stated): boolean {
  if (memory.type !== undefined && memory.type !== draft.type) return false;
  const ours = [draft.description, coreOf(draft.body)];
  const theirs = [memory.description ?? "", coreOf(memory.body)];
  const choice = choiceKey(ours);
  const otherChoice = choiceKey(theirs);
  // "pnpm, not npm" and "npm, not pnpm" are the same words.
  if (choice !== undefined && otherChoice !== undefined) return choice === otherChoice;
  if (ours.some((text) => text !== "" && theirs.some((other) => plain(text) === plain(other)))) {
    // The heading may match while the bodies disagree about a value.
    return agree(ours.join("\n"), theirs.join("\n"));
  }
  return similar(ours.join("\n"), theirs.join("\n"));
}

/** What tells one text from another. */
export interface Looks {
  readonly words: ReadonlySet<string>;
  readonly negates: boolean;
  readonly hard: string;
}

export function looksOf(text: string): Looks {
  return { words: words(text), negates: negations(text), hard: hardTokens(text) };
}

/** What it chooses, for whoever compares one statement with many; see `choice.ts`. */
export function chosenIn({
  description,
  body,
}: Pick<MemoryDraft, "description" | "body">): string | undefined {
  return choiceKey([description, coreOf(body)]);
}

/** The statement itself: the reasons and the how-to below it may differ. */
export function coreOf(body: string): string {
  return body.split(/^[ \t]*\*\*(?:Why|How to apply)[^*\n]{0,40}\*\*/imu, 1)[0]?.trim() ?? "";
}

function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, " ")
    .trim()
    .slice(0, COMPARED_CHARS_MAX);
}

/** Same negations, numbers, identifiers and paths on both sides. */
function agree(a: string, b: string): boolean {
  return negations(a) === negations(b) && hardTokens(a) === hardTokens(b);
}

function similar(a: string, b: string): boolean {
  if (!agree(a, b)) return false;
  const [first, second] = [words(a), words(b)];
  if (first.size < 2 || second.size < 2) return false;
  const common = [...first].filter((word) => second.has(word)).length;
  return common / (first.size + second.size - common) >= SIMILAR_SHARE;
}

/** Whether the text negates at all; the count differs by repetition in description and body. */
function negations(text: string): boolean {
  const lower = text.normalize("NFKC").toLowerCase().replaceAll("’", "'");
  return (
    NEGATION_PARTS[Symbol.match](lower) !== null ||
    lower.split(/[^\p{L}\p{M}']+/u).some((word) => NEGATIONS.has(word))
  );
}

/** Everything where one character makes another fact: numbers, paths, URLs, code, names with marks or capitals inside. */
function hardTokens(text: string): string {
  const bounded = text.normalize("NFKC").slice(0, COMPARED_CHARS_MAX);
  const code = bounded.match(/`[^`\n]{1,200}`/gu) ?? [];
  const hard = (bounded.match(/[\p{L}\p{N}_$@#./\\:~+=-]+/gu) ?? [])
    .map((token) => token.replace(/^[.:-]+|[.:,-]+$/gu, ""))
    .filter((token) => /\p{N}|[_$@#/\\~+=]|[.:]\w|\p{Ll}\p{Lu}/u.test(token));
  return [...new Set([...code, ...hard])].toSorted().join("\n");
}

function words(text: string): ReadonlySet<string> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  const found = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(plain(text))) {
    if (isWordLike === true && !FILLERS.has(segment)) found.add(segment);
  }
  return found;
}
