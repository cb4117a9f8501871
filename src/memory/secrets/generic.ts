// The rule of last resort: something random assigned to a name like key, token or secret. It has to guess, so it
// knows many names and words that are harmless.
import { isPublicSample } from "./public-samples.ts";
import { assigned, isLetterSoup, isPlaceholder, type SecretRule } from "./rule.ts";

const NAMES = [
  "access",
  "auth",
  "api",
  "credential",
  "creds",
  "key",
  "passwd",
  "password",
  "secret",
  "token",
] as const;

/** Names that hold one of the words above and nothing secret. Compared with the name before the value. */
const HARMLESS_NAME =
  /access(?:or|ibility|ories|ing)|access[_.-]?id|random[_.-]?access|author|authsource|authentication-results|capital|rapid|monkey|turkey|hockey|donkey|keyword|keyboard|keyed|keyring|keying|keyframe|keystore|keymap|keychain_?name|keytab|keyup|keydown|key[_.-]?(?:alias|board|code|down|event|file|frame|id|len|length|name|pair|path|press|pressed|ring|selector|size|stone|store|stroke|type|up|vault|word|hash|chars|meshing|signatures)|keyvault|(?:public|pub|property|primary|foreign|bucket|cache|sequence|schema|sort|partition|group|issuer|map|object|idx|index|index_?|natural|registry|translation|i18n|kms|ha)[ _.-]?key|x509|api[_.-]?(?:call[_.-]?|request[_.-]?)?(?:id|name|url|uri|version|group|host|path|endpoint|base)|[a-z]api[_.-]version|csrf|xsrf|credentials?[_.-]?(?:id|type|url|path|file|name)|creds[_.-]?(?:id|url|path|file)|secrets?[_.-]?(?:id|length|name|size|key_?ref|path|arn|version)|secretsid|token[_.-]?(?:file|length|name|path|type|url|uri|endpoint|count|limit|budget|id|regex|hash)|access_token_url|(?:max|min|num|total|input|output|prompt|completion|cache|context|public)[_.-]?tokens?|tokenizer|password[_.-]?(?:hash|length|min|max|policy|file|path|variable)|jsonwebtoken|checksum|_rev\b/iu;

export function isHarmlessName(name: string): boolean {
  return HARMLESS_NAME.test(name);
}

/** Words of code and prose; a value that holds one is a name, a version or a path. */
const WORDS = new RegExp(
  (
    "access account action active address admin alert alias alpha amazon android apache apple archive array asset async author auth " +
    "azure backup badge balance banner basic batch bearer binary block board bottom branch bucket buffer build button cache calendar " +
    "camera cancel catalog center central change channel chart check child class click client close cloud cluster code color column command comment " +
    "commit common company compile complete component config connect console contact container content context control " +
    "cookie count country create crypt current custom daily dashboard database date debug default delete deploy design desktop " +
    "device digest direct disable display docker docs document domain download driver dummy editor element email empty enable encrypt " +
    "endpoint engine entity entry error event example execute expire export extern false field file filter final first folder " +
    "format frame function gateway general generic github gitlab global google graph group handle handler hash header hello hidden history " +
    "home host html http icon image import index info input insert install instance integration interface internal invalid invoice item " +
    "jackson java jetbrains json kernel keyboard label language latest layout length level library license limit link linux list local location " +
    "lock logger login machine mail main manager manifest map master material matrix maven media member memory menu message meta method metric " +
    "middle mobile mode model module monitor month mouse name native network node normal note null number object offset online " +
    "option order origin output owner package page panel param parent parse partner password path pattern payment people performance " +
    "permission phone photo pixel platform player plugin point policy pool port post prefix preview primary private process product " +
    "profile program project promise property protocol provider proxy public publish query queue random range read record redirect refresh region register release " +
    "remote remove render replace report request require reset resource response rest result return role root route rule sample " +
    "schedule schema scope screen script search secret section secure security select sender sequence serial server service session setting share " +
    "signature simple single size slack small snapshot source space stack staging stage standard start state static status stop storage store stream string " +
    "style submit success summary support switch symbol system table target task team temp template test text theme thread throw time title " +
    "token tool total trace track train transfer transform trigger true type unit update upload user util valid value variable vector " +
    "vendor verify version video view virtual visible wait warning watch week widget width window word work worker world write year zone"
  )
    .split(" ")
    .filter((word) => word.length >= 4)
    .join("|"),
  "giu",
);

/** Whether a word stands in it in one case, as people write: random letters make words of mixed case now and then. */
export function holdsWord(value: string): boolean {
  return [...value.matchAll(WORDS)].some(([word]) => /^[a-zA-Z]?(?:[a-z]+|[A-Z]+)$/u.test(word));
}

/** Shorter words only count where marks or the ends of the value set them off. */
const BOUNDED_WORDS =
  /(?:^|[._=-])(?:api|app|aws|cert|cmk|com|css|csv|data|dev|gpt|img|int|io|jar|js|kms|lan|lib|log|md5|net|org|pem|prod|rc|rsa|sdk|sha1|sha256|sql|src|svg|sys|tmp|uri|url|uwp|var|web|x64|xml|yaml|yml|zip)\d*(?=$|[._=-])/iu;

/** Word characters and marks, or plain base64. */
const VALUE = /^(?:[\w.=-]{10,150}|[A-Za-z0-9+/]{12,300}={0,3})$/u;
/** `someName1`, `SOME_NAME_2`, `module_1.NAME` */
const IDENTIFIER =
  /^[a-z]+(?:[A-Z][a-z]+)+\d{0,3}$|^[a-z]+(?:_[a-z]+)*_\d\.\w+$|^_*[A-Z]{2,}(?:_[A-Z0-9]+)+$/u;

/** `body.0.right.callee` */
const DOTTED_PATH = /^(?:[A-Za-z_]\w{0,19}|\d{1,2})(?:\.(?:[A-Za-z_]\w{0,19}|\d{1,2})){3,}$/u;

/** A name of code, or a value with a short word set off in it. */
export function isName(value: string): boolean {
  return IDENTIFIER.test(value) || DOTTED_PATH.test(value) || BOUNDED_WORDS.test(value);
}

/** Where the name may start before the keyword. */
const NAME_CHARS_MAX = 60;
/** Line before the value that tells of a checksum, an import or a build secret. */
const HARMLESS_LINE =
  /^\s*(?:import\b|from\b.*\bimport\b|LIC_FILES_CHKSUM|SRCREV)|--mount=type=secret|integrity/iu;

/** What belongs to the value: a neighbour's harmless name says nothing about it. */
function nameIn(line: string): string {
  return (
    line
      .replace(/,[\s"'`]{0,4}$/u, "")
      .split(/[,;{}&<]/u)
      .at(-1) ?? line
  );
}

export const genericSecret: SecretRule = assigned({
  id: "generic-api-key",
  names: NAMES,
  // Taken whole: a value that does not end here does not end earlier either.
  value: "(?=(?<value>[\\w.=+/-]{10,300}))\\k<value>",
  entropy: 3.5,
  accept(value, { text, start }) {
    if (isPlaceholder(value) || isPublicSample(value)) return false;
    if (/^[A-Za-z_.-]+$/u.test(value) && !isLetterSoup(value)) return false;
    if (!VALUE.test(value) || IDENTIFIER.test(value) || DOTTED_PATH.test(value)) return false;
    const before = text.slice(Math.max(0, start - NAME_CHARS_MAX * 2), start);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    if (HARMLESS_LINE.test(line) || HARMLESS_NAME.test(nameIn(line))) return false;
    return !holdsWord(value) && !BOUNDED_WORDS.test(value) && !/^[\d.:-]+$/u.test(value);
  },
});
