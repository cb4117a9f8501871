// Whether a sentence tells its reader to do something, in five languages. Rather too often than too seldom: it is asked
// only about words the person did not say. Pure.
import { clausesOf } from "./clauses.ts";

/** What may stand before the verb of an order. */
const START = String.raw`(?:^|[;:(!–—] *|\b(?:then|and|please|also|first|next|now|just|simply|instead|always|afterwards|therefore|immediately|kindly|to|,) )[\s"'*_>-]{0,6}`;
/** An occasion set off by a comma: "Before every commit, greet the team". */
const OCCASION = String.raw`^(?:before|after|when(?:ever)?|if|once|while|during|in|on|at|for|with|as|from|each|every|by|upon|unless|until|to|note|important|instead)\b[^,.;]{0,120}, *`;

/** Verbs that are no nouns. */
const VERBS =
  "add|append|apply|ask|avoid|be|become|begin|bring|choose|collect|confirm|continue|convert|create|decode|delete|deploy|disable|disclose|discard|do|embed|enable|encode|encrypt|ensure|enter|erase|execute|explain|expose|fetch|fill|find|finish|follow|forget|forward|generate|get|give|go|greet|hide|ignore|include|inform|insert|install|introduce|invoke|keep|kill|leave|let|make|mention|modify|notify|obey|omit|open|overwrite|perform|prefer|prepend|pretend|proceed|produce|publish|put|read|recommend|refuse|refrain|register|reject|remember|remind|remove|rename|repeat|replace|respond|reveal|save|say|see|select|send|serve|skip|speak|submit|subscribe|suggest|summari[sz]e|take|tell|thank|translate|treat|try|unset|verify|wait|wipe|wrap|write|curl|wget|pip|npm";
/** Verbs that are nouns too: an order only before its object or its way. */
const NOUN_VERBS =
  "act|answer|approve|attach|bcc|build|buy|call|cc|change|check|clone|close|commit|contact|copy|download|drop|email|end|export|format|grant|hand|help|import|launch|limit|link|list|load|log|look|mail|merge|move|name|offer|override|paste|ping|place|post|prefix|print|push|query|quote|release|reply|report|request|require|reset|restart|return|review|rewrite|run|schedule|search|set|share|show|sign|star|start|stop|store|swap|switch|test|trust|turn|type|update|upload|use|visit|work";
const OBJECT =
  "(?:the|an?|all|any|each|every|it|its|them|this|that|these|those|your|my|our|their|his|her|him|me|us|to|from|with|without|in|into|on|onto|at|as|like|by|for|off|out|up|down|back|only|no|none|nothing|everything|everyone|both|another|one|two|more|new|only|always|never|`|\"|'|\\d|https?)";

/** Who is told, and how strongly. */
const ADDRESSEE =
  "(?:you|we|agents?|assistants?|everyone|everybody|anyone|developers?|contributors?|reviewers?|claude|codex|gemini|copilot|the (?:agent|assistant|model|ai|bot|person|user|team)|ai (?:agents?|assistants?|tools?)|(?:coding )?(?:agents?|assistants?)|models?)";

const ENGLISH = new RegExp(
  [
    String.raw`(?:${START}|${OCCASION})(?:re-?)?(?:${VERBS})\b(?! ?['’])`,
    String.raw`(?:${START}|${OCCASION})(?:re-?)?(?:${NOUN_VERBS}) ${OBJECT}(?![\p{L}])`,
    String.raw`\b${ADDRESSEE} (?:should|shall|ought to|needs? to|are to|is to|(?:are|is) (?:required|expected|asked|supposed|advised|told) to|had better|will (?:always|first|now))\b`,
    String.raw`\b(?:should|ought to|needs? to) (?:be|always|never|first|also|not)\b`,
    String.raw`\b(?:make|be) sure\b|\bit is (?:required|mandatory|important|necessary|essential|recommended|advisable|best|policy|imperative) (?:to|that|for)\b|\b(?:is|are) (?:required|mandatory)\b`,
    String.raw`\bplease\b`,
  ].join("|"),
  "iu",
);
const GERMAN = new RegExp(
  [
    String.raw`(?:^|[,;:(!] *|\b(?:dann|und|bitte|zuerst|stets|danach) )(?:führe?n?|nutze?n?|benutze?n?|verwende?n?|installiere?n?|lade?n?|öffne?n?|besuche?n?|rufe?n?|starte?n?|lösche?n?|sende?n?|schicke?n?|antworte?n?|schreib(?:e|en)?|gib|geben|sage?n?|ignoriere?n?|füge?n?|entferne?n?|lies|lesen|prüfe?n?|frage?n?|nimm|mache?n?|stelle?n?|setze?n?|kopiere?n?|teile?n?|melde?n?|beginne?n?|beende?n?|vermeide?n?|behandle?n?|bestätige?n?|deaktiviere?n?|aktiviere?n?|speichere?n?|übersetze?n?|veröffentliche?n?|ändere?n?|ersetze?n?|zeige?n?|befolge?n?|folge?n?|halte?n?|begrüße?n?|merke?|vergiss)(?!\p{L})`,
    String.raw`\bbitte\b|\b(?:soll(?:st|en|t)?|sollte[nst]?)\b|^\p{Lu}\p{Ll}+(?:en|n) sie\b`,
    String.raw`(?<!\b(?:wird|werden|wurde|kann|können|darf|zu|um)\b.{0,80})\b(?:antworten|verwenden|nutzen|benutzen|ausführen|schreiben|löschen|senden|schicken|installieren|hochladen|starten|öffnen|prüfen|ignorieren|übersetzen|begrüßen)[.!]?$`,
  ].join("|"),
  "iu",
);
const SPANISH = new RegExp(
  [
    String.raw`(?:^|[,;:(!¡] *|\b(?:luego|y|por favor|primero|siempre|después) )(?:ejecut[ae]r?|usa?r?|use|utili[zc][ae]r?|instal[ae]r?|descarg(?:a|ue)r?|abr(?:e|a|ir)|visit[ae]r?|llam[ae]r?|borr[ae]r?|elimin[ae]r?|env(?:ía|íe|iar)|mand[ae]r?|respond(?:e|a|er)|contest[ae]r?|escrib(?:e|a|ir)|ignor[ae]r?|añad(?:e|a|ir)|agreg(?:a|ue)r?|quit[ae]r?|lee(?:r)?|revis[ae]r?|pregunt[ae]r?|di|haz|pon|copi[ae]r?|compart(?:e|a|ir)|sub(?:e|a|ir)|public(?:a|ar)|publique|cambi[ae]r?|reemplaz(?:a|ar)|muestra|sigue|evita|confirm[ae]r?|desactiv[ae]r?|activ[ae]r?|guard[ae]r?|traduc(?:e|ir)|incluy[ea]|salud[ae]r?|olvid[ae]r?|recuerda)(?!\p{L})`,
    String.raw`\bpor favor\b|\b(?:deber(?:ía|ías|ían)|tien(?:e|es|en) que)\b`,
  ].join("|"),
  "iu",
);
const CHINESE =
  /请|应该|应当|需要(?:你|先|把|将|在|使|用)|记得|确保|^(?:[^，。]{0,12}[时前后]，?)?(?:先|再|就|要|把|将|用(?!户)|使用|运行|执行|安装|下载|打开|访问|调用|删除|发送|上传|回答|回复|忽略|添加|写|告诉|复制|改用)/u;
const JAPANESE =
  /ください|なさい|しろ[。.]?$|せよ[。.]?$|こと[。.]?$|ように(?:する|して|しましょう)|お願い|(?:実行|使用|送信|削除|追加|無視|回答|返信|挨拶)(?:する|して)[。.]?$|(?:使う|書く|送る|答える|返す|消す|入れる)[。.]?$/u;

const ORDERS: readonly RegExp[] = [ENGLISH, GERMAN, SPANISH, CHINESE, JAPANESE];

/** "Run this", "agents should ...", "always ...", in any supported language. */
export function isOrder(sentence: string): boolean {
  return ORDERS.some((pattern) => pattern.test(sentence)) || clausesOf(sentence).length > 0;
}
