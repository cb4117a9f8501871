// The words of a text that tell what it is about, and how many of them somebody else said. Pure; understands no meaning.
import { cjkPairs, contentWords, hasCjk, sameWord } from "./words.ts";

/** Words that turn up in every conversation about work, in the languages we read. */
const EVERYDAY = new Set(
  (
    "use used uses using want wants need needs prefer prefers like likes think thinks make makes let lets know get gets go going do does done have has had " +
    "project code file files work works please always never must should not don't can could will would new now about time thing way yes no ok okay sure keep " +
    "just one all any other also here there what when where which how why if then than more most very good great right well too out up user person me us them " +
    "been being was were since into over still only both each every while because after before until own these those " +
    "nutzen nutzt verwenden verwendet benutzen wollen will möchte bitte immer nie nicht kein keine wenn dann auch noch schon mal hier projekt code ja nein gut " +
    "wird werden wurde seit nach vor bis nur wie was weil beim zum zur am an aus " +
    "usar usa uso quiero quiere necesita prefiere siempre nunca no sí si por favor aquí proyecto código bien ahora cuando también desde hasta sobre este esta"
  ).split(" "),
);
/** Pairs of nothing but kana are endings and particles. */
const TELLING_PAIR = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;
const EVERYDAY_PAIRS = new Set(
  "使用 我们 项目 需要 可以 一个 这个 代码 以后 今後 用户 プロ ロジ ジェ ェク クト".split(" "),
);

/** Telling words and, for scripts without spaces, telling pairs; each once. */
export function tellingWords(text: string): string[] {
  const latin = contentWords(text).filter((word) => !hasCjk(word) && !EVERYDAY.has(word));
  const pairs = cjkPairs(text).filter((pair) => TELLING_PAIR.test(pair) && !EVERYDAY_PAIRS.has(pair));
  return [...new Set([...latin, ...pairs])];
}

export interface Overlap {
  /** Telling words that stand in the grounds, in one of their forms. */
  readonly shared: number;
  readonly novel: number;
}

/** Numbers and dates are counted nowhere: other rules look at them. */
export function overlapOf(text: string, grounds: readonly string[]): Overlap {
  const own = tellingWords(text).filter((word) => !/\p{N}/u.test(word));
  const shared = own.filter((word) => grounds.some((ground) => isForm(word, ground))).length;
  return { shared, novel: own.length - shared };
}

/** `release-branch` and "release branch" are the same words. */
function isForm(word: string, ground: string): boolean {
  return (
    sameWord(word, ground) ||
    (ground.includes("-") && ground.split("-").some((part) => sameWord(word, part))) ||
    (word.includes("-") && word.split("-").some((part) => sameWord(part, ground)))
  );
}

/** At least half of what tells what a sentence is about; a sentence that tells nothing is carried by anything. */
export function isMostlySaid(text: string, grounds: readonly string[]): boolean {
  const { shared, novel } = overlapOf(text, grounds);
  return shared >= novel;
}
