// Secrets told in a sentence or a setting, in the languages we read: "the password is ...", "Passwort: ...", "API key
// ...". Ordinary talk about passwords must pass.
import { holdsWord, isHarmlessName, isName } from "./generic.ts";
import { SAMPLE_PASSWORDS } from "./public-samples.ts";
import { anyCase, entropyOf, isLetterSoup, isPlaceholder, type Range, type SecretRule } from "./rule.ts";

/** Nouns that mean nothing else. */
const CLEAR_NOUNS = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "passwort",
  "kennwort",
  "contraseña",
  "contrasena",
  "密码",
  "密碼",
  "口令",
  "パスワード",
  "暗証番号",
] as const;
/** Short or ambiguous ones: what follows must look like a password by itself. */
const SHORT_NOUNS = ["pwd", "pw", "pass", "clave", "contra", "パス", "pin"] as const;
const SECRET_NOUNS = [
  "api key",
  "apikey",
  "api-key",
  "access key",
  "secret",
  "token",
  "key",
  "schlüssel",
  "clave",
  "密钥",
  "密鑰",
  "秘钥",
  "令牌",
  "トークン",
  "キー",
  "シークレット",
] as const;

/** "for the staging db", "für die Datenbank", "de la base" */
const PLACE =
  "(?:[ \\t\\xa0\\u3000]+(?:for|of|to|on|in|at|für|von|vom|zum|zur|auf|im|del?|para|en)(?:[ \\t\\xa0\\u3000]+[\\p{L}\\p{N}_./()-]{1,30}){1,4}?)?";
const VERBS =
  "is was be should will has been set changed ist war lautet heißt wird es era será now currently from on ab nun jetzt derzeit desde ahora still to auf a nehmen nutzen verwenden benutzen wir";
const VERB = `(?:[ \\t\\xa0\\u3000]+(?:${VERBS.split(" ").map(anyCase).join("|")})(?!\\p{L})){1,4}[:：]?`;
const CJK_VERB =
  "[ \\t\\xa0\\u3000]*(?:就|现在|目前|暂时|已经|已|被|現在|今)?(?:是|为|為|设为|设成|设置为|改成|改为|換成|换成|用的是|は|が|を|には|として)[:：]?";
/** `password_staging`, `password (old)`, then the sign; quotes and emphasis in any order. */
const SIGN =
  "(?<more>s?(?:[_-]\\w{1,20}|[A-Z0-9][A-Za-z0-9]{0,20})?)[\"'`*_\\\\]{0,3}(?:[ \\t\\xa0\\u3000]?\\([^()\\n]{1,30}\\))?[ \\t\\xa0\\u3000]*(?::=|=>|[:=：＝]{1,2}|>)";
const LINK = `(?:(?<sign>${SIGN})[ \\t\\xa0\\u3000*_]{0,4}|(?<verb>${PLACE}${VERB}[ \\t\\xa0\\u3000*_]{1,4}|${CJK_VERB}[ \\t\\xa0\\u3000]{0,3})|[ \\t\\xa0\\u3000*_]{1,4}|[ \\t\\xa0\\u3000]{0,40}\\|[ \\t\\xa0\\u3000]{0,40})`;
const QUOTED = "\\\\{0,2}[\"'`「『“](?<quoted>[^\"'`」』”\\n]{4,200})[\"'`」』”]";
/** Letters of other scripts end it: there the sentence goes on. */
const BARE = "(?<bare>[!#-&(-;=?-_a-~\\xa1-\\u024f]{4,80})";
const STATED_CHARS_MAX = 500;

const STATED_PASSWORD = new RegExp(
  `^(?<noun>${[...CLEAR_NOUNS, ...SHORT_NOUNS].map(anyCase).join("|")})(?![a-rt-zäöüß])${LINK}(?:${QUOTED}|${BARE})`,
  "u",
);
/** "... is the staging password" */
const BEFORE_NOUN = new RegExp(
  "(?<![!-~])[\"'`*「“]{0,2}(?<bare>[!#-&(-;=?-_a-~]{8,80})[\"'`*」”]{0,2}(?:[ \\t\\xa0\\u3000]+(?:is|was|as|ist|war|als|es|como)(?:[ \\t\\xa0\\u3000]+(?:the|my|our|your|das|mein|unser|la|mi|el|nuestra))?(?:[ \\t\\xa0\\u3000]+[\\p{L}\\p{N}_-]{1,20}){0,2}[ \\t\\xa0\\u3000]+|[ \\t\\xa0\\u3000]*(?:是|就是|が|は)\\p{L}{0,8})$",
  "du",
);
const BEFORE_CHARS_MAX = 160;
/** A cheap look first: what is needed of the above, and stands close. */
const VERB_BEFORE =
  /[ \t](?:is|was|as|ist|war|als|es|como)[ \t][^.\n]*$|[!-~]{4}[ \t"'`*」”]{0,3}(?:是|就是|が|は)\p{L}{0,8}$/u;
const VERB_CHARS_MAX = 50;

const statedPassword: SecretRule = {
  id: "password",
  keywords: [...CLEAR_NOUNS, ...SHORT_NOUNS],
  find: (text, at) => passwordAfter(text, at) ?? passwordBefore(text, at) ?? [],
};

function passwordAfter(text: string, at: number): Range[] | undefined {
  const stated = isInsideWord(text, at) ? null : STATED_PASSWORD.exec(text.slice(at, at + STATED_CHARS_MAX));
  const { noun = "", sign, verb, more = "", quoted } = stated?.groups ?? {};
  if (stated === null) return undefined;
  const said = quoted ?? stated.groups?.["bare"] ?? "";
  const known = {
    how: sign !== undefined ? "sign" : verb !== undefined ? "verb" : "none",
    quoted: quoted !== undefined,
    sure: SHORT_NOUNS.every((each) => each !== noun.toLowerCase()),
    // `DB_PASSWORD=horse`
    environment: sign === "=" && noun === noun.toUpperCase() && noun !== noun.toLowerCase(),
  } as const;
  // Most words after a password are said quickly to be none.
  if (!known.quoted && !known.environment && !/[\d!@#$%^&*+=?~|]/u.test(said)) return undefined;
  const value = trimmed(said);
  if (!isPassword(value, known) || isHarmlessName(noun + more)) return undefined;
  // It stands last, before at most a closing quote.
  const start = at + stated[0].length - said.length - (quoted === undefined ? 0 : 1);
  return [{ start, end: start + value.length }];
}

function passwordBefore(text: string, at: number): Range[] | undefined {
  const from = Math.max(0, at - BEFORE_CHARS_MAX);
  if (!VERB_BEFORE.test(text.slice(Math.max(0, at - VERB_CHARS_MAX), at))) return undefined;
  const before = text.slice(from, at);
  // What is strong holds a digit.
  const stated = /\d/u.test(before) ? BEFORE_NOUN.exec(before) : null;
  const [start = 0, end = 0] = stated?.indices?.groups?.["bare"] ?? [];
  const value = stated?.groups?.["bare"] ?? "";
  return isStrong(value) && value.length >= 8 ? [{ start: from + start, end: from + end }] : undefined;
}

/** `compass` or a piece of base64, but not `dbPass` or `DB_PASS`. */
function isInsideWord(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  if (!/[A-Za-z0-9+/=]/u.test(before)) return false;
  return !(/[a-z]/u.test(before) && /^[A-Z][a-z]/u.test(text.slice(at, at + 2)));
}

/** Without what ends a sentence, an emphasis or a line that was written out. */
function trimmed(value: string): string {
  const [line = ""] = value.split(/\\[nrt"']|[,;]["'\]})]/u);
  return line.replace(/[.,;:!?*_\\)\]}]+$/u, "");
}

interface Known {
  readonly how: "sign" | "verb" | "none";
  readonly quoted: boolean;
  readonly sure: boolean;
  readonly environment: boolean;
}

/** Bare words that follow a password and are none. */
const NO_PASSWORD =
  /^(?:string|number|boolean|undefined|null|none|true|false|u?int\d+array|required|optional|empty|hidden|process\.env.*|os\.environ.*|env\..*|self\..*|this\..*|config.*|var\..*)$/iu;
/** How passwords are kept, and how long they are. */
const TECHNIQUE =
  /^(?:base\d|sha-?\d|aes|md\d|utf-?\d|bcrypt|scrypt|argon\d|pbkdf|oauth|pkcs|http|rfc|iso|totp|[2m]fa|\d?password|\d+[- ]?(?:char|day|bit|digit|zeichen|tage|hour|min))/iu;

function isPassword(value: string, { how, quoted, sure, environment }: Known): boolean {
  if (value.length < 4 || isPlaceholder(value) || SAMPLE_PASSWORDS.test(value) || NO_PASSWORD.test(value))
    return false;
  if (TECHNIQUE.test(value) || /^!\w+$|^--/u.test(value)) return false;
  if (!sure) return isStrong(value) || (how !== "none" && /^\d{4,8}$/u.test(value));
  // Prose in quotes, such as a message or a label, is no password.
  if (quoted && how !== "none") return how === "verb" || !/\s/u.test(value);
  if (/::|->|^[/~]|^\w+:\/\/|\.(?:[a-z]+\.)?[a-z]+$/u.test(value)) return false;
  if (how === "none") return isStrong(value);
  if (how === "sign" && /[([{]/u.test(value)) return false;
  if (environment && value.length >= 4) return true;
  // A bare word may simply go on with the sentence; a digit or a mark inside tells it apart.
  return /\p{N}/u.test(value)
    ? !/^[\p{N}.,:]{0,3}$/u.test(value)
    : /[!@#$%^&*+=?~|]/u.test(value) && entropyOf(value) > 2;
}

const STRONG_CHARS_MIN = 6;

/** Nothing else than a secret looks like this: no word, no name of code, no path, no version. */
function isStrong(value: string): boolean {
  if (value.length < STRONG_CHARS_MIN || !/\d/u.test(value)) return false;
  if (isPlaceholder(value) || TECHNIQUE.test(value) || isName(value)) return false;
  if (/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$|^-/u.test(value)) return false;
  if (/[/\\([{]|::|->|^v?\d+(?:[.:-]\d+)+|\.[a-z]{1,5}$/u.test(value)) return false;
  const mixed = /[A-Z]/u.test(value) && /[a-z]/u.test(value);
  return /\p{L}/u.test(value) && (mixed || /[!@#$%^&*+=?~|_.-]/u.test(value));
}

/** Random text called a secret in a sentence: "the api key is ...", "Token lautet ...". */
const STATED_SECRET = new RegExp(
  `^(?:${SECRET_NOUNS.map(anyCase).join("|")})(?:[ -]${anyCase("key")}|${anyCase("key")})?(?![a-zäöüß])(?:(?<verb>${PLACE}${VERB}[ \\t\\xa0\\u3000]{1,3}|${CJK_VERB}[ \\t\\xa0\\u3000]{0,3})|[ \\t\\xa0\\u3000]{1,3})["'\`*]{0,3}(?<value>[A-Za-z0-9_+/=~.-]{10,300})["'\`*]{0,3}(?=[\\s,;!?)\\x80-\\uffff]|$)`,
  "du",
);
/** Without a verb only something long counts. */
const LONE_CHARS_MIN = 20;

const statedSecret: SecretRule = {
  id: "stated-secret",
  keywords: SECRET_NOUNS,
  find(text, at) {
    const stated = STATED_SECRET.exec(text.slice(at, at + STATED_CHARS_MAX));
    const start = stated?.indices?.groups?.["value"]?.[0];
    if (
      stated === null ||
      start === undefined ||
      /[A-Za-z]{2}/u.test(text.slice(Math.max(0, at - 1), at + 1))
    )
      return [];
    const value = (stated.groups?.["value"] ?? "").replace(/[.]+$/u, "");
    const long = value.length >= LONE_CHARS_MIN;
    const random = long
      ? isRandom(value)
      : stated.groups?.["verb"] !== undefined && isRandom(value) && isStrong(value);
    return random ? [{ start: at + start, end: at + start + value.length }] : [];
  },
};

function isRandom(value: string): boolean {
  const mixed = (/[0-9]/u.test(value) && /[A-Za-z]/u.test(value)) || isLetterSoup(value);
  return mixed && !isPlaceholder(value) && !holdsWord(value);
}

export const STATED_FORMATS: readonly SecretRule[] = [statedPassword, statedSecret];
