// Whether a message says yes to what was proposed right before it, as a whole. Five languages; when in doubt, no. Pure.
import { sentencesOf } from "./sentences.ts";
import { normalise } from "./words.ts";

/** How a yes begins. Words that also begin other sentences need an end behind them ("right now", "good question"). */
const YES = new RegExp(
  [
    String.raw`^(?:yes|yeah|yep|yup|sure(?: thing)?|exactly|precisely|absolutely|definitely|certainly|of course|correct|agreed|i agree|that'?s right|ok(?:ay)?|alright|all right|perfect|sounds (?:good|great|fine|right|perfect)|works for me|go ahead|go for it|please do(?= that| so| it|[,.!]|$)|do (?:that|it|so)|let'?s do (?:that|it|so)|keep (?:doing|it (?:that|this) way)|keep \w+ing|no problem|lgtm|approved)(?![\p{L}\p{N}'])`,
    String.raw`^(?:right|great|good|fine|super|gut|nice|si)(?=\s*[,.!]|$)|^(?:great|good) (?:idea|plan|call)\b|^fine (?:by|with) me\b|^(?:👍|✅|👌)`,
    String.raw`^(?:ja(?:wohl)?|jup|genau|richtig|stimmt|passt|gerne?|einverstanden|klar|natürlich|unbedingt|auf jeden fall|klingt gut|gute idee|mach (?:das|es|so)|so machen wir|in ordnung|perfekt)(?!\p{L})`,
    String.raw`^(?:sí|exacto|correcto|vale|claro(?! que no)|perfecto|de acuerdo|por supuesto|adelante|hazlo|suena bien|está bien|buena idea|genial|así es)(?!\p{L})`,
    String.raw`^(?:对(?!了|不|于|比|方)|是的|是(?=[,，。!！]|$)|好(?:的|啊|呀|吧)?(?=[\s,，。!！~、]|$|就|以后)|没错|可以(?!不)|嗯|行(?=[,，。!！]|$|吧|就)|就这样|就这么|没问题|同意|当然)`,
    String.raw`^(?:はい|ええ(?![とっ])|うん(?!ー)|そう(?:です|して|しよう|しましょう|だね)|了解|お願い|その通り|いいね|いいですね|いいよ|賛成|承知|もちろん|ぜひ)`,
  ].join("|"),
  "iu",
);

/** What takes a part of the yes back, doubts it, or keeps it to this once. */
const RESERVE = new RegExp(
  [
    String.raw`\b(?:but|except|unless|however|although|though|maybe|perhaps|probably|wait|instead|later|rather|for now|for today|not sure|hold on|yes and no)\b|\bonly (?:if|for|when|in|on|where|this|once)\b|\bonly[.!]?$|\bjust (?:this|for|once|in|on)\b|\bthis (?:time|once)\b|\bnot (?:for|in|on|yet|now|always|quite|exactly|if|when|every|all|so)\b|\bi guess\b|\blet me (?:think|see|check)|\bh+m+\b|^(?:yes|yeah|well),? no\b(?! (?:more|problem|longer|need))`,
    String.raw`\b(?:aber|jedoch|obwohl|vielleicht|diesmal|moment|warte|jein|vorerst|stattdessen|lieber|später|erst ?mal|fürs erste|lass mich)\b|\baußer\b|es sei denn|\bnur (?:für|wenn|in|bei|diesmal|dieses|heute|hier|einmal)|\bnicht (?:immer|für|bei|in|heute|jetzt|ganz)\b|überleg`,
    String.raw`\b(?:pero|salvo|excepto|aunque|espera|luego|esta vez|por ahora|de momento|tal vez|a menos|no siempre|no para)\b|\bs[oó]lo (?:si|para|en|cuando|esta|por)\b|quizá|déjame|más tarde|en su lugar|^sí y no`,
    "但|不过|除了|除非|只(?:是|在|有|限|对)|仅|这次|这一次|暂时|先这样|也许|可能|想想|想一[下想]|考虑|等等|等一下|不是|不对|虽然|看情况|再说",
    "でも|しかし|ただ|けど|けれど|以外|除い|今回|とりあえず|一旦|たぶん|多分|かも|考え|待って|ちょっと|だけ|いや|違",
  ].join("|"),
  "iu",
);
const NO = /^(?:no|nope|nein|nö|not|don't|stop|不|别|いいえ|いや)(?![\p{Script=Latin}])/iu;
const QUESTION = /[?？]["')]*$|(?:吗|么|呢|か|かな)[。.!！]?$/u;
/** A question that asks for the next piece of work, not about the proposal. */
const REQUEST =
  /^(?:(?:and|also|now|then|und|jetzt|y|ahora)[, ]+)*(?:(?:can|could|will|would) you|please|kannst|könntest|würdest|puedes|podrías|能|可以|请|帮|麻烦)|(?:くれ|もらえ|いただけ|ください|お願い)/iu;

/** Sentences after the yes that may still be about it. */
const LOOKED_AT = 3;
/** In a later sentence only a reserve near its start is about the yes. */
const RESERVE_START_MAX = 12;

/** "Yes, from now on." is a yes; "yes, but ...", "let me think", "yes?" and "no" are none. */
export function affirms(message: string): boolean {
  const sentences = sentencesOf(message).slice(0, LOOKED_AT).map(normalise);
  const [first, ...later] = sentences;
  if (first === undefined || !YES.test(first)) return false;
  if (RESERVE.test(first) || QUESTION.test(first)) return false;
  return !later.some(isReserve);
}

function isReserve(sentence: string): boolean {
  if (NO.test(sentence)) return true;
  if (QUESTION.test(sentence) && !REQUEST.test(sentence)) return true;
  const reserve = RESERVE.exec(sentence);
  return reserve !== null && reserve.index <= RESERVE_START_MAX;
}

/** Sentences at the end of a message among which its question is looked for. */
const CLOSE_SENTENCES = 3;

/** Whether a quote reaches into what a message ends with, its question if it asks one: that is what a yes answers. */
export function reachesProposal(message: string, quote: string): boolean {
  const whole = normalise(message);
  const close = whole.split(/(?<=[.!?。！？])\s*/u).slice(-CLOSE_SENTENCES);
  const asked = close.findLastIndex((sentence) => QUESTION.test(sentence));
  const [proposal = whole] = asked === -1 ? close.slice(-1) : close.slice(asked);
  const piece = normalise(quote);
  return piece !== "" && whole.lastIndexOf(piece) + piece.length > whole.lastIndexOf(proposal);
}
