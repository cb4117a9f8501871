// What an assistant offered, put as the rule the person agreed to. Never a source by itself: only what the person
// affirmed in the next message counts.
import { overlapOf, tellingWords } from "../../memory/gate/telling.ts";
import { leansBack, saysForGood } from "./cues/standing.ts";
import { statementsOf } from "./statements.ts";

export interface Offer {
  /** The rule without the question. */
  readonly text: string;
  /** Offered for good, so that a plain "yes" makes it a rule. */
  readonly forGood: boolean;
  /** Where it stands, word for word. */
  readonly quote: string;
}

const ASKS =
  /(?:,|;|:|\.| -| –| —)?\s*(?:shall|should|may|can|do you want|would you like|want) (?:i|we|me to)( (?:.{1,120}))?\?$/iu;
const ASKS_DE = /(?:,|;|:|\.)?\s*(?:soll|sollen) (?:ich|wir) (.{1,120})\?$/iu;
const ASKS_CJK =
  /(?:，|、|;|；)?\s*(?:要不要|要|需要|可以)?(?:我)?(.{0,60}?)(?:吗|么|ましょうか|ますか|でしょうか)[?？]?$/u;

/** The last thing offered in a message: a question whether to do so, or a plan said to hold from now on. */
export function offerOf(message: string): Offer | undefined {
  const last = statementsOf(message).at(-1);
  if (last === undefined) return undefined;
  const forGood = saysForGood(last.text);
  const text = last.isQuestion ? ruleIn(last.text) : isPlan(last.text, forGood) ? last.text : undefined;
  return text === undefined ? undefined : { text, forGood, quote: last.text };
}

/** "..., as the page asks": the assistant says itself that it is not its own idea. */
const ATTRIBUTED =
  /\b(?:as|like|since|because|per) (?:the|their|its|that|this) [^,.;:]{1,40}?\b(?:asks?|asked|says?|said|requests?|requested|wants?|requires?|recommends?|suggests?|tells?|instructs?|instructed)\b|\baccording to (?:the|their|its)\b|\bwie (?:die|der|das) [^,.;:]{1,40}? (?:sagt|verlangt|will|empfiehlt)\b|\bcomo (?:pide|dice|indica|recomienda) (?:la|el)\b|(?:按照?|根据)[^，。]{0,20}(?:页面|网页|文档|说明|README)|(?:ページ|README|ドキュメント)(?:の指示|に書いて|によると)/iu;

/**
 * Whether the offer only passes on an order that a tool's output held: a "yes" to it is no wish of the person's own.
 * That a tool named the same things is no reason, since every offer is about what was read.
 */
export function isPassedOn({ text }: Offer, toolText: string): boolean {
  if (ATTRIBUTED.test(text)) return true;
  return toolText.split(/[\n.!?。！？]/u).some((sentence) => {
    if (!saysForGood(sentence.slice(0, SENTENCE_CHARS))) return false;
    const { shared, novel } = overlapOf(text, tellingWords(sentence.slice(0, SENTENCE_CHARS)));
    return shared > 0 && shared >= novel;
  });
}

const SENTENCE_CHARS = 300;

const PLAN = /\bi(?:'ll| will| can)\b|\bich werde\b|^(?:我会|我将)|ます[。.]?$|\bvoy a\b/iu;

/** "I'll do that from now on" says nothing by itself. */
function isPlan(text: string, forGood: boolean): boolean {
  return forGood && PLAN.test(text) && !leansBack(text);
}

function ruleIn(question: string): string | undefined {
  for (const pattern of [ASKS, ASKS_DE, ASKS_CJK]) {
    const match = pattern.exec(question);
    if (match === null) continue;
    const subject = question.slice(0, match.index).trim();
    const doing = (match[1] ?? "").trim();
    const rule = [subject, doing].filter((part) => part !== "").join(": ");
    return rule === "" ? undefined : `${rule}.`;
  }
  return undefined;
}
