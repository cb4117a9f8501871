// Standing rules: how the agent is to work from now on. Strict: the sentence must be an order, and about the
// agent's own doing rather than what a program should do. Pure.

const OPENING = String.raw`^(?:(?:and|also|so|ok(?:ay)?|hey|btw|by the way|please|pls|no|yes|yeah|right|but|again|und|auch|bitte|nein|y|también|por favor)[,:.!]? )*`;

/** Words that say "for good" by themselves. */
const FROM_NOW: readonly RegExp[] = [
  /\b(?:from (?:now|here|this point|today) on(?:wards?)?|going forward|moving forward|from now|in (?:the )?future|henceforth|as a (?:general )?rule|as of (?:now|today))\b/iu,
  /以后|以後|今后|今後は?|从(?:今|现在)(?:以后|往后|起|开始)|往后|一律/u,
  /今後|これから(?:は|も)?|以後|次回から|今日から/u,
  /\b(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|in zukunft|zukünftig|grundsätzlich)\b/iu,
  /\b(?:a partir de (?:ahora|hoy)|de ahora en adelante|desde (?:ahora|hoy)|en adelante|en el futuro|por norma)\b/iu,
];

/** What an agent does; "always show the sidebar" is about a program and is none of these. */
const DOING =
  "(?:commit|push|run|use|write|reply|respond|answer|ask|check|test|name|prefix|suffix|add|include|format|document|start|end|begin|put|keep|make|create|place|explain|speak|talk|prefer|avoid|do|follow|read|rebase|squash|merge|sign|lint|import|declare|call|define|comment|wrap|annotate|install|update|verify|review|deploy|touch|edit|change|modify|delete|remove|mock|generate|skip|mention|say|tell|show me|give me|summari[sz]e|assume|guess|hardcode|hard-code|log|mark|split|bump|translate)";

const ORDERS: readonly RegExp[] = [
  new RegExp(
    String.raw`${OPENING}(?:you (?:should|must|need to) )?(?:always|never|do not ever|don'?t ever) (?:\w+ly )?${DOING}\b`,
    "iu",
  ),
  new RegExp(
    String.raw`${OPENING}(?:when(?:ever)?|before|after|every time|each time|if) [^,]{3,80}, (?:please )?(?:always|never) ${DOING}\b`,
    "iu",
  ),
  /^(?:请|請|另外|还有)?[，,]?(?:请)?(?:永远不要|绝不要|绝对不要|千万(?:别|不要)|始终|务必|总是要|每次(?:都|提交|写|改)|不要再)/u,
  /(?:必ず|常に|絶対に|いつも|毎回).{1,60}(?:て(?:ください|ね|ほしい)?|で(?:ください)?|こと|しろ|せよ|ないで(?:ください)?|するように)[。.!！]*$/u,
  /^(?:bitte )?(?:[A-Za-zÄÖÜäöüß]+ (?:bitte )?(?:immer|nie|niemals|stets)\b|(?:immer|nie|niemals|stets) [^,.]{3,80}(?:en|ern|eln)[.!]*$)/iu,
  new RegExp(
    String.raw`${OPENING}(?:siempre|nunca|jamás) (?:usa|utiliza|escribe|responde|contesta|ejecuta|haz|pon|añade|crea|prueba|comenta|nombra|formatea|pregunta|hagas|uses|utilices|escribas|toques|borres|subas|respondas|ejecutes|cambies|pongas|modifiques)\b`,
    "iu",
  ),
];

/** Sentences that describe instead of ordering, whatever word of time they hold. */
const DESCRIBES =
  /^(?:it|this|that|there|they|he|she|the \w+|our \w+|users?|i|we)\b(?! (?:should|must|need to|will|use|want|don'?t|deploy|commit|never|always))/iu;
/** An order needs something to do; "in the future" alone is talk about plans. */
const PLANS = /\b(?:might|may|could|would|will be|going to|planning|we'?ll)\b/iu;

/** Whether the sentence sets a rule for the agent's work. */
export function isStandingRule(sentence: string): boolean {
  if (ORDERS.some((order) => order.test(sentence))) return true;
  if (!FROM_NOW.some((words) => words.test(sentence))) return false;
  return !DESCRIBES.test(sentence) && !PLANS.test(sentence);
}

/** "From now on do the same.", "yes, keep doing that": the rule itself stands in the sentence before. */
const POINTS_BACK =
  /^(?:(?:yes|yeah|ok(?:ay)?|please|exactly|right|and|ja|sí|好|はい|对)[,.!:，、]? )*(?:(?:from now on|going forward|in (?:the )?future|always|ab jetzt|künftig|a partir de ahora|以后|今后|今後)[,，、]? ?)?(?:(?:please |bitte )?(?:do|keep|mach|machs|haz|siempre)?\s*(?:doing |das |lo )?(?:the same|that|it that way|it like that|this|like that|so|genauso|mismo|así|都?(?:这样|这么做|照做)|(?:その|この)(?:よう|通り)に(?:して)?))?(?: (?:from now on|going forward|in (?:the )?future|too|always))?[.!。！]*$/iu;

export function pointsBack(sentence: string): boolean {
  return POINTS_BACK.test(sentence.trim());
}
