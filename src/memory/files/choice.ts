// "Use pnpm, not npm": one thing in the place of another, however it is put, in five languages. Strict: a sentence that
// says anything more, or says it of something else, makes another choice or none. Pure; understands no meaning.

/** What is to be taken, what is not, and the words that limit it. */
export interface Choice {
  readonly take: string;
  readonly leave: string;
  /** "for scripts", "in the frontend"; "" for everywhere. */
  readonly where: string;
}

/** A choice is said in a few words; what is longer says more. */
const TEXT_CHARS_MAX = 200;

/** The name of a thing: one to three words or a piece of code, no verb, no "and". */
const STOP =
  "(?:use|using|used|prefer|take|pick|not|never|no|instead|rather|and|or|but|than|of|don't|do|we|you|it|is|are|was|should|must|please|here|in|for|on|with|when|if|only|want|now|try|run|write|add|put|make|get|got|returns?|shows?|says?)";
const WORD = String.raw`(?!${STOP}(?![\p{L}\p{N}_]))[\p{L}\p{N}@_$][\p{L}\p{N}@_$./#+-]*`;
const THING = String.raw`(?:the |an? )?(${WORD}(?: ${WORD}){0,2}?)`;
/** The same for languages with other little words between things. */
const NAME = String.raw`([\p{L}\p{N}@_$][\p{L}\p{N}@_$./#+-]*)`;
const CJK_NAME = String.raw`([A-Za-z0-9@_$][A-Za-z0-9@_$./#+-]*(?: [A-Za-z0-9@_$./#+-]+)?|[\p{sc=Han}\p{sc=Katakana}ー]{1,8}?)`;
const USE = "(?:use|using|prefer|take|pick|go with|stick (?:to|with))";
const LIMIT = String.raw`((?: (?:for|in|on|with|when|inside|within|under) [^,;.]{2,60})?)`;
const DASH = String.raw`(?:[,;:]|\.| -)`;

interface Shape {
  readonly pattern: RegExp;
  /** Which group holds what. */
  readonly take: number;
  readonly leave: number;
  readonly where?: number;
}

function shape(source: string, groups: Omit<Shape, "pattern">): Shape {
  return { pattern: new RegExp(`^${source}$`, "iu"), ...groups };
}

const TAKE_FIRST = { take: 1, leave: 2, where: 3 } as const;
const LEAVE_FIRST = { take: 2, leave: 1, where: 3 } as const;

const SHAPES: readonly Shape[] = [
  shape(
    String.raw`(?:we |you should |you must )?${USE} ${THING},? (?:and )?(?:not|never|instead of|rather than|over|in place of) ${THING}${LIMIT}`,
    TAKE_FIRST,
  ),
  shape(
    String.raw`(?:we )?(?:don't|do not|never|stop|no longer|not) (?:use|using) ${THING}${LIMIT}${DASH} (?:but )?(?:(?:we |please )?${USE} )?${THING}(?: instead)?`,
    { take: 3, leave: 1, where: 2 },
  ),
  shape(
    String.raw`(?:we )?(?:don't|do not|never|stop|not) (?:use|using) ${THING}${DASH} (?:we |please )?${USE} ${THING}(?: instead)?${LIMIT}`,
    LEAVE_FIRST,
  ),
  shape(String.raw`${THING},? (?:instead of|rather than|in place of) ${THING}${LIMIT}`, TAKE_FIRST),
  shape(String.raw`(?:it's |it should be )?${THING}, not ${THING}${LIMIT}`, TAKE_FIRST),
  shape(String.raw`instead of ${THING},? ${USE} ${THING}${LIMIT}`, LEAVE_FIRST),
  shape(String.raw`not ${THING}, (?:but |${USE} |we use )?${THING}`, LEAVE_FIRST),
  // German
  shape(
    String.raw`(?:(?:wir )?(?:nimm|nutze|verwende|benutze|nehmen|nutzen|verwenden|benutzen) )?${NAME},? (?:statt|anstatt|anstelle von|und nicht|nicht) ${NAME}((?: (?:für|in|im|bei|beim) [^,;.]{2,60})?)(?: (?:verwenden|nutzen|nehmen|benutzen))?`,
    TAKE_FIRST,
  ),
  shape(
    String.raw`(?:(?:nimm|nutze|verwende|benutze) )?(?:nicht|kein(?:e[nrms]?)?) ${NAME}(?: (?:verwenden|nutzen|nehmen|benutzen))?[,;] (?:sondern|nimm|nutze|verwende|benutze|wir (?:nehmen|nutzen|verwenden|benutzen)) ${NAME}(?: (?:verwenden|nutzen|nehmen|benutzen))?((?: (?:für|in|im|bei|beim) [^,;.]{2,60})?)`,
    LEAVE_FIRST,
  ),
  shape(
    String.raw`statt ${NAME},? (?:nimm|nutze|verwende|benutze)?,? ?${NAME}(?: (?:verwenden|nutzen|nehmen|benutzen))?((?: (?:für|in|im|bei|beim) [^,;.]{2,60})?)`,
    LEAVE_FIRST,
  ),
  // Spanish
  shape(
    String.raw`(?:(?:usa|utiliza|usamos|utilizamos) )?${NAME},? (?:en lugar de|en vez de|y no|no) ${NAME}((?: (?:para|en|con) [^,;.]{2,60})?)`,
    TAKE_FIRST,
  ),
  shape(
    String.raw`no (?:uses|utilices|usamos) ${NAME}[,;] (?:sino |usa |utiliza |usamos )?${NAME}((?: (?:para|en|con) [^,;.]{2,60})?)`,
    LEAVE_FIRST,
  ),
  shape(
    String.raw`en (?:lugar|vez) de ${NAME},? (?:usa|utiliza) ${NAME}((?: (?:para|en|con) [^,;.]{2,60})?)`,
    LEAVE_FIRST,
  ),
  // Chinese
  shape(
    String.raw`(?:我们)?(?:要|应该|请|都|改)?用 ?${CJK_NAME} ?[,;]? ?(?:而不是|不是|不要用|别用|不用|代替|替代|取代) ?${CJK_NAME}`,
    TAKE_FIRST,
  ),
  shape(
    String.raw`(?:我们)?(?:不要|别|不|别再|不要再)用 ?${CJK_NAME} ?[,;]? ?(?:而是|要|请|改|应该|都|我们)?用 ?${CJK_NAME}`,
    LEAVE_FIRST,
  ),
  // Japanese
  shape(
    String.raw`${CJK_NAME} ?(?:ではなく|じゃなくて|でなく|の代わりに|を使わずに?)(?:て)?[,]? ?${CJK_NAME} ?(?:を|で)?(?:使って|使う|使おう|使え|にして|でお願いします)?(?:ください|下さい|ね)?`,
    LEAVE_FIRST,
  ),
  shape(
    String.raw`${CJK_NAME} ?(?:は|を)使わ(?:ないで|ず|ない)(?:ください|に)?[,]? ?${CJK_NAME} ?を使って(?:ください|下さい|ね)?`,
    LEAVE_FIRST,
  ),
  shape(
    String.raw`${CJK_NAME} ?を使って[,]? ?${CJK_NAME} ?(?:は|を)使わないで(?:ください|下さい|ね)?`,
    TAKE_FIRST,
  ),
];

/** Around the choice: what calls, begs, insists, and "from now on". */
const BEFORE =
  /^(?:(?:no(?! (?:uses|utilices|usamos)\b)|nope|wrong|actually|please|pls|stop(?! using\b)|ok(?:ay)?|hey|again|remember|always|that's wrong|that's not right|as a rule|(?:from|as of) now(?: on)?|going forward|in (?:the )?future|nein|falsch|bitte|doch|immer|ab jetzt|künftig|von nun an|por favor|siempre|a partir de ahora|de ahora en adelante|不对|错了|不是|请|記住|记住|从现在(?:起|开始)|以后|違う|違います|いや|いいえ|これから(?:は)?|今後(?:は)?)(?:[,:;.!]+ ?| - ?| ))+/iu;
const AFTER =
  /(?:(?:,? )(?:please|pls|here|always|instead|from now on|going forward|in (?:the )?future|okay|ok|bitte|hier|immer|ab jetzt|künftig|por favor|aquí|siempre|a partir de ahora|in (?:this|the|our) (?:repo(?:sitory)?|project|code ?base)|in diesem (?:repo|projekt)|en este (?:repo|proyecto))|(?:吧|哦|啊|就好|お願いします))+$/iu;
/** Why does not change what. */
const REASON =
  /[,;]? (?:because|since|as it|as they|weil|denn|porque|ya que) .{3,}$|[,;] ?(?:因为|なぜなら).{2,}$/iu;

/** The choice a sentence makes; undefined where it makes none, or says more than one. */
export function choiceOf(sentence: string): Choice | undefined {
  if (sentence.length > TEXT_CHARS_MAX) return undefined;
  const text = bare(sentence);
  for (const { pattern, take, leave, where = 0 } of SHAPES) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const choice = {
      take: named(match[take]),
      leave: named(match[leave]),
      where: where === 0 ? "" : (match[where] ?? "").trim().toLowerCase(),
    };
    return choice.take === choice.leave ? undefined : choice;
  }
  return undefined;
}

/** What a statement in one sentence chooses, as a key; undefined where its texts choose nothing, or not the same. */
export function choiceKey(texts: readonly string[]): string | undefined {
  const keys = texts.filter((text) => text.trim() !== "").map(keyOf);
  const [first] = keys;
  return keys.every((key) => key === first) ? first : undefined;
}

function keyOf(text: string): string | undefined {
  const choice = choiceOf(text);
  return choice === undefined ? undefined : JSON.stringify([choice.take, choice.leave, choice.where]);
}

function bare(sentence: string): string {
  const text = sentence
    .normalize("NFKC")
    .replace(/[‘’´]/gu, "'")
    .replace(/[“”„«»"`「」*]/gu, "")
    .replace(/[，、]/gu, ",")
    .replace(/[–—]/gu, "-")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[.!。]+$/u, "");
  const point = text.replace(REASON, "").replace(BEFORE, "");
  return point.replace(AFTER, "").trim();
}

/** Letters tell some names apart (`fooBar`), but nobody means two things by "Pnpm" and "pnpm". */
function named(name: string | undefined): string {
  const text = (name ?? "").trim().replace(/[.,:-]+$/u, "");
  return /\p{Ll}\p{Lu}/u.test(text) ? text : text.toLowerCase();
}
