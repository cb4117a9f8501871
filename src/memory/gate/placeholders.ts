// Words that stand for a text instead of being one, in five languages: what a model writes when it was asked for the
// whole and does not repeat it. Pure.
import { normalise } from "./words.ts";

/** Whole texts: nothing but one of these, with or without brackets and dots around it. */
const STANDS_FOR_ALL = [
  "unchanged|no changes?(?: needed)?|not changed|same|same as (?:before|above|previous(?:ly)?|existing|original)|as (?:before|above|is)|see (?:above|previous|existing|original)|keep(?: (?:as is|it|unchanged))?|stays? (?:as (?:it )?is|the same)",
  "todo|tbd|n/?a|none|null|undefined|empty|deleted|removed|placeholder|lorem ipsum|content|text|body|omitted(?: for brevity)?|truncated|etc",
  "unverändert|keine änderung(?:en)?|gleich(?: wie (?:vorher|zuvor|oben))?|wie (?:bisher|vorher|zuvor|oben|gehabt)|siehe oben|bleibt (?:so|gleich|unverändert|wie (?:es|sie|er) ist)|dasselbe|leer|gelöscht|entfernt|platzhalter|gekürzt|ausgelassen",
  "sin cambios?|no (?:ha )?cambia(?:do)?|igual(?: que (?:antes|arriba))?|lo mismo(?: que (?:antes|arriba))?|como (?:antes|arriba)|(?:ver|véase) (?:arriba|más arriba)|se mantiene(?: igual)?|vacío|borrado|eliminado|omitido|pendiente|marcador de posición",
  "(?:内容|正文|全文|其余|文件)?(?:不变|没有变化|无变化|未更改|未改变|无更改|没有更改|保持不变|维持不变|保持原样|原样保留)|(?:同上|同前|如上|如前|与之前相同|和之前一样|与原来相同|见上文|见上|参见上文|无|空|略|省略|已删除|待补充|占位符)",
  "(?:内容は|本文は)?(?:変更なし|変更無し|変更ありません|変わらず|変わりません|そのまま|現状のまま|前と同じ|以前と同じ|上と同じ|上記と同じ|同上|同じ|上記参照|上記の通り|なし|無し|空|省略|削除済み|未定|プレースホルダー)(?:です)?",
];
/** What a text may end in, or hold as a line of its own, instead of the rest of it. */
const STANDS_FOR_REST = [
  "(?:the )?(?:rest|remainder|remaining(?: \\w+)?|everything else|other \\w+|all other \\w+)(?: of (?:the |this )?(?:file|content|text|body|memory|document|section|list))?(?: (?:is|are|remains?|stays?|as|kept|goes|here|unchanged|the same|same|before|above|is unchanged))*",
  "(?:the )?(?:existing|previous|original|current|old|earlier|prior) (?:content|contents|text|body|lines?|entries|memory)(?: (?:is|are|remains?|stays?|kept|goes|here|unchanged|the same|as is|below|above))*",
  "(?:der )?rest(?: (?:der datei|des textes|des inhalts))?(?: (?:bleibt|ist|wie|bisher|vorher|zuvor|oben|unverändert|gleich))*|(?:bisheriger?|vorheriger?|bestehender?|ursprünglicher?|alter) (?:inhalt|text)(?: (?:bleibt|hier|unverändert))*|alles andere (?:bleibt )?(?:gleich|unverändert|wie bisher)",
  "(?:el )?resto(?: (?:del (?:archivo|texto|contenido|fichero)))?(?: (?:sin cambios|igual|se mantiene|como antes|queda igual))*|(?:el )?(?:contenido|texto) (?:anterior|existente|original|actual)(?: (?:aquí|sin cambios|se mantiene))*|todo lo demás (?:igual|sin cambios)",
  "(?:文件|内容|正文)?(?:其余|其他|剩余|余下)(?:的)?(?:部分|内容|文件|文本)?(?:保持)?(?:不变|同上|省略|略|如前|未变)?|(?:原有|已有|现有|之前的|原来的)(?:内容|文本|正文)(?:不变|保持不变|在此|省略)?",
  "(?:ファイルの|本文の|内容の)?(?:残り|以下|その他|それ以外)(?:の(?:部分|内容|ファイル))?(?:は)?(?:変更なし|同じ|省略|そのまま|同様|略)?|(?:既存|元|以前|従来)の(?:内容|本文|テキスト)(?:は)?(?:変更なし|そのまま|省略|ここに)?",
];

const OPENS = "[\\s<!\\[({「『（【#>/*_.…~=-]*";
const CLOSES = "[\\s>\\])}」』）】#/*_.…。!:;~=-]*";

function whole(phrases: readonly string[]): RegExp {
  return new RegExp(`^${OPENS}(?:${phrases.join("|")})${CLOSES}$`, "u");
}

const ALL = whole([...STANDS_FOR_ALL, ...STANDS_FOR_REST]);
const REST = whole(STANDS_FOR_REST);
const MARKS_ONLY = /^[\p{P}\p{S}\s]*$/u;
/** Brackets or dots around a phrase tell a stage direction from a sentence. */
const IS_SET_APART = /^[\s/#*>-]*(?:[<[({「『（【]|\.{2,}|…)|(?:[>\])}」』）】]|\.{3}|…)[\s/*-]*$/u;
/** Longer texts are no such word, and a pattern need not be tried on them. */
const PHRASE_CHARS_MAX = 120;

/** Whether a text is nothing but a word that stands for another text. */
export function isPlaceholder(text: string): boolean {
  const plain = normalise(text);
  return MARKS_ONLY.test(plain) || (plain.length <= PHRASE_CHARS_MAX && ALL.test(plain));
}

/** Whether a text leaves a piece out and says so: "[rest of file unchanged]" on a line of its own. */
export function leavesOut(text: string): boolean {
  return text.split(/[\r\n]+/u).some((line) => {
    const plain = normalise(line);
    if (plain === "" || plain.length > PHRASE_CHARS_MAX) return false;
    return IS_SET_APART.test(plain) && !MARKS_ONLY.test(plain) && (REST.test(plain) || ALL.test(plain));
  });
}
