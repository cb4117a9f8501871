// "Remember ...": the person asks for a memory in so many words. Pure.

/** What the sentence asks to keep; `content` is "" when it points at the sentence before. */
export interface RememberCue {
  readonly content: string;
}

const OPENING = String.raw`^(?:(?:and|also|so|ok(?:ay)?|hey|btw|by the way|please|pls|oh|no|yes|one more thing|und|auch|bitte|y|también|por favor|另外|还有|请|請|それと|あと)[,:]? )*`;
const POINTER =
  /^(?:this|that|it|these|this too|das|dies|es|esto|eso|lo|这个?|这一点|那个?|これ|それ|この点)?(?: too| as well| please| auch| también)?[.!。！]*$/iu;

const LEADING: readonly RegExp[] = [
  new RegExp(
    String.raw`${OPENING}(?:(?:i(?:'d| would)? (?:want|like|need) you to|you (?:should|must|need to)|let's|make sure (?:you|to)) )?(?:always )?(?:remember|memori[sz]e|keep in mind|bear in mind|don'?t (?:ever )?forget|never forget|note for (?:the future|later)|(?:for|as) (?:the )?future(?: reference)?|for next time|learn(?= this| that)|reminder|take note|save to memory|add to (?:your )?memory|store in memory)(?: this| that)?(?: too| as well| please)?\s*(?::|,|—|–| - |\bthat\b|(?=\bto\b)|$|(?<=this|that)(?=[.!]|$)|(?=\s))\s*`,
    "iu",
  ),
  /^(?:另外|还有|请|請|帮我|麻烦)?[，,]?(?:请|帮我)?(?:记住|記住|记下|牢记|记一下|别忘了|不要忘记|记得)(?:这一点|这个|了)?\s*[:：，,]?\s*/u,
  new RegExp(
    String.raw`${OPENING}(?:merk(?:e)? dir|denk(?:e)? (?:immer )?(?:daran|dran)|vergiss (?:bitte )?(?:nicht|nie)|behalte im kopf|zur erinnerung|notier(?:e)? dir|für die zukunft)(?: bitte)?\s*(?::|,|\bdass\b|$|(?=\s))\s*(?:dass )?`,
    "iu",
  ),
  new RegExp(
    String.raw`${OPENING}(?:recuerda|recuérdalo|acuérdate(?: de)?|ten(?:lo)? (?:siempre )?(?:en cuenta|presente)|no (?:te )?olvides|para el futuro|anota|apunta)\s*(?::|,|\bque\b|$|(?=\s))\s*(?:que )?`,
    "iu",
  ),
  /^(?:それと|あと|なお)?[、,]?(?:覚えておいて|覚えといて|記憶して(?:おいて)?|メモして(?:おいて)?|忘れないで)(?:ください|ね|ほしい)?\s*[:：、,。]?\s*/u,
];

const TRAILING: readonly RegExp[] = [
  /[,;:—–-]?\s*(?:so |and |but )?(?:please )?(?:remember|memori[sz]e|note|keep in mind) (?:this|that|it)(?: please| for (?:later|the future|next time))?[.!]*$/iu,
  /(?:，|,|。|\s)?(?:请|帮我)?(?:记住|记下|牢记)(?:这一点|这个|了|它)?[。.!！]*$/u,
  /(?:、|。|\s)?(?:これ(?:は|も|を)?|(?:の|こと)?を|と)?(?:覚えておいて|覚えといて|記憶しておいて|メモしておいて|忘れないで)(?:ください|ね|ほしい)?[。.!！]*$/u,
  /,?\s*(?:bitte )?merk(?:e)? dir (?:das|dies)(?: bitte)?[.!]*$|,?\s*vergiss das nicht[.!]*$/iu,
  /,?\s*(?:recuérdalo|recuerda (?:esto|eso)|acuérdate de (?:esto|eso)|tenlo en cuenta|no lo olvides)[.!]*$/iu,
];

/** Things people say with the same words and mean nothing by: memories of their own, calls to each other. */
const NOT_ASKED =
  /^(?:remember (?:when|how (?:we|i)|the time)|learn (?:this|that) (?:from|by)|remember\?$)/iu;

/** Undefined when the sentence asks for nothing to be kept. */
export function rememberCue(sentence: string): RememberCue | undefined {
  if (NOT_ASKED.test(sentence)) return undefined;
  for (const leading of LEADING) {
    const match = leading.exec(sentence);
    if (match === null || match[0] === "") continue;
    const content = sentence.slice(match[0].length).trim();
    return { content: POINTER.test(content) ? "" : content };
  }
  for (const trailing of TRAILING) {
    const match = trailing.exec(sentence);
    if (match === null) continue;
    const content = sentence.slice(0, match.index).trim();
    return { content: POINTER.test(content) ? "" : content };
  }
  return undefined;
}
