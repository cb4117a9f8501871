// The shape of an order to somebody who works on code: "use ...", "I want you to ...", "make sure that ...". Says
// nothing about how long the order holds. Pure.
import { withoutOpening } from "./opening.ts";

/** What an agent does. "Always show the sidebar" is about a program, so show, return, render and the like are missing. */
export const DOING =
  "(?:[a-z]{2,8}-)?(?:commit|push|run|use|utili[sz]e|write|reply|respond|answer|ask|check|test|name|prefix|suffix|append|prepend|add|include|incorporate|format|document|start|begin|end|finish|put|keep|make|create|place|explain|speak|talk|prefer|avoid|do|follow|read|rebase|squash|merge|sign|lint|import|declare|define|comment|wrap|annotate|decorate|install|upgrade|update|verify|review|deploy|touch|edit|change|modify|delete|remove|mock|stub|generate|skip|mention|summari[sz]e|assume|guess|code|pin|mark|split|bump|translate|apply|implement|adopt|capitali[sz]e|abbreviate|indent|quote|cite|link|work|switch|stick|go|set up|take|stop|refrain|rely|limit|communicate|ensure|begin)";

/** A wish that makes an order of what follows it. */
const WISH =
  /^(?:i(?:'d| would|’d)?(?: really| also| now| just)? (?:want|need|like|love|prefer|expect|ask) (?:for )?(?:you|us)(?: all)? to|i(?:'m| am) asking you to|(?:i(?:'d| would) (?:really )?appreciate it if you|you)(?:'ll)? (?:should|must|need to|have to|ought to)|we (?:should|must|need to|have to|ought to)|(?:please )?(?:make sure|ensure|be sure|make certain|see to it)(?: that)?(?: you(?:'re| are)?| we)?(?: to)?|(?:please )?(?:remember|don'?t forget) to|let's|let us|it(?:'s| is) (?:important|essential|crucial|best)(?: that you| for you to| to))\s+/iu;
const NEGATED_WISH = /^i (?:do not|don'?t|never) want (?:you to|to see (?:you )?)\s*/iu;

const ADVERB = "(?:(?:also|only|now|please|simply|just|instead|\\w{3,12}ly) )?";
const IMPERATIVE = new RegExp(String.raw`^(?:please )?${ADVERB}${DOING}(?:ing)?\b`, "iu");
const PROHIBITION =
  /^(?:please )?(?:don'?t|do not|never|no longer|stop|avoid|refrain from|no more)(?: ever)? (?!mind\b|worry\b|hesitate\b|be\b|forget\b|know\b|think\b|care\b|see\b|understand\b)\p{Ll}[\p{L}-]+/iu;
/** Orders nobody can follow or check. */
const VAGUE =
  /^(?:always |never |now )?(?:(?:be|keep|stay|try|strive|continue|focus|think|feel|embrace|explore|remember|consider|encourage|emphasi[sz]e|discuss|share|reach|help|work on|look|pay|prioriti[sz]e|aim|foster|promote|create an?|make (?:an effort|time|it a)|take (?:part|ownership|the lead|charge|a moment|some|advantage|the time))\b(?! (?:adding|using|including|naming|writing|starting|ending|importing|running|committing|(?:commit|the tests?|tests|functions?|commits?)\b)))/iu;

export interface Order {
  /** From the verb (or the always, never, don't before it) on. */
  readonly rest: string;
  /** Said as a wish: "I want you to ...". */
  readonly wish: boolean;
  /** "Let's ...": a common undertaking, more often a task than a rule. */
  readonly together: boolean;
  readonly negated: boolean;
}

/** The order in a sentence, its opening left out; undefined when it orders nothing. */
export function orderOf(sentence: string): Order | undefined {
  const text = withoutOpening(sentence);
  const negatedWish = NEGATED_WISH.exec(text);
  if (negatedWish !== null)
    return { rest: text.slice(negatedWish[0].length), wish: true, together: false, negated: true };
  const wish = WISH.exec(text);
  const rest = withoutOpening(text.slice(wish?.[0].length ?? 0));
  const bare = rest.replace(/^(?:always|never|not|only)\s+/iu, "");
  const negated = PROHIBITION.test(rest) || /^(?:never|not)\b/iu.test(rest);
  if (VAGUE.test(rest) || VAGUE.test(bare)) return undefined;
  return IMPERATIVE.test(bare) || negated
    ? { rest, wish: wish !== null, together: /^let/iu.test(wish?.[0] ?? ""), negated }
    : undefined;
}

/** Text of an order in the other languages: something is asked of the reader, politely or not. */
const ELSEWHERE: readonly RegExp[] = [
  /(?:不要|别|別|请|請|必须|务必|一律|都?用|要|得|改成|保持|按|先|只|写|禁止)/u,
  /(?:て(?:ください|下さい|ね|ほしい|欲しい|もらえる)?|で(?:ください|ね)|こと|しろ|せよ|ないで(?:ください|ね)?|ように(?:して(?:ください)?)?|お願いします|お願い|でお願いします|ます)[。.!！]*$/u,
  /\b(?:bitte|kein(?:e[nrms]?)?|nur|immer|nie|niemals|nicht|stets)\b|^(?:verwende|benutze|nutze|nimm|schreibe?|antworte|führe?|mach|mache|teste|prüfe|committe|pushe|ändere|lösche?|füge|formatiere|kommentiere|benenne|frage?|erkläre?|halte|vermeide|lege?|setze?|starte|gib)\b/iu,
  /\b(?:siempre|nunca|jamás|solo|no)\b|^(?:usa|utiliza|escribe|responde|contesta|ejecuta|haz|pon|añade|agrega|crea|prueba|comenta|nombra|formatea|pregunta|evita|mantén|revisa|deja)\b|\b(?:quiero|necesito) que\b|\b\p{L}{2,12}(?:a|e)(?:me|lo|la)\b/iu,
];

/** Whether a sentence in Chinese, Japanese, German or Spanish asks for something. */
export function asksElsewhere(sentence: string): boolean {
  return ELSEWHERE.some((pattern) => pattern.test(sentence));
}
