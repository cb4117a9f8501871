// Aboutness: a memory speaks of what its sources speak of. Quotes that are real but about something else prove nothing.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import { withoutReasons } from "../clauses.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { affirmedQuotes, citedMemories, memoryText, resultingType, textOf } from "../quotes.ts";
import { sentencesOf } from "../sentences.ts";
import { cjkPairs, contentWords, hasCjk, normalise, sameWord } from "../words.ts";

/** Words that turn up in every conversation about work, in the languages we read. */
const EVERYDAY = new Set(
  (
    "use used uses using want wants need needs prefer prefers like likes think thinks make makes let lets know get gets go going do does done have has had " +
    "project code file files work works please always never must should not don't can could will would new now about time thing way yes no ok okay sure keep " +
    "just one all any other also here there what when where which how why if then than more most very good great right well too out up user person me us them " +
    "nutzen nutzt verwenden verwendet benutzen wollen will möchte bitte immer nie nicht kein keine wenn dann auch noch schon mal hier projekt code ja nein gut " +
    "usar usa uso quiero quiere necesita prefiere siempre nunca no sí si por favor aquí proyecto código bien ahora cuando también"
  ).split(" "),
);
/** Pairs of nothing but kana are endings and particles. */
const TELLING_PAIR = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;
const EVERYDAY_PAIRS = new Set(
  "使用 我们 项目 需要 可以 一个 这个 代码 以后 今後 使用 用户 プロ ロジ ジェ ェク クト".split(" "),
);
/** Share of its words that a tidied sentence must have from the memories it rests on. */
const TIDIED_SHARE_MIN = 0.5;

export function aboutRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const cited = citedMemories(change, facts).map(memoryText).join("\n");
  const fresh = newSentences(change, cited);
  if (fresh.length === 0) return undefined;
  if (change.evidence.every((item) => item.by === "memory")) {
    const words = wordsOf(cited);
    return fresh.every((sentence) => shareOf(sentence, words) >= TIDIED_SHARE_MIN)
      ? undefined
      : refuse("tidying adds no sentence of its own; keep to what the cited memories say");
  }
  const grounds = wordsOf(textOf(groundsOf(change, facts)));
  return wordsOf(fresh.join("\n")).some((word) => grounds.some((ground) => sameWord(word, ground)))
    ? undefined
    : refuse("the quoted words are about something else; quote the words that say this, in their language");
}

/** Quotes that may carry the type; what the assistant merely claimed carries none. */
function groundsOf(change: MemoryChange, facts: ProposalFacts): readonly Evidence[] {
  const type = resultingType(change, facts);
  const affirmed = affirmedQuotes(change.evidence, facts);
  const isFact = type === "project" || type === "reference";
  return change.evidence.filter(
    (item) =>
      item.by === "user" ||
      affirmed.includes(item) ||
      (isFact && item.by !== "assistant") ||
      (item.by === "memory" && facts.hearsay?.has(item.recordId) !== true),
  );
}

function newSentences(change: MemoryChange & { readonly op: "create" | "update" }, cited: string): string[] {
  const { description, body } = change.memory;
  const known = normalise(cited);
  return sentencesOf(`${description}\n\n${withoutReasons(body)}`).filter(
    (sentence) => !known.includes(normalise(sentence)),
  );
}

/** Telling words and, for scripts without spaces, telling pairs. */
function wordsOf(text: string): string[] {
  const latin = contentWords(text).filter((word) => !hasCjk(word) && !EVERYDAY.has(word));
  const pairs = cjkPairs(text).filter((pair) => TELLING_PAIR.test(pair) && !EVERYDAY_PAIRS.has(pair));
  return [...new Set([...latin, ...pairs])];
}

function shareOf(sentence: string, words: readonly string[]): number {
  const own = wordsOf(sentence);
  const found = own.filter((word) => words.some((candidate) => sameWord(word, candidate))).length;
  return own.length === 0 ? 1 : found / own.length;
}

function refuse(message: string): Refusal {
  return { reason: "unsupported", message };
}
