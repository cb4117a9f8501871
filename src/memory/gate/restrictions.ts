// "Never push without asking" forbids, although it holds the words of a permission. Strict: what is not plainly a rule
// against one act stays what it looks like. Five languages. Pure.

const ACT =
  "(?:force-?)?(?:push|commit|deploy|merge|rebase|amend|reset|delete|remove|drop|overwrite|run|execute|install|uninstall|publish|release|change|modify|edit|rename|move|create|add|upgrade|update|touch|migrate|restart|send)";
const AGAINST = "(?:never|do not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|may not)";
/** Whatever could begin another act, which the rule would then allow. */
const TURN = `(?:and|but|or|then|just|instead|always|you|can|may|could|i|we|${ACT}(?:s|ed|ing)?)`;
const LEAVE =
  "(?:asking|confirming|(?:my |our |an? )?(?:confirmation|approval|permission|consent|ok(?:ay)?))";

const ENGLISH = new RegExp(
  String.raw`(\b${AGAINST} (?:ever )?${ACT}(?: (?!${TURN}\b)[^\s.,;:!?]+){0,8}) without (?:first )?${LEAVE}(?: (?:me|us))?(?: first)?(?= *(?:[.,;!\n]|$))`,
  "giu",
);

/** As above: one act, no comma or turn between the ban and what it bans, and no verb that asks not to wait. */
const DE_ACT =
  "(?:(?:force-?)?push|commit|deploy|merge|rebase|lösch|entfern|überschreib|ausführ|führ|install|deinstall|veröffentlich|änder|umbenenn|verschieb|erstell|aktualisier|migrier|send|schick|bearbeit)\\p{L}*";
const DE_TURN =
  "(?:und|aber|sondern|oder|dann|immer|stets|sollst|darfst|kannst|zöger|scheu|wart|frag|brauch|müss|muss)";
const DE_LEAVE =
  "(?:(?:(?:vorher|erst|mich|uns|vorher mich) ){0,2}(?:zu fragen|nachzufragen)|(?:meine |unsere |vorherige |ausdrückliche )?(?:nachfrage|rückfrage|bestätigung|erlaubnis|genehmigung|freigabe))";
const DE_AGAINST = "(?:nie(?:mals)?|nicht|keinesfalls|auf keinen fall|kein(?:e[nrms]?)?)";
const DE_WORD = String.raw`(?: (?!${DE_TURN})[^\s.,;:!?]+)`;

const ES_ACT =
  "(?:(?:force-?)?push|commit|deploy|merge|rebase|despl|borr|elimin|sobrescrib|ejecut|instal|desinstal|publi[cq]|cambi|modifi[cq]|renombr|muev|crees|actuali[cz]|migr|reinici|env[ií]|edit|toqu)\\p{L}*";
const ES_TURN =
  "(?:y|pero|sino|o|luego|siempre|puedes|debes|dud|vacil|esper|pregunt|tem|preocup|hace|hay|necesit|import)";
const ES_LEAVE =
  "(?:preguntar(?:me|nos)?|pedir(?:me)? (?:permiso|confirmación)|(?:mi |nuestra )?(?:confirmación|autorización|aprobación|permiso))(?: antes| primero)?";
const ES_WORD = String.raw`(?: (?!${ES_TURN})[^\s.,;:!?]+)`;

const FORBIDDEN: readonly RegExp[] = [
  ENGLISH,
  // "Pushe nie ohne Rückfrage", "Lösche keine Datei, ohne zu fragen"
  new RegExp(
    String.raw`((?<![\p{L}])${DE_ACT}${DE_WORD}{0,3} ${DE_AGAINST}${DE_WORD}{0,4},?) ohne ${DE_LEAVE}(?= *(?:[.,;!\n]|$))`,
    "giu",
  ),
  // "Niemals ohne Rückfrage deployen", "Nichts wird gelöscht" is none
  new RegExp(
    String.raw`((?<![\p{L}])${DE_AGAINST}${DE_WORD}{0,3}) ohne ${DE_LEAVE}(?=${DE_WORD}{0,4} ${DE_ACT}(?: *(?:[.,;!\n]|$)))`,
    "giu",
  ),
  // "Nie auf main pushen, ohne zu fragen"
  new RegExp(
    String.raw`((?<![\p{L}])${DE_AGAINST}${DE_WORD}{0,4} ${DE_ACT},?) ohne ${DE_LEAVE}(?= *(?:[.,;!\n]|$))`,
    "giu",
  ),
  // "Nunca hagas push a main sin preguntar", "No borres nada sin confirmación"
  new RegExp(
    String.raw`((?<![\p{L}])(?:nunca|jamás|no)(?: (?:se|me|hagas|hacer|debes))? ${ES_ACT}${ES_WORD}{0,6}) sin ${ES_LEAVE}(?= *(?:[.,;!\n]|$))`,
    "giu",
  ),
  // "别不问我就推送": not without
  /((?:别|不要|切勿|禁止|不得|不能|不许)(?:在)?)(?:不|未|没有?)(?:经过?|先|征得)?(?:我|用户)?的?(?:询问|确认|批准|许可|同意|允许|问我|问)(?=(?:就|便|而|的情况下)[^，。；、\n]{1,20}(?:[。；\n]|$))/gu,
  // "確認なしにデプロイしないで"
  /()(?:(?:確認|許可|承認|断り)を?(?:なし|無し|せず|取らず|得ず|求めず)|(?:聞か|尋ね)ず)(?:に|で)?は?(?=[^。、，\n]{1,20}(?:しないで|しないこと|しない(?:[。\n]|$)|してはいけ|してはなら|するな|禁止))/gu,
];

/** The text without "without asking" where that ends a rule against doing something. */
export function withoutRestrictions(text: string): string {
  return FORBIDDEN.reduce((rest, pattern) => rest.replace(pattern, "$1"), text);
}
