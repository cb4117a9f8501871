// Names of languages people ask to be answered in, in the five languages we read. Data. Pure.

const NAMES: Readonly<Record<string, string>> = {
  en: "english|englisch|inglés|英文|英语|英語",
  de: "german|deutsch|alemán|德文|德语|ドイツ語",
  es: "spanish|spanisch|español|castellano|西班牙语|スペイン語",
  zh: "chinese|mandarin|chinesisch|chino|中文|汉语|中国語",
  ja: "japanese|japanisch|japonés|日文|日语|日本語",
  fr: "french|französisch|francés|法文|法语|フランス語",
  pt: "portuguese|portugiesisch|portugués|葡萄牙语|ポルトガル語",
  it: "italian|italienisch|italiano|意大利语|イタリア語",
  ko: "korean|koreanisch|coreano|韩文|韩语|韓国語",
  ru: "russian|russisch|ruso|俄文|俄语|ロシア語",
};
const LANGUAGES = Object.entries(NAMES).map(([code, names]) => ({
  code,
  named: new RegExp(String.raw`(?<!\p{L})(?:${names})`, "iu"),
  asked: new RegExp(
    String.raw`(?<!\p{L})(?:in|auf|en) (?:${names})(?!\p{L})|(?:用|使用)(?:${names})|(?:${names})で`,
    "iu",
  ),
}));

/** The language a sentence asks for; undefined when it asks for none, or names several. */
export function languageNamed(sentence: string): string | undefined {
  const [only, ...others] = LANGUAGES.filter(
    ({ named, asked }) => named.test(sentence) || asked.test(sentence),
  );
  return only !== undefined && others.length === 0 && only.asked.test(sentence) ? only.code : undefined;
}
