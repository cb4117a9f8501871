// Secrets that are more than one token: key blocks, credentials in URLs and headers, manifests, wrapped tokens.
// Every search is bounded, so that a hostile text costs no more than an honest one.
import { entropyOf, isPlaceholder, type Range, type SecretRule, shaped } from "./rule.ts";

/** Longest armoured key looked at; 16,384-bit RSA has 12.5 KB. */
const KEY_CHARS_MAX = 16_000;
/** A body below this is an example. */
const KEY_BODY_CHARS_MIN = 64;
/** How far from `kind: Secret` its data map may stand. */
const MANIFEST_CHARS_MAX = 2_000;
/** How far back the command of an option may stand. */
const COMMAND_CHARS_MAX = 1_000;

/** Armoured private keys; one whose end was cut off is masked as far as it goes. */
const privateKey: SecretRule = {
  id: "private-key",
  keywords: ["-----begin"],
  find(text, at) {
    const block = text.slice(at, at + KEY_CHARS_MAX);
    const head = /^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/iu.exec(block)?.[0];
    if (head === undefined) return [];
    const rest = block.slice(head.length);
    const body = /^(?:[A-Za-z0-9+/=\s\\"',:;()_.@>#|-](?!----BEGIN))*/u.exec(rest)?.[0] ?? "";
    const close = /-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----/iu.exec(rest);
    if (close !== null) {
      const closed = close.index >= KEY_BODY_CHARS_MIN && close.index <= body.length;
      return closed ? [{ start: at, end: at + head.length + close.index + close[0].length }] : [];
    }
    const dense = body.replace(/[^A-Za-z0-9+/=]/gu, "").length;
    return dense >= KEY_BODY_CHARS_MIN ? [{ start: at, end: at + head.length + body.length }] : [];
  },
};

/** Words that stand for a password in documentation. */
const SAMPLE_PASSWORDS =
  /^(?:changeme|changeit|passw(?:or)?d|pass|pwd|secret|test|token|user|example|xxx|yyy|\*+|x+|\.+|-+|_+|your.*|my.?password|[<[{$%].*[>\]}%]|\$\w*|.*\$[{(].*)$/iu;

/** `scheme://user:password@host`. */
const urlPassword = shaped({
  id: "url-password",
  keywords: ["://"],
  pattern: "://[^\\s:/@?#'\"<>`]{0,100}:([^\\s/@?#'\"<>`]{3,200})@[A-Za-z0-9[%_-]",
  accept: (value) => !SAMPLE_PASSWORDS.test(value),
});

/** Header values; a bare one must look random. */
const authorization = shaped({
  id: "curl-auth-header",
  keywords: ["authorization"],
  pattern:
    "[aA](?:uthorization|UTHORIZATION)['\"]?[ \\t]*[:=][ \\t]*['\"]?(?:(?:[bB]asic|[bB]earer|BEARER|[tT]oken|TOKEN|[aA]pi-?[tT]oken|[aA]pi[kK]ey)[ \\t]+)?" +
    "([\\w=~@.+/-]{8,4000})(?=['\"`\\s,;)}\\]\\\\]|$)",
  entropy: 2.75,
  accept: looksRandom,
});

/** `curl -H "X-Api-Key: value"` */
const keyHeader = shaped({
  id: "curl-auth-header",
  keywords: ["-h ", "-h'", '-h"', "--header"],
  pattern:
    "(?:-H|--header)[ =]{0,3}['\"][A-Za-z0-9-]{0,40}(?:[kK]ey|[tT]oken|KEY|TOKEN)[ \\t]*:[ \\t]*([\\w=~@.+/-]{8,4000})(?=['\"\\s])",
  entropy: 2.75,
  accept: looksRandom,
});

/** `curl -u user:password`, quoted in any way. */
const curlUser = shaped({
  id: "curl-auth-user",
  keywords: ["-u ", "-u'", '-u"', "--user "],
  pattern:
    '(?:-u|--user)[ =]{0,3}("[^"\\n:]{0,100}":"[^"\\n]{3,200}"|"[^"\\n:]{0,100}:[^"\\n]{3,200}"|"[^"\\n:]{3,100}:"|\'[^\'\\n:]{0,100}:[^\'\\n]{3,200}\'|[^\\s\'":]{3,100}:(?:\'[^\'\\n]{3,200}\'|"[^"\\n]{3,200}"|[^\\s\'"]{3,200}))',
  entropy: 2,
  accept(value, { text, start }) {
    if (!/\bcurl\b/iu.test(text.slice(Math.max(0, start - COMMAND_CHARS_MAX), start))) return false;
    const [user = "", ...rest] = value.replace(/["']/gu, "").split(":");
    const password = rest.join(":") || user;
    return (
      ![password, user].some(
        (part) => /^[$<[{*%]{1,2}[\w{ .$(<[]|\$\{|\$\(|\{\{/u.test(part) && !/^\{[^{}$]+\}$/u.test(part),
      ) && !SAMPLE_PASSWORDS.test(password.replace(/^\{|\}$/gu, ""))
    );
  },
});

function looksRandom(value: string): boolean {
  return (
    /[0-9+/=]/u.test(value) &&
    !SAMPLE_PASSWORDS.test(value) &&
    !/^\.|^[A-Za-z]+[._-][A-Za-z._-]+$/u.test(value)
  );
}

/** A JWT encoded once more: base64 of `eyJ...`. */
const wrappedJwt = shaped({
  id: "jwt-base64",
  keywords: ["zxlk"],
  pattern: "(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}",
  entropy: 2,
  accept(value) {
    const once = Buffer.from(value.slice(0, 160), "base64").toString("latin1");
    const twice = Buffer.from(once.split(".", 1)[0] ?? "", "base64").toString("latin1");
    return once.startsWith("eyJ") && /^\{\s*"[\w#:.-]{1,20}"\s*:/u.test(twice);
  },
});

/** Values under `data:` of a Kubernetes manifest of kind Secret. */
const manifest: SecretRule = {
  id: "kubernetes-secret-yaml",
  keywords: ["kind"],
  find(text, at) {
    if (!/^[ \t]*["']?kind["']?:[ \t]*["']?secret["']?[ \t]*(?:#|\r?\n|$)/iu.test(lineAround(text, at)))
      return [];
    const from = Math.max(0, at - MANIFEST_CHARS_MAX);
    const before = text.slice(from, at);
    const start = from + before.lastIndexOf("\n---") + 1;
    const after = text.slice(at, at + MANIFEST_CHARS_MAX);
    const end = after.indexOf("\n---");
    const document = text.slice(start, end === -1 ? at + after.length : at + end);
    return dataValues(document).map((range) => ({ start: range.start + start, end: range.end + start }));
  },
};

function lineAround(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 40), at);
  const after = text.slice(at, at + 200);
  const end = after.indexOf("\n");
  return before.slice(before.lastIndexOf("\n") + 1) + (end === -1 ? after : after.slice(0, end + 1));
}

function dataValues(document: string): Range[] {
  const found: Range[] = [];
  let depth: number | undefined;
  let offset = 0;
  for (const line of document.split(/(?<=\n)/u)) {
    const indent = /^[ \t]*/u.exec(line)?.[0].length ?? 0;
    const text = line.trim();
    if (/^["']?data["']?:$/u.test(text)) depth = indent;
    else if (depth !== undefined && text !== "" && !text.startsWith("#")) {
      if (indent <= depth) depth = undefined;
      else {
        // Plain, quoted, or a line of a block value.
        const value = /^(?:["']?[\w.-]+["']?:[ \t]*)?(["']?)([A-Za-z0-9+/]{8,}={0,2})\1[ \t]*(?:#.*)?$/u.exec(
          text,
        )?.[2];
        if (value !== undefined && value.length >= 10) {
          const start = offset + line.lastIndexOf(value);
          found.push({ start, end: start + value.length });
        }
      }
    }
    offset += line.length;
  }
  return found;
}

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
    const stated = STATED.exec(text.slice(at, at + 400));
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
const STATED =
  /^[\p{L}_]{2,12}(?:["'`]?|[ \t]+(?:for|of|to|on|für|von|del?|para|en)(?:[ \t]+[\p{L}\p{N}_.-]{1,30}){1,4})[ \t]*((?:[ \t]+(?:is|was|ist|lautet|war|es|now|jetzt|ahora|still|set to|changed to)\b){1,3}[:：]?|[:=：＝]{1,2}|[はが为為是]+[:：]?)[ \t]*(?:["'`「『“]([^"'`」』”\n]{4,200})["'`」』”]|([^\s"'`「『“”<>]{4,200}))/du;

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

export const BLOCK_FORMATS: readonly SecretRule[] = [
  privateKey,
  urlPassword,
  authorization,
  keyHeader,
  curlUser,
  wrappedJwt,
  manifest,
  statedPassword,
];
