// Rules that set one value: "start function names with `a_`", "indent with 2 spaces", "answer in German". Two rules
// about one thing with two values cannot both hold. Strict: what is not plainly of such a shape sets nothing. Pure.
import { languageNamed } from "./spoken-languages.ts";

/** One thing that has one value. Rules of one subject with different values exclude each other. */
export interface ValueRule {
  readonly subject: string;
  readonly value: string;
}

/** A rule is short; what is longer is an essay about it. */
const TEXT_CHARS_MAX = 600;
/** More words than this name no thing. */
const SUBJECT_WORDS_MAX = 4;

/** The value rules of a text, in order. */
export function valueRulesOf(text: string): readonly ValueRule[] {
  const sentences = sentencesOf(text.slice(0, TEXT_CHARS_MAX));
  return sentences.flatMap((sentence, index) => {
    const topic = topicOf(sentence) ?? topicOf(sentences[index - 1] ?? "");
    return [
      ...affixRules(sentence, topic),
      ...casingRules(sentence, topic),
      ...roleRules(sentence),
      ...languageRules(sentence),
      ...measureRules(sentence),
    ];
  });
}

/** One spelling for quotation marks, so that a pattern needs one. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .normalize("NFKC")
    .replace(/[‘’`´“”"]/gu, "'")
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Words around the name of a thing that do not tell which one. */
const AROUND = new Set(
  (
    "a an all every each any both of your our my their its the new these those this that them it they for when whenever naming declaring declare defining define creating create " +
    "convention conventions follow following update updating adopt adopting specific particular letter letters is are on one key thing things focus standard standards instruction instructions guideline guidelines practice practices rule rules point " +
    "camelcase pascalcase uppercase lowercase case caps initializing initialise initialize writing write coding code name names " +
    "named naming start starting begin end ending finish prefix suffix prefixing using use always also please consistently ensure sure make you i we want need like to with by in now so and or be should must will just still"
  ).split(" "),
);

/** The thing a phrase names, as a key; undefined when it names none, or several. */
function subjectOf(phrase: string): string | undefined {
  if (/ (?:and|or) |,/u.test(phrase.trim())) return undefined;
  const words = (
    phrase
      .toLowerCase()
      .replace(/\bin (?:your|our|the|all) .*$/u, "")
      .match(/\p{L}+/gu) ?? []
  )
    .filter((word) => !AROUND.has(word))
    .map(singular);
  return words.length === 0 || words.length > SUBJECT_WORDS_MAX ? undefined : words.join(" ");
}

function singular(word: string): string {
  if (/(?:ss|x|ch|sh)es$/u.test(word)) return word.slice(0, -2);
  if (/[^aeiou]ies$/u.test(word)) return `${word.slice(0, -3)}y`;
  return /[^su]s$/u.test(word) ? word.slice(0, -1) : word;
}

const TOPIC =
  /\b(?:for|when (?:you(?:'re| are)? )?(?:nam(?:e|ing)|declar(?:e|ing)|defin(?:e|ing)|creat(?:e|ing)|initiali[sz](?:e|ing)|writ(?:e|ing))|regarding|as for)((?: [a-z]+){1,5}?)(?=,|\.|$| (?:i|you|please|make|ensure|always)\b)|\b((?:[a-z]+ ){1,3})(?:names|naming convention)\b/giu;

/** What the last "for ...," or "... names" of a sentence speaks of: "them" means it. */
function topicOf(sentence: string): string | undefined {
  const found = [...sentence.matchAll(TOPIC)].flatMap((match) => subjectOf(match[1] ?? match[2] ?? "") ?? []);
  return found.at(-1);
}

/** A piece of a name: quoted, or with a mark or a digit in it. */
const PIECE = String.raw`(?:'([^'\s]{1,24})'|([\w$@]*[_$@\d][\w$@]*))`;
/** "'n_' followed by a digit" is more than a piece. */
const NO_MORE = String.raw`(?!,? (?:followed|and then|plus|or)\b)`;
const WITH = String.raw`(?:with|by (?:using|adding))(?: (?:the|an?))?(?: (?:prefix|suffix|lower ?case|upper ?case|capital|single|letters?|string|characters?|word))*:? `;
const EDGE = "(?:start|begin|end|finish|prefix|suffix)(?:s|e?d|ing|ning)?";
const AFFIX = new RegExp(
  String.raw`\b(start|begin|end|finish|prefix|suffix)(?:s|e?d|ing|ning)?\b((?: (?!${EDGE}\b)[a-z]+){0,6}?),? ${WITH}${PIECE}${NO_MORE}`,
  "giu",
);
/** "... and method names with 'b_'": the verb stands before. */
const AFFIX_MORE = new RegExp(String.raw`^,? and((?: (?!${EDGE}\b)[a-z]+){1,5}?) ${WITH}${PIECE}`, "iu");
/** "Use 'w_' as a prefix", "use the prefix 'h_'"; the thing stands before or after it. */
const EDGE_NAMED = new RegExp(
  String.raw`\b(?:use|using|add|adding|adopt|adopting)(?: (?:the|an?))? (?:(prefix|suffix) ${PIECE}|${PIECE}(?: as (?:the|an?))? (prefix|suffix))(?:(?: for| to)((?: [a-z]+){1,5}))?`,
  "giu",
);
const AFFIX_ELSEWHERE: readonly (readonly [edge: string, pattern: RegExp])[] = [
  [
    "start",
    new RegExp(
      String.raw`(函数|方法|变量|类|常量|属性|参数|分支|测试)(?:的)?名(?:称|字)?[^,。]{0,6}?以 ?${PIECE} ?(?:开头|为前缀)`,
      "gu",
    ),
  ],
  [
    "end",
    new RegExp(
      String.raw`(函数|方法|变量|类|常量|属性|参数|分支|测试)(?:的)?名(?:称|字)?[^,。]{0,6}?以 ?${PIECE} ?(?:结尾|为后缀)`,
      "gu",
    ),
  ],
  [
    "start",
    new RegExp(
      String.raw`(関数|メソッド|変数|クラス|定数|属性|引数|ブランチ|テスト)名[はを、]{0,2} ?${PIECE} ?で(?:始め|始まる)`,
      "gu",
    ),
  ],
  [
    "end",
    new RegExp(
      String.raw`(関数|メソッド|変数|クラス|定数|属性|引数|ブランチ|テスト)名[はを、]{0,2} ?${PIECE} ?で(?:終わ|終え)`,
      "gu",
    ),
  ],
  [
    "start",
    new RegExp(
      String.raw`\b(funktions|methoden|variablen|klassen|konstanten|attribut|branch|test)-?namen\b[^.']{0,30} mit ${PIECE} (?:beginn|anfang|starte)`,
      "giu",
    ),
  ],
  [
    "start",
    new RegExp(
      String.raw`\bnombres de (funciones|métodos|variables|clases|constantes|atributos|ramas)\b[^.']{0,30} con ${PIECE}`,
      "giu",
    ),
  ],
];
const EDGES: Readonly<Record<string, string>> = {
  start: "start",
  begin: "start",
  prefix: "start",
  end: "end",
  finish: "end",
  suffix: "end",
};

/** "Start the server with '--watch'" is no rule about names. */
const OF_NAMES = /\bnam(?:es?|ing)\b|\b(?:pre|suf)fix|名|namen\b|\bnombres\b/iu;
const NAMED_THING =
  /\b(?:message|title|branch|function|method|variable|class|constant|attribute|argument|parameter|test|file|comment|component|hook|table|column|commit)$/u;

function affixRules(sentence: string, topic: string | undefined): ValueRule[] {
  const rules: ValueRule[] = [];
  const add = (
    edge: string,
    { subject, value }: { subject: string | undefined; value: string | undefined },
  ) => {
    if (subject === undefined || subject === UNCLEAR || value === undefined) return;
    if (OF_NAMES.test(sentence) || NAMED_THING.test(subject))
      rules.push({ subject: `${edge} ${subject}`, value: value.replace(/[.,;:!]+$/u, "") });
  };
  let last = 0;
  for (const match of sentence.matchAll(AFFIX)) {
    const edge = EDGES[(match[1] ?? "").toLowerCase()] ?? "";
    const named = match[2]?.trim() === "" ? before(sentence, match.index) : (match[2] ?? "");
    const between = sentence.slice(last, match.index);
    last = match.index + match[0].length;
    const carried = topicOf(between) ?? rules.at(-1)?.subject.replace(/^\w+ /u, "");
    const subject = subjectOf(named) ?? (rules.length === 0 ? undefined : carried);
    add(edge, {
      subject: within(sentence.slice(0, match.index), subject) ?? topic,
      value: match[3] ?? match[4],
    });
    const more = AFFIX_MORE.exec(sentence.slice(match.index + match[0].length));
    if (more !== null) add(edge, { subject: subjectOf(more[1] ?? ""), value: more[2] ?? more[3] });
  }
  for (const match of sentence.matchAll(EDGE_NAMED)) {
    const edge = EDGES[(match[1] ?? match[6] ?? "").toLowerCase()] ?? "";
    const value = match[2] ?? match[3] ?? match[4] ?? match[5];
    add(edge, { subject: subjectOf(match[7] ?? "") ?? topic, value });
  }
  for (const [edge, pattern] of AFFIX_ELSEWHERE)
    for (const match of sentence.matchAll(pattern))
      add(edge, { subject: (match[1] ?? "").toLowerCase(), value: match[2] ?? match[3] });
  return rules;
}

const LEADING_TOPIC =
  /\b(?:for|when(?:ever)? (?:you(?:'re| are)? )?(?:naming|name|declaring|declare|defining|define|creating|create|writing|write))((?: [a-z]+){1,5}?),[^,]{0,60}$/iu;

/** "For function arguments, end the argument names with ...": the nearer words name the same thing, or nobody can tell. */
function within(before: string, named: string | undefined): string | undefined {
  const topic = subjectOf(LEADING_TOPIC.exec(before)?.[1] ?? "");
  if (topic === undefined || named === undefined || topic === named) return named ?? topic;
  if (topic.endsWith(` ${named}`)) return topic;
  return named.endsWith(` ${topic}`) ? named : UNCLEAR;
}

/** No rule is about it. */
const UNCLEAR = "";

/** "All method names end with ...": what stands right before the verb. */
function before(sentence: string, at: number): string {
  return /(?:[a-z]+ ){1,5}$/iu.exec(sentence.slice(Math.max(0, at - 60), at))?.[0] ?? "";
}

const CASING =
  /\b(camel ?case|pascal ?case|snake[_ -]?case|kebab[ -]?case|screaming[_ -]snake[_ -]case|(?:all )?upper ?case|(?:all )?lower ?case|all caps|title case)\b/iu;
const CASED = /\b(?:use|using|write|writing|written|name|naming|named|in|be|follow|adopt|switch to)\b/iu;
const CASED_THING =
  /\b(?:for|name|naming|when (?:you )?(?:name|naming|define|defining|create|creating|declare|declaring))((?: [a-z]+){1,5}?)(?=,|\.|$| (?:in|using|with|as|use|instead|from|going|always|i|please|now)\b)|\b((?:[a-z]+ ){1,3}names?)\b/iu;

function casingRules(sentence: string, topic: string | undefined): ValueRule[] {
  const casings = sentence.match(new RegExp(CASING.source, "giu")) ?? [];
  const [casing] = casings;
  if (casing === undefined || casings.length > 1 || !CASED.test(sentence)) return [];
  const found = CASED_THING.exec(sentence);
  const subject = subjectOf(found?.[1] ?? found?.[2] ?? "") ?? topic;
  const value = casing.toLowerCase().replace(/^all /u, "").replace(/[_ -]/gu, "");
  return subject === undefined ? [] : [{ subject: `case ${subject}`, value }];
}

const RANK = "(?:preferred|main|primary|default|standard|only|sole|go-to|official)";
const ROLE = new RegExp(
  String.raw`\b(?:use|using|utili[sz]e|utili[sz]ing|adopt|adopting|switch to|switching to|make|making) ([\p{L}\d][^\s,;:]*(?: [\p{L}\d][^\s,;:]*){0,3}?) (?:as (?:(?:the|our|your|my) )?|(?:the|our|your|my) (?=${RANK}\b))(?:new )?((?:${RANK} )*)([a-z]+(?: [a-z]+){0,3}?)(?=[.,;!]|$| (?:from|going|for|in|now|at|to|moving|on)\b)`,
  "giu",
);
/** "As a linter" is one of many; "as the linter" and "as preferred linter" is one. */
const ONE_ROLE = new RegExp(String.raw`\bas (?:the|our|your|my) |\b${RANK} `, "iu");

function roleRules(sentence: string): ValueRule[] {
  return [...sentence.matchAll(ROLE)].flatMap((match) => {
    const [whole, value, , role] = match;
    const subject = subjectOf(role ?? "");
    if (value === undefined || subject === undefined || !ONE_ROLE.test(`${whole} `)) return [];
    return [{ subject: `role ${subject}`, value: value.toLowerCase() }];
  });
}

const SAYING =
  /\b(?:answer|reply|respond|speak|talk|explain|antworte|erkläre|sprich|responde|contesta|explica)\b|回答|回复|答复|返信|返答|答え/iu;
const WRITTEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "commit",
    /\bcommit(?:s| messages?|-nachrichten)?\b|\bmensajes de commit\b|提交(?:信息|说明|消息)|コミット(?:メッセージ)?/iu,
  ],
  ["comment", /\b(?:code )?comments?\b|\bkommentare?\b|\bcomentarios?\b|注释|コメント/iu],
  ["docs", /\b(?:docs|documentation|readme|dokumentation|documentación)\b|文档|ドキュメント/iu],
];

function languageRules(sentence: string): ValueRule[] {
  const value = languageNamed(sentence);
  if (value === undefined) return [];
  const written = WRITTEN.filter(([, pattern]) => pattern.test(sentence)).map(([what]) => what);
  const [what] = written.length === 0 && SAYING.test(sentence) ? ["answer"] : written;
  return what === undefined || written.length > 1 ? [] : [{ subject: `language ${what}`, value }];
}

const MEASURE =
  /\b(\d{1,5})[ -]?(spaces?|characters?|chars?|columns?|lines?|words?|sentences?|bullets?|leerzeichen|zeichen|zeilen|wörter|sätze|espacios?|caracteres|líneas|palabras|frases)\b|(\d{1,5}) ?(个空格|个字符|字符|行|字|句|スペース|文字|語|文)/giu;

/** Two rules that differ only in a number of spaces, lines, words. */
function measureRules(sentence: string): ValueRule[] {
  const measures = [...sentence.matchAll(MEASURE)];
  const [only] = measures;
  if (only === undefined || measures.length > 1) return [];
  const rest = sentence.toLowerCase().replace(only[0].toLowerCase(), ` ${only[2] ?? only[4] ?? ""} `);
  const words = (rest.match(/[\p{L}\d]+/gu) ?? []).filter((word) => !AROUND.has(word) && !FOR_GOOD.has(word));
  return [{ subject: `measure ${words.map(singular).join(" ")}`, value: only[1] ?? only[3] ?? "" }];
}

/** Words of "from now on" and its like. */
const FOR_GOOD = new Set(
  "from now on going forward as of today onwards instead ab jetzt immer a partir de ahora siempre".split(" "),
);
