// What an assistant offered, put as the rule the person agreed to. Never a source by itself: only what the person
// affirmed in the next message counts.
import { statementsOf, type Statement } from "./statements.ts";

export interface Offer {
  /** The rule without the question. */
  readonly text: string;
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
  if (last.isQuestion) return offerIn(last);
  return /\b(?:i(?:'ll| will| can)|from now on|going forward)\b/iu.test(last.text) &&
    /\b(?:from now on|going forward|in (?:the )?future|always|every time)\b/iu.test(last.text)
    ? { text: last.text, quote: last.text }
    : undefined;
}

function offerIn({ text }: Statement): Offer | undefined {
  for (const pattern of [ASKS, ASKS_DE, ASKS_CJK]) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const subject = text.slice(0, match.index).trim();
    const doing = (match[1] ?? "").trim();
    const rule = subject === "" ? doing : doing === "" ? subject : `${subject}: ${doing}`;
    return rule === "" ? undefined : { text: `${rule}.`, quote: text };
  }
  return undefined;
}
