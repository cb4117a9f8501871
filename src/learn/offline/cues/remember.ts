// "Remember ...": the person asks for a memory in so many words. Pure.

/** What the sentence asks to keep. */
export interface RememberCue {
  /** "" when it points at the sentence before. */
  readonly content: string;
  /**
   * `asked`: said in a way that means nothing else. `told`: "remember that ...", which a mentor also says to cheer
   * somebody up. `advice`: words people mostly open advice with ("keep in mind that ..."). `again`: reminds of
   * something that was settled before, which may be known already.
   */
  readonly force: "asked" | "told" | "advice" | "again";
  /** A next step rather than a fact. */
  readonly step: boolean;
}

const OPENING = String.raw`^(?:(?:and|also|so|ok(?:ay)?|hey|btw|by the way|please|pls|oh|no|yes|well|now|one more thing|und|auch|bitte|y|también|por favor|另外|还有|请|請|それと|あと)[,:]? ){0,4}`;
const POINTER =
  /^(?:this|that|it|these|this too|das|dies|es|esto|eso|lo|这个?|这一点|那个?|これ|それ|この点)?(?: too| as well| please| bitte| auch| también| for (?:later|next time|the future))?[.!。！]*$/iu;

interface Leading {
  readonly force: RememberCue["force"];
  readonly pattern: RegExp;
}

const LEADING: readonly Leading[] = [
  {
    force: "again",
    pattern: new RegExp(
      String.raw`${OPENING}(?:(?:just )?(?:a )?(?:quick |friendly |gentle )?reminder(?: that)?|note|as (?:i|we) (?:said|agreed|mentioned)(?: before| earlier| already)?|wie (?:ich )?(?:schon )?(?:gesagt|besprochen|vereinbart)|como (?:ya )?(?:dije|acordamos|te dije)|zur erinnerung)\s*[:,]\s*`,
      "iu",
    ),
  },
  {
    force: "again",
    pattern: /^(?:如前所述|之前说过|我说过|前に言った(?:通り|ように)|再提醒一下)[，,、:：]?\s*/u,
  },
  {
    force: "asked",
    pattern: new RegExp(
      String.raw`${OPENING}(?:(?:i(?:'d| would)? (?:want|like|need) you to|you (?:should|must|need to)) )?(?:always )?(?:(?:remember|memori[sz]e|never forget|don'?t (?:ever )?forget|take note|keep in mind|bear in mind)(?: (?:this|that))?(?: too| as well| please| for (?:later|next time|the future))?\s*(?::|—|–| - )|(?:remember|memori[sz]e|learn|note down|write down|keep in mind) (?:this|that|it)(?: too| as well| please| for (?:later|next time|the future))?\s*(?=[.!]|$)|(?:note for (?:the future|later)|(?:for|as) (?:the )?future(?: reference)?|for next time|(?:save|add|store|commit)(?: this| that| it)? (?:to|in) (?:your |the )?memory)(?: that)?\s*(?::|,|—|–| - |$)\s*|learn (?:this|that)(?: too| as well| please)?\s*[:,])\s*`,
      "iu",
    ),
  },
  {
    force: "told",
    pattern: new RegExp(
      String.raw`${OPENING}(?:(?:i(?:'d| would)? (?:want|like|need) you to|you (?:should|must|need to)) )?(?:always )?(?:remember|don'?t (?:ever )?forget|never forget)(?: that\b|(?= (?:to|we|our|the|i|my|it|all|every|there|in)\b)|(?= \p{Lu}))\s*`,
      "iu",
    ),
  },
  {
    force: "advice",
    pattern: new RegExp(
      String.raw`${OPENING}(?:(?:i(?:'d| would)? (?:want|like|need) you to|you (?:should|must|need to)) )?(?:always )?(?:remember(?=,)|don'?t (?:ever )?forget(?=,)|keep in mind|bear in mind|note|mind)(?: that\b|,(?: that\b)?|(?= (?:to|we|our|the|i|my|it|all|every|there|in)\b)|(?= \p{Lu}))\s*`,
      "iu",
    ),
  },
  {
    force: "asked",
    pattern:
      /^(?:另外|还有|对了|请|請|帮我|麻烦)?[，,]?(?:请|帮我)?(?:你)?(?:要)?(?:记住|記住|记下(?:来)?|牢记|记一下|别忘了|不要忘记|请记得|记得)(?:这一点|这个|了)?(?!上次|那个|之前|我们上|昨天)\s*[:：，,]?\s*/u,
  },
  {
    force: "asked",
    pattern: new RegExp(
      String.raw`${OPENING}(?:merk(?:e)? dir|denk(?:e)? (?:immer )?(?:daran|dran)|vergiss (?:bitte )?(?:nicht|nie)|behalte im kopf|notier(?:e)? dir|für die zukunft)(?: bitte)?(?: auch)?\s*(?::|,|\bdass\b|$|(?=\s))\s*(?:dass )?`,
      "iu",
    ),
  },
  {
    force: "asked",
    pattern: new RegExp(
      String.raw`${OPENING}(?:recuerda|recuérdalo|acuérdate(?: de)?|ten(?:lo)? (?:siempre )?(?:en cuenta|presente)|no (?:te )?olvides(?: de)?|para el futuro|anota|apunta)\s*(?::|,|\bque\b|$|(?=\s))\s*(?:que )?`,
      "iu",
    ),
  },
  {
    force: "asked",
    pattern:
      /^(?:それと|あと|なお)?[、,]?(?:覚えておいて|覚えといて|覚えて|記憶して(?:おいて)?|メモして(?:おいて)?|忘れないで)(?:ください|下さい|ね|ほしい)?\s*[:：、,。]?\s*/u,
  },
];

const TRAILING: readonly RegExp[] = [
  /(?:[,;:—–-]\s*|\s(?=(?:so|and|but|please)\b))(?:so |and |but )?(?:please )?(?:remember|memori[sz]e|note|keep in mind) (?:this|that|it)(?: please| for (?:later|the future|next time))?[.!]*$/iu,
  /(?:[，,。\s](?:请|帮我)?|请|帮我)(?:记住|记下|牢记)(?:这一点|这个|了|它)?[。.!！]*$/u,
  /(?:、|。|\s)?(?:これ(?:は|も|を)?|(?:の|こと)?を|と)?(?:覚えておいて|覚えといて|記憶しておいて|メモしておいて|忘れないで)(?:ください|下さい|ね|ほしい)?[。.!！]*$/u,
  /,?\s*(?:bitte )?merk(?:e)? dir (?:das|dies)(?: bitte)?[.!]*$|,?\s*vergiss das nicht[.!]*$/iu,
  /,?\s*(?:recuérdalo|recuerda (?:esto|eso)|acuérdate de (?:esto|eso)|tenlo en cuenta|no lo olvides)[.!]*$/iu,
];
/** "Remember to run the tests", "记得跑测试": the next step of a task, unless it says otherwise. */
const STEP =
  /^to\b|^\p{L}{2,12}(?:ar|er|ir)(?:lo|la|los|las|me)?\b(?! (?:es|son|está))|\bzu \p{L}+en[.!]*$|\p{L}zu\p{L}{3,12}en[.!]*$/iu;
const STEP_ZH = /(?:记得|别忘了|不要忘记)$/u;
/** "..., as agreed": said again. */
const AGREED = /,? as (?:agreed|discussed|i said|always|before)[.!]*$/iu;

/** Things people say with the same words and mean nothing by: memories of their own, calls to each other. */
const NOT_ASKED =
  /^(?:remember (?:when|how (?:we|i)|the time|what)|do you remember|(?:i|we|he|she|they) (?:remember|forgot)|learn (?:this|that) (?:from|by)|remember\?$|note (?:how|the|each|every)|(?:as|to) (?:note|remember))/iu;

/** Undefined when the sentence asks for nothing to be kept. */
export function rememberCue(sentence: string): RememberCue | undefined {
  if (NOT_ASKED.test(sentence)) return undefined;
  for (const { pattern, force } of LEADING) {
    const match = pattern.exec(sentence);
    if (match === null || match[0] === "") continue;
    return cueOf(sentence.slice(match[0].length), { force, step: STEP_ZH.test(match[0]) });
  }
  for (const trailing of TRAILING) {
    const match = trailing.exec(sentence);
    if (match !== null) return cueOf(sentence.slice(0, match.index), { force: "asked", step: false });
  }
  return undefined;
}

function cueOf(words: string, { force, step }: Pick<RememberCue, "force" | "step">): RememberCue {
  const content = words.trim();
  return {
    content: POINTER.test(content) ? "" : content,
    force: AGREED.test(content) ? "again" : force,
    step: step || STEP.test(content),
  };
}

/** A number, a quoted word, code: nothing that advice is made of. */
const HARD = /\d|['"`“‘「][^'"`”’」\s]+['"`”’」]|\w_\w|\w[@./#]\w|[a-z][A-Z]/u;
/** Things of the trade. */
const TRADE =
  /\b(?:deploy\w*|branch\w*|databases?|db|unit tests?|test suite|staging|production|prod|server|ports?|builds?|apis?|repos?|director(?:y|ies)|configs?|migrations?|releases?|tickets?|scripts?|env|linter|ci|schema|cache|queue|endpoints?|docker|kubernetes|dependenc(?:y|ies)|backups?|cron|timezone|utc|localhost)\b/iu;
/** Talk about what was said before, or about the reader. */
const TURNS_BACK =
  /^(?:about|it|it's|this|that|these|those|they|there|if|your|you|you're|we're|as|while|every(?:one|body))\b/iu;
/** What people say to cheer each other up. */
const PLATITUDE =
  /\b(?:is|are|it's)(?: (?:the|always|also|an?|really|very|so|just as|absolutely))* (?:key|keys|crucial|vital|essential|important|critical|paramount|cornerstone|foundation|opportunit\w+|journeys?|process|valuable|worthwhile|okay|ok|normal|natural|skills?|team|gift|about)\b/iu;

/** Whether words that open advice or cheer as well open something worth keeping. */
export function isWorthKeeping(content: string, force: "told" | "advice"): boolean {
  if (TURNS_BACK.test(content) || PLATITUDE.test(content)) return false;
  return force === "told" || HARD.test(content) || TRADE.test(content);
}

/** "Note: the right thing was done": what happened a moment ago, in words that name nothing of the trade. */
const HAPPENED =
  /^[^,;:]{0,60}\b(?:was|were|wasn'?t|weren'?t|did|didn'?t|has been|have been|hasn'?t|haven'?t|got|happened|went|worked|failed|passed)\b/iu;
const HOLDS = /\b(?:always|never|must|should|every|from now on|because|since|don'?t|do not|use)\b/iu;

/** Whether "note: ..." tells how something went rather than what holds. */
export function isReport(content: string): boolean {
  return HAPPENED.test(content) && !HOLDS.test(content) && !HARD.test(content) && !TRADE.test(content);
}
