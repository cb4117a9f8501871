// Secrets told in a sentence or a setting: "the password is ...", "Passwort: ...", "API key ...".
import { holdsWord } from "./generic.ts";
import { SAMPLE_PASSWORDS } from "./public-samples.ts";
import { anyCase, entropyOf, isPlaceholder, type SecretRule } from "./rule.ts";

/** A password named in a sentence or a setting, in the languages we read. */
const PASSWORD_WORDS = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "passwort",
  "kennwort",
  "contraseña",
  "contrasena",
  "clave",
  "密码",
  "密碼",
  "口令",
  "パスワード",
  "暗証番号",
] as const;

const statedPassword: SecretRule = {
  id: "password",
  keywords: PASSWORD_WORDS,
  find(text, at) {
    const stated = STATED_PASSWORD.exec(text.slice(at, at + 400));
    if (stated?.indices === undefined) return [];
    const [, how = "", quoted, bare = ""] = stated;
    const [start, end] = (quoted === undefined ? stated.indices[3] : stated.indices[2]) ?? [0, 0];
    const value = quoted ?? bare.replace(/[.,;:!?。，、]+$/u, "");
    const length = quoted === undefined ? value.length : end - start;
    const prose = !/[:=：＝]/u.test(how);
    return isPassword(value, { quoted: quoted !== undefined, prose })
      ? [{ start: at + start, end: at + start + length }]
      : [];
  },
};

/** Up to a few words between the noun and the value: "password for staging is ...". */
const STATED_PASSWORD =
  /^[\p{L}_]{2,12}(?:["'`]?|[ \t]+(?:for|of|to|on|für|von|del?|para|en)(?:[ \t]+[\p{L}\p{N}_.-]{1,30}){1,4})[ \t]*((?:[ \t]+(?:is|was|ist|lautet|war|es|now|jetzt|ahora|still|to|auf|a)\b){1,3}[:：]?|[:=：＝]{1,2}|[はが为為是]+[:：]?)[ \t]*(?:["'`「『“]([^"'`」』”\n]{4,200})["'`」』”]|([^\s"'`「『“”<>，。、；！？]{4,200}))/du;

/** Bare words that follow "password is" and are no password. */
const NO_PASSWORD =
  /^(?:string|number|boolean|undefined|null|none|true|false|required|optional|empty|hidden|process\.env.*|os\.environ.*|env\..*|self\..*|this\..*|config.*|var\..*)$/iu;

function isPassword(
  value: string,
  { quoted, prose }: { readonly quoted: boolean; readonly prose: boolean },
): boolean {
  if (isPlaceholder(value) || SAMPLE_PASSWORDS.test(value) || NO_PASSWORD.test(value)) return false;
  // Prose in quotes, such as a message or a label, is no password.
  if (quoted) return prose || !/\s/u.test(value);
  if (/[([{]|::|->|^[/~]|\.(?:[a-z]+\.)?[a-z]+$/u.test(value)) return false;
  // A bare word may simply go on with the sentence; a digit or a mark inside tells it apart.
  return /\p{N}/u.test(value)
    ? !/^[\p{N}.,:]{0,3}$/u.test(value)
    : /[!@#$%^&*+=?~|]/u.test(value) && entropyOf(value) > 2;
}

/** Random text called a secret in a sentence: "the api key is ...", "Token lautet ...". */
const statedSecret: SecretRule = {
  id: "stated-secret",
  keywords: [
    "api key",
    "apikey",
    "api-key",
    "access key",
    "secret",
    "token",
    "schlüssel",
    "密钥",
    "密鑰",
    "トークン",
    "キー",
  ],
  find(text, at) {
    const stated = STATED_SECRET.exec(text.slice(at, at + 300));
    const [start, end] = stated?.indices?.[1] ?? [0, 0];
    const value = text.slice(at + start, at + end);
    const random =
      /[0-9]/u.test(value) && /[A-Za-z]/u.test(value) && !isPlaceholder(value) && !holdsWord(value);
    return random ? [{ start: at + start, end: at + end }] : [];
  },
};

const STATED_SECRET = new RegExp(
  `^(?:${anyCase("api")}[ -]?${anyCase("key")}|[\\p{L}]{2,10}(?: key)?)[ \\t]*(?:(?: is| was| ist| lautet| es)[:]?|[はが是为為]+[:：]?)?[ \\t]+["'\`]?([A-Za-z0-9_+/=~.-]{20,300}?)["'\`]?(?=[\\s,;!?]|[.](?:\\s|$)|$)`,
  "du",
);

export const STATED_FORMATS: readonly SecretRule[] = [statedPassword, statedSecret];
