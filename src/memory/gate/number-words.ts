// Numbers written as words, in the five supported languages. Pure.

/** By value; `rare` words are read in sources only, since they usually mean something else. */
const NUMBERS: readonly (readonly [value: string, words: string, rare?: string])[] = [
  ["1", "", "one|once|eins|eine[nrms]?|uno|una|一"],
  ["2", "two|zwei|dos", "twice|zweimal|二|两|二つ"],
  ["3", "three|drei|tres", "三"],
  ["4", "four|vier|cuatro", "四"],
  ["5", "five|fünf|cinco", "五"],
  ["6", "six|sechs|seis", "六"],
  ["7", "seven|sieben|siete", "七"],
  ["8", "eight|acht|ocho", "八"],
  ["9", "nine|neun|nueve", "九"],
  ["10", "ten|zehn|diez", "十"],
  ["11", "eleven", "elf|once"],
  ["12", "twelve|zwölf|doce", "dozen|dutzend|十二"],
  ["15", "fifteen|fünfzehn|quince"],
  ["20", "twenty|zwanzig|veinte", "二十"],
  ["30", "thirty|dreißig|treinta", "三十"],
  ["40", "forty|vierzig|cuarenta"],
  ["50", "fifty|fünfzig|cincuenta", "五十"],
  ["60", "sixty|sechzig|sesenta"],
  ["70", "seventy|siebzig|setenta"],
  ["80", "eighty|achtzig|ochenta"],
  ["90", "ninety|neunzig|noventa"],
  ["100", "hundred|hundert", "cien|百"],
  ["1000", "thousand|tausend", "mil|千"],
];

/** Number words that are claims. */
export const NUMBER_WORD = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?:${NUMBERS.flatMap(([, words]) => (words === "" ? [] : [words])).join("|")})(?![\p{L}\p{N}_-])`,
  "giu",
);

const PATTERNS: readonly (readonly [value: string, pattern: RegExp])[] = NUMBERS.map(
  ([value, words, rare]) => [
    value,
    new RegExp(
      `(?<![a-zäöüß])(?:${[words, rare ?? ""].filter((each) => each !== "").join("|")})(?![a-zäöüß])`,
      "iu",
    ),
  ],
);

/** The digits of a number word; the word itself when it is none. */
export function digitsOf(word: string): string {
  return PATTERNS.find(([, pattern]) => pattern.exec(word)?.[0] === word)?.[0] ?? word;
}

/** Whether `text` says a number in words. */
export function saysInWords(text: string, digits: string): boolean {
  return PATTERNS.some(([value, pattern]) => value === digits && pattern.test(text));
}
