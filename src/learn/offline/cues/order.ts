// The shape of an order to somebody who works on code: "use ...", "I want you to ...", "make sure that ...". Says
// nothing about how long the order holds. Pure.
import { withoutOpening } from "./opening.ts";

/** What an agent does. "Always show the sidebar" is about a program, so show, return, render and the like are missing. */
export const DOING =
  "(?:[a-z]{2,8}-)?(?:commit|push|run|use|utili[sz]e|write|reply|respond|answer|ask|check|test|name|prefix|suffix|append|prepend|add|include|incorporate|format|document|start|begin|end|finish|put|keep|make|create|place|explain|speak|talk|prefer|avoid|do|follow|read|rebase|squash|merge|sign|lint|import|declare|define|comment|wrap|annotate|decorate|install|upgrade|update|verify|review|deploy|touch|edit|change|modify|delete|remove|mock|stub|generate|skip|mention|summari[sz]e|assume|guess|code|pin|mark|split|bump|translate|apply|implement|adopt|capitali[sz]e|abbreviate|indent|quote|cite|link|work|switch|stick|go|set up|take|stop|refrain|rely|limit|communicate|ensure|begin)";

/** A wish that makes an order of what follows it. */
const WISH =
  /^(?:(?:i|we)(?:'d| would|’d)?(?: really| also| now| just| strongly| always)? (?:want|need|like|love|prefer|expect|ask|encourage|recommend|want to encourage|advise)(?: that)? (?:for )?(?:you|us)(?: all)?(?: to)?|i(?:'m| am) asking you to|(?:i(?:'d| would) (?:really )?appreciate it if you|you)(?:'ll)? (?:should|must|need to|have to|ought to)|we (?:should|must|need to|have to|ought to)|(?:always )?(?:remember|don'?t forget) to|let's|let us|it(?:'s| is) (?:important|essential|crucial|best)(?: that (?:you|we)| for you to| to)|focus on(?= \w+ing\b)|get (?:in|into) the habit of(?= (?:always|never)\b)|(?:i (?:want to |would like to |'d like to )?)?(?:emphasi[sz]e|stress)(?: the importance of| that)?(?= (?:always |never |consistently )?\w+ing\b| you\b))\s+/iu;
/** Followed by a verb, or by a clause with a subject of its own. */
const SEE_TO_IT =
  /^(?:always )?(?:please )?(?:make sure|ensure|be sure|make certain|see to it)(?: that)?(?: (?:you(?:'re| are)?|we)\b)?(?: to\b)?\s+/iu;
const CLAUSE = /^(?:all|every|each|any|your|our|the|no|\w+ names)\b/iu;
/** "One of our conventions is to ...", "another rule is that we ...". */
const RULE_IS =
  /^(?:(?:one of (?:our|the|my)|another|our|an?|the|my)(?: [\w-]+){0,2} (?:rules?|conventions?|practices?|standards?|polic(?:y|ies)|guidelines?|habits?)(?: (?:i|we)(?:'d| would)? (?:(?:also|always) )?(?:follow|have|use|like|want)(?: (?:us|you) to (?:adopt|follow))?| to follow)?(?: here)? is (?:to |that we |that you )?|(?:another|the (?:other|next|last)|one(?: (?:more|other|last))?)(?: [\w-]+)? (?:thing|point|update)(?: we do| (?:i|we) want to (?:emphasi[sz]e|stress))? is (?:to (?=(?:always|never)\b)|that (?=i(?:'d| would)? (?:want|need|like)\b)|(?:the importance of )(?=\w+ing\b)))/iu;
/** "I want you to make sure that you always ...": nobody stacks more. */
const WISHES_MAX = 4;
const NEGATED_WISH = /^(?:i|we) (?:do not|don'?t|never) want (?:you to|to see (?:you )?)\s*/iu;

const ADVERB = "(?:(?:also|only|now|please|simply|just|instead|\\w{3,12}ly) )?";
const IMPERATIVE = new RegExp(String.raw`^(?:please )?${ADVERB}${DOING}(?:ing)?\b`, "iu");
const HABITUAL = /^get (?:in|into) the habit of \w+ing\b/iu;
const GERUND =
  /^(?:using|adding|including|naming|writing|starting|ending|prefixing|suffixing|importing|annotating|documenting|wrapping)\b/iu;
const PROHIBITION =
  /^(?:please )?(?:don'?t|do not|never|no longer|stop|avoid|refrain from|no more)(?: ever)? (?!mind\b|worry\b|hesitate\b|be\b|forget\b|know\b|think\b|care\b|see\b|understand\b)\p{Ll}[\p{L}-]+/iu;
/** Orders nobody can follow or check. */
const VAGUE =
  /^(?:always |never |now )?(?:(?:be|keep (?:up|me|us|in (?:mind|touch)|an|going|learning|improving|striving|pushing|working)|stay|try|strive|continue|focus|think|feel|embrace|explore|remember|consider|encourage|emphasi[sz]e|discuss|share|reach|help|work on|look|pay|prioriti[sz]e|aim|foster|promote|create an?|make (?:an effort|time|it a)|take (?:part|ownership|the lead|charge|a moment|some|advantage|the time))\b(?! (?:on )?(?:adding|using|including|naming|writing|starting|ending|importing|running|committing|(?:commit|the tests?|tests|functions?|commits?)\b)))/iu;

export interface Order {
  /** From the verb (or the always, never, don't before it) on. */
  readonly rest: string;
  /** Said as a wish: "I want you to ...". */
  readonly wish: boolean;
  /** "Let's ...": a common undertaking, more often a task than a rule. */
  readonly together: boolean;
  readonly negated: boolean;
}

/** Whether the sentence says what it says as a wish, or as a rule that is in force. */
export function isWish(sentence: string): boolean {
  return (
    WISH.test(sentence) || SEE_TO_IT.test(sentence) || RULE_IS.test(sentence) || NEGATED_WISH.test(sentence)
  );
}

/** The order in a sentence, its opening left out; undefined when it orders nothing. */
export function orderOf(sentence: string): Order | undefined {
  const text = withoutOpening(sentence);
  const negatedWish = NEGATED_WISH.exec(text);
  if (negatedWish !== null)
    return { rest: text.slice(negatedWish[0].length), wish: true, together: false, negated: true };
  const { rest, wish, together, clause } = withoutWishes(text);
  const bare = rest.replace(/^(?:always|never|not|only)\s+/iu, "");
  const negated = PROHIBITION.test(rest) || /^(?:never|not)\b/iu.test(rest);
  if (VAGUE.test(rest) || VAGUE.test(bare)) return undefined;
  if (clause) return { rest, wish, together, negated };
  return IMPERATIVE.test(bare) || HABITUAL.test(bare) || (wish && GERUND.test(bare)) || negated
    ? { rest, wish, together, negated }
    : undefined;
}

function withoutWishes(text: string): {
  readonly rest: string;
  readonly wish: boolean;
  readonly together: boolean;
  /** What is wished is a state ("all names end with _x"). */
  readonly clause: boolean;
} {
  const rule = RULE_IS.exec(text)?.[0] ?? "";
  let rest = text.slice(rule.length);
  let wish = rule !== "";
  let together = false;
  let clause = false;
  for (let count = 0; count < WISHES_MAX; count++) {
    const seeTo = SEE_TO_IT.exec(rest)?.[0];
    const found = seeTo ?? WISH.exec(rest)?.[0];
    if (found === undefined) break;
    together ||= /^let/iu.test(found);
    rest = withoutOpening(rest.slice(found.length));
    clause = seeTo !== undefined && CLAUSE.test(rest);
    wish = true;
  }
  return { rest, wish, together, clause };
}

/** Text of an order in the other languages: something is asked of the reader, politely or not. */
const ELSEWHERE: readonly RegExp[] = [
  /(?:不要|别|別|请|請|必须|务必|一律|都?用|要|得|改成|保持|按|先|只|写|禁止)/u,
  /(?:て(?:ください|下さい|ね|ほしい|欲しい|もらえる)?|で(?:ください|ね)|こと|しろ|せよ|ないで(?:ください|ね)?|ように(?:して(?:ください)?)?|お願いします|お願い)[。.!！]*$/u,
  /\b(?:bitte|kein(?:e[nrms]?)?|nur|immer|nie|niemals|nicht|stets)\b|^(?:verwende|benutze|nutze|nimm|schreibe?|antworte|führe?|mach|mache|teste|prüfe|committe|pushe|ändere|lösche?|füge|formatiere|kommentiere|benenne|frage?|erkläre?|halte|vermeide|lege?|setze?|starte|gib)\b/iu,
  /\b(?:siempre|nunca|jamás|solo|no)\b|^(?:usa|utiliza|escribe|responde|contesta|ejecuta|haz|pon|añade|agrega|crea|prueba|comenta|nombra|formatea|pregunta|evita|mantén|revisa|deja)\b|\b(?:quiero|necesito) que\b|\b\p{L}{2,12}(?:a|e)(?:me|lo|la)\b/iu,
];

/** Whether a sentence in Chinese, Japanese, German or Spanish asks for something. */
export function asksElsewhere(sentence: string): boolean {
  return ELSEWHERE.some((pattern) => pattern.test(sentence));
}
