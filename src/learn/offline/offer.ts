// What an assistant offered, put as the rule the person agreed to. Never a source by itself: only what the person
// affirmed in the next message counts.
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
