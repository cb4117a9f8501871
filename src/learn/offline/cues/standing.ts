// Standing rules: how the agent is to work from now on. Strict: the sentence must be an order, and about the
// agent's own doing rather than what a program should do. Pure.
import { withoutOpening } from "./opening.ts";
import { asksElsewhere, DOING, isWish, orderOf } from "./order.ts";

/** Words that say "for good" by themselves. */
const FROM_NOW =
  /\b(?:(?:starting |beginning )?(?:from|as of|starting|beginning) (?:now|here|this point|today)(?: on(?:wards?)?)?|(?:going|moving) forward|from here on out|in (?:the )?future|henceforth|as a (?:general )?rule|at all times|by default)\b,?\s*/iu;
const FROM_NOW_EVERYWHERE = new RegExp(FROM_NOW.source, "giu");
/** The sentence without "from now on" and its like. */
export function withoutForGood(sentence: string): string {
  return sentence.replace(FROM_NOW_EVERYWHERE, " ").replace(/^[\s,]+/u, "");
}

const FROM_NOW_ELSEWHERE: readonly RegExp[] = [
  /(?:以后|以後|今后|往后)(?!再|有|可能|会|考虑|的|，?我|能|说)|从(?:今|现在)(?:以后|往后|起|开始)|一律/u,
  /今後(?!の予定)|これから(?:は|も)|以後|次回から|今日から(?:は)?/u,
  /\b(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|in zukunft|zukünftig|grundsätzlich)\b/iu,
  /\b(?:a partir de (?:ahora|hoy)|de ahora en adelante|desde (?:ahora|hoy)|en adelante|en el futuro|por norma)\b/iu,
];

const CODE =
  "(?:functions?|methods?|class(?:es)?|variables?|attributes?|arguments?|parameters?|constants?|modules?|files?|tests?|commits?|branch(?:es)?|components?|comments?|docstrings?|types?|interfaces?|scripts?|projects?|quer(?:y|ies)|migrations?|endpoints?|packages?|imports?|code|names?|messages?)";
/** A sort of things rather than one of them: "all your functions", "every class name", "your code". */
const SORT = new RegExp(
  String.raw`\b(?:(?:all|every|each|any)(?: of)?(?: (?:your|our|the|new))?|your)(?: [a-z@'_-]{1,24}){0,3} ${CODE}\b`,
  "iu",
);
const NAMED = "(?:function|method|class|variable|attribute|argument|parameter|constant|branch|test)";
const NAMING = new RegExp(
  String.raw`\b(?:start|begin|end|finish|prefix|suffix|capitali[sz]e)(?:s|ing)?\b.{0,60}\b(?:names?|${NAMED}(?:e?s)?)\b.{0,30}\bwith\b|\b${NAMED}(?: argument)? names?\b.{0,40}\b(?:start|begin|end|include|contain|be)\b|\b(?:use|include)\b.{1,60}\b(?:in|for|as) (?:all |your |every |each )*${NAMED}(?: argument)? names?\b|\bnam(?:e|ing) (?:your |all )?${NAMED}(?:e?s)?\b|\bfor (?:all )?(?:\w+ ){1,2}names\b`,
  "iu",
);
/** What a rule of style is about; "make sure that all tests pass" is about an outcome. */
const STYLE =
  /\b(?:us(?:e|es|ing)|add(?:s|ing)?|includ(?:e|es|ing)|incorporat(?:e|es|ing)|start(?:s|ing)?|begin(?:s)?|end(?:s|ing)?|prefix\w*|suffix\w*|import(?:s|ing)?|annotat\w+|document\w*|comment\w*|wrap\w*|decorat\w+|ha(?:ve|s)|contains?|follows?)\b/iu;
const OUTCOME =
  /\b(?:pass(?:es|ing)?|fail\w*|works?|working|compiles?|builds?|green|up[- ]to[- ]date|correct|perfect|clean|ready|match(?:es)?|covered)\b/iu;
/** The reader's code in general rather than one piece of it. */
const YOURS = /\byour\b|\byou (?:write|create|define|add|name)\b/iu;
/** One file or folder: a task, however it is put. */
const ONE_PLACE =
  /\w\/\w|\b\w+\.(?:[cm]?[jt]sx?|go|py|rs|rb|java|md|json|ya?ml|toml|c|h|cpp|cs|css|html|sh|sql)\b/iu;
const HABIT =
  /^(?:please )?(?:always |never )?(?:(?:start|begin|get (?:in|into) the habit of|make (?:it )?a habit (?:of|to)|switch to|transition to|adopt)\s+(?:always |never |the habit of )?(?:use|using|adding|including|incorporating|naming|writing|starting|ending|prefixing|suffixing|importing|committing|documenting|commenting|formatting|annotating|wrapping|testing)|(?:stop|avoid|quit|refrain from|no longer)\s+(?:ever )?[a-z]{2,20}ing)\b/iu;
/** "Start implementing the parser" is a task, and so is everything that names one thing. */
const TASK =
  /^(?:please )?(?:start|begin)(?: by)? (?:implementing|working|building|looking|fixing|coding|with (?:the|a)|on|creating (?:a|the)|writing (?:a|the)|adding (?:a|the) (?:test|feature|new)|doing (?:the|a)|running (?:the|a))\b/iu;
const ABSOLUTE = new RegExp(
  String.raw`^(?:please )?(?:only ever|always|never|do not ever|don'?t ever)(?: please)? (?:\w+ly )?${DOING}(?:ing)?\b(?! (?:the|a|an) \w+(?: \w+)?$)`,
  "iu",
);
/** What somebody is doing whenever the rule holds. */
const READY =
  "(?! (?:you(?:'re| are)? |it's |that's )?(?:ready|done|finished|can|like|want|possible|get|have (?:time|a)))";
const OCCASION = new RegExp(
  [
    String.raw`^(?:whenever|every time|each time|any time)\b${READY}[^,]{3,100},\s*`,
    String.raw`^when (?:(?:you(?:'re| are) |you )?(?:naming|writing|creating|defining|declaring|initiali[sz]ing|coding|adding|using|importing|committing|reviewing|testing|documenting)\b|you (?:write|create|name|define|declare|add|commit|import|use)\b)(?! (?:this|that|the|it)\b)[^,]{0,100},\s*`,
    String.raw`^(?:before|after) (?:each|every|any) [^,]{2,80},\s*`,
    String.raw`^(?:as )?for (?:your |our |all )*(?!the\b|every\b|each\b|this\b|these\b)(?:[a-z]+ ){0,2}(?:scripts?|functions?|methods?|class(?:es)?|variables?|attributes?|arguments?|parameters?|tests?|commits?|branches|components?|modules?|names?|messages?|comments?|docs)(?:,? and (?:your |our |all )?(?:[a-z]+ ){0,2}(?:functions?|methods?|class(?:es)?|variables?|names?))?,\s*`,
  ].join("|"),
  "iu",
);
const OCCASION_LAST = new RegExp(
  String.raw`\b(?:whenever|every time|each time|any time) (?:you|we)\b${READY}|\b(?:before|after) (?:each|every|any) \w+`,
  "iu",
);
const PREFERRED =
  /\b(?:use|using|adopt|switch to|make)\b.{1,60}\b(?:your|our|the) (?:preferred|primary|main|default|go-to|standard|only)\b/iu;
/** "All attribute names should start with ...", "every commit must ...". */
const DUTY = new RegExp(
  String.raw`^(?:(?:all|every|each|your|our|no)\b|[a-z]+(?: [a-z]+)? names\b).{0,60}\b(?:should|must|need to|needs to|have to|has to|are to|is to)\b`,
  "iu",
);

/** What the agent writes again and again. Programs have replies and responses too, so those must be "yours". */
const EACH_OF_YOURS =
  /\b(?:(?:every|each|all(?: of)?) (?:your |of your )(?:repl(?:y|ies)|answers?|responses?|summaries)|(?:every|each|all) commit messages?)\b/iu;
const EACH_REPLY = /\b(?:every|each) (?:repl(?:y|ies)|answer|response|summary)\b/iu;

/** "We use tabs in this repo, not spaces." */
const HERE_NOT =
  /^(?:that'?s (?:wrong|not right)|no|wrong)?[\s,.:–-]*we (?:only )?(?:use|write|keep|name|indent with) [^,.]{2,50} in (?:this|the whole|our) (?:repo(?:sitory)?|project|code ?base)(?:,? (?:not|never|instead of) \S+| only)|^in (?:this|the whole|our) (?:repo(?:sitory)?|project|code ?base),? we (?:only )?(?:use|write|keep|name|indent with) [^,.]{2,50},? (?:not|never|instead of) \S+/iu;

/** "We always start function names with ...": how we write code, said as a fact. */
const OUR_WAY = new RegExp(String.raw`^we (?:now )?(?:always|never) ${DOING}\b`, "iu");
const ABSOLUTELY = /\b(?:always|never|must)\b/iu;

/** Says that rules will come, or praises rules, and names none. */
const ANNOUNCES =
  /\b(?:some|a few|a couple(?: of)?|several|two|three|four|few|additional|specific|certain|another|one more|new|following|these|those|this|that|the same|same|our|the|your|my|an?|slight\w*)(?: [\w'-]+){0,5} (?:things?|instructions?|guidelines?|standards?|conventions?|practices?|principles?|rules?|updates?|points?|steps?|areas?|aspects?|requirements?|guidance|approach|strategy|momentum|style|habit|protocol|process|workflow|tools?|techniques?|skills?)\b|\b(?:an? |one |some )?(?:new|specific|certain|particular|different) [a-z]+\b|\bnaming (?:convention|of)\b/iu;
/** Something one can follow to the letter: quoted, coded, a name with marks or capitals inside. */
const CONCRETE = /['"`‘“][^'"`’”\s]{1,40}['"`’”]|\b\w+_|\b_\w|\w[@./#]\w|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}\b/u;

export function isConcrete(text: string): boolean {
  return CONCRETE.test(text);
}

const CJK_ORDERS: readonly RegExp[] = [
  /^(?:永远不要|绝不要|绝对不要|千万(?:别|不要)|始终|务必|总是要|每次(?:都|提交|写|改)(?!会|是)|不要再|别再|永远用)/u,
  /(?:必ず|常に|絶対に|毎回|いつも|二度と)(?!.{0,20}(?:通し|直し|修正|成功)).{1,80}(?:て(?:ください|ね|ほしい)?|で(?:ください)?|こと|しろ|せよ|ないで(?:ください)?|するように|お願いします)[。.!！]*$/u,
];
const WEST_ORDERS: readonly RegExp[] = [
  /^(?:verwende|benutze|nutze|nimm|schreibe?|antworte|führe?|mache?|teste|prüfe|committe|pushe|ändere|lösche?|füge|formatiere|kommentiere|benenne|frage?|erkläre?|halte|lege?|setze?|starte|gib|rühre?|fasse?)\b.{0,60}\b(?:immer|nie|niemals|stets|grundsätzlich)\b|^(?:(?:immer|nie|niemals|stets)(?: wieder| mehr)? )[^,.]{3,80}(?:en|ern|eln)[.!]*$/iu,
  /^(?:siempre|nunca|jamás|no vuelvas a) (?:usa|utiliza|escribe|responde|contesta|ejecuta|haz|pon|añade|agrega|crea|prueba|comenta|nombra|formatea|pregunta|revisa|hagas|uses|utilices|escribas|toques|borres|subas|respondas|ejecutes|cambies|pongas|modifiques|hacer|usar|escribir|tocar|borrar|subir|\p{L}{3,12}(?:ar|er|ir))\b|^(?:usa|utiliza|escribe|responde|contesta|ejecuta|haz|pon|añade|agrega|crea|comenta|formatea|pregunta)(?:me|lo|la)? siempre\b/iu,
];

/** Sentences that tell of the future instead of ordering. */
const TELLS =
  /^(?:it|this|that|there|they|he|she|users?|i|the \w+)\b(?!'?d? (?:should|must|needs? to|want|need|like|don'?t want|would like|expect|prefer))|\b(?:might|may|could|would be|going to|planning|we'?ll (?:see|probably))\b/iu;

/** Whether the sentence sets a rule for the agent's work. */
export function isStandingRule(sentence: string): boolean {
  const text = withoutOpening(sentence);
  // "In this repo, we ..." is an opening elsewhere and the point here.
  return HERE_NOT.test(sentence.trim()) || isEnglishRule(text) || isRuleElsewhere(text);
}

function isRuleElsewhere(text: string): boolean {
  if ([...CJK_ORDERS, ...WEST_ORDERS].some((order) => order.test(text))) return true;
  return FROM_NOW_ELSEWHERE.some((words) => words.test(text)) && asksElsewhere(text) && !TELLS.test(text);
}

function isEnglishRule(text: string): boolean {
  const fromNow = FROM_NOW.test(text);
  const rest = withoutOpening(text.replace(FROM_NOW_EVERYWHERE, " ").replace(/^[\s,]+/u, ""));
  const occasion = OCCASION.exec(rest);
  const point = rest.slice(occasion?.[0].length ?? 0);
  if (TELLS.test(point) && !DUTY.test(point) && !isWish(point)) return false;
  if (HERE_NOT.test(text)) return true;
  if (OUR_WAY.test(point)) return SORT.test(point) || NAMING.test(point);
  const order = orderOf(point);
  if (ANNOUNCES.test(isWish(point) ? (order?.rest ?? point) : point) && !CONCRETE.test(point)) return false;
  if (DUTY.test(point))
    return (
      fromNow || NAMING.test(point) || (SORT.test(point) && ABSOLUTELY.test(point) && !OUTCOME.test(point))
    );
  if (order === undefined) return fromNow && /^no (?:more )?\p{L}/iu.test(point);
  if (TASK.test(order.rest) && !CONCRETE.test(point)) return false;
  if (fromNow || occasion !== null || OCCASION_LAST.test(point) || EACH_OF_YOURS.test(point)) return true;
  if (order.negated && EACH_REPLY.test(point)) return true;
  if (ABSOLUTE.test(order.rest)) return true;
  if (order.together || ONE_PLACE.test(point)) return false;
  if (order.wish && (HABIT.test(order.rest) || PREFERRED.test(order.rest))) return true;
  if (NAMING.test(point)) return CONCRETE.test(point) || SORT.test(point);
  return order.wish && SORT.test(point) && YOURS.test(point) && STYLE.test(point) && !OUTCOME.test(point);
}

/** Whether a sentence only comments on another one: "This will help us to ...". */
export function isComment(sentence: string): boolean {
  return /^(?:it|it's|this|that|these|those|they|such|doing so|i agree|exactly|absolutely|great|good|perfect|thanks?)\b/iu.test(
    withoutOpening(sentence),
  );
}

/** An object that stands in an earlier sentence: "always start them with ...", "apply this ...". */
const LEANS = new RegExp(
  String.raw`\b(?:${DOING}|[a-z]{2,15}ing)(?: (?:to|with|in|for))? (?:them|it|these|those|this|that|the same|such|the (?:new|above|same)|there)\b(?! (?:you|we|i|are|is|all|every|each|any|your|our|the|no)\b)|\bwith (?:that|this|these|those)\b|\bon there\b`,
  "iu",
);
const LEANS_ELSEWHERE =
  /(?:按|照|用|像)(?:这|那)(?:个|种|样)|都?这(?:样|么)(?:做|写)|(?:この|その)(?:よう|通り|スタイル|形式|書き方)|\b(?:so weiter|genauso|así siempre|de esta forma|de este modo)\b/iu;
const OWN_TOPIC =
  /^(?:when|whenever|for|if|as for|in|before|after|every time|each time|with)\b[^,]{3,100},/iu;

/** Whether the rule can only be understood with the sentence before it. */
export function leansBack(sentence: string): boolean {
  const text = withoutOpening(sentence)
    .replace(FROM_NOW_EVERYWHERE, " ")
    .replace(/^[\s,]+/u, "");
  return LEANS_ELSEWHERE.test(text) || (LEANS.test(text) && !OWN_TOPIC.test(withoutOpening(text)));
}

/** "From now on do the same.", "yes, keep doing that": the rule itself stands in the sentence before. */
const POINTS_BACK =
  /^(?:(?:yes|yep|yeah|ok(?:ay)?|sure|please|exactly|right|perfect|and|do|ja|genau|gerne|bitte|sí|claro|vale|好|好的|对|是的|可以|はい|うん|ええ)[,.!:，、。]? ?)*(?:(?:from now on|going forward|in (?:the )?future|always|every time|ab jetzt|künftig|immer|a partir de ahora|siempre|以后|今后|今後|これから)[,，、はも]? ?)?(?:(?:please |bitte )?(?:do|keep|mach|machs|haz|siempre|hazlo)?\s*(?:doing |using |das |lo |es )?(?:the same|that|it that way|it like that|this|it|like that|so|genauso|mismo|así|都?(?:这样|这么做|照做|这样做)|(?:その|この)(?:よう|通り)に(?:して)?|そうして|お願いします))?(?: (?:from now on|going forward|in (?:the )?future|too|always|every time|ab jetzt|immer|a partir de ahora|siempre))?[.!。！]*$/iu;

export function pointsBack(sentence: string): boolean {
  return POINTS_BACK.test(sentence.trim());
}

/** Whether a sentence that points back says "for good". */
export function saysForGood(sentence: string): boolean {
  return (
    FROM_NOW.test(sentence) ||
    FROM_NOW_ELSEWHERE.some((words) => words.test(sentence)) ||
    /\b(?:always|every time|immer|siempre)\b|いつも|毎回|每次/iu.test(sentence)
  );
}
