// Credentials where programs put them: URLs, HTTP headers, command lines.
import { SAMPLE_PASSWORDS } from "./public-samples.ts";
import { isLetterSoup, type SecretRule, shaped } from "./rule.ts";

/** How far back the command of an option may stand. */
const COMMAND_CHARS_MAX = 1_000;

/** `scheme://user:password@host`. */
const urlPassword = shaped({
  id: "url-password",
  keywords: ["://"],
  pattern: "://[^\\s:/@?#'\"<>`]{0,100}:(?<secret>[^\\s/@?#'\"<>`]{3,200})@[A-Za-z0-9[%_-]",
  accept: (value) => !SAMPLE_PASSWORDS.test(value),
});

/** After a value: code and prose, not a header. */
const GOES_ON = /[:#[({!?*$%^]/u;

/** Header values; a bare one must look random. */
const authorization = shaped({
  id: "curl-auth-header",
  keywords: ["authorization"],
  pattern:
    "[aA](?:uthorization|UTHORIZATION)['\"]?[ \\t]*[:=][ \\t]*['\"]?(?:(?:[bB]asic|[bB]earer|BEARER|[tT]oken|TOKEN|[aA]pi-?[tT]oken|[aA]pi[kK]ey)[ \\t]+)?" +
    "(?<secret>(?!\\.)[\\w=~@.+/-]{8,4000})",
  entropy: 2.75,
  accept: (value, { text, start }) => looksRandom(value) && !GOES_ON.test(text.charAt(start + value.length)),
});

/** `curl -H "X-Api-Key: value"` */
const keyHeader = shaped({
  id: "curl-auth-header",
  keywords: ["-h ", "-h'", '-h"', "--header"],
  pattern:
    "(?:-H|--header)[ =]{0,3}['\"][A-Za-z0-9-]{0,40}(?:[kK]ey|[tT]oken|KEY|TOKEN)[ \\t]*:[ \\t]*(?<secret>[\\w=~@.+/-]{8,4000})(?=['\"\\s])",
  entropy: 2.75,
  accept: looksRandom,
});

/** `curl -u user:password`, quoted in any way. */
const curlUser = shaped({
  id: "curl-auth-user",
  keywords: ["-u", "--user"],
  pattern:
    '(?<![\\w-])(?:-u|--user)[ =]{0,3}(?<secret>"[^"\\n:]{0,60}":"[^"\\n]{3,120}"|"[^"\\n:]{0,60}:[^"\\n]{3,120}"|"[^"\\n:]{3,60}:"|\'[^\'\\n:]{0,60}:[^\'\\n]{3,120}\'|[^\\s\'":]{3,60}:(?:\'[^\'\\n]{3,120}\'|"[^"\\n]{3,120}"|[^\\s\'"]{3,120}))',
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

/** `sshpass -p password` */
const sshPass = shaped({
  id: "password",
  keywords: ["sshpass"],
  pattern: "sshpass[ \\t]+-p[ \\t]{0,3}[\"']?(?<secret>[^\\s\"'$]{4,200})",
});

/** `mysql -u root -ppassword` */
const mysqlOption = shaped({
  id: "password",
  keywords: ["mysql"],
  pattern: "mysql(?:dump|admin)?[ \\t](?:[^\\n|;]{0,100}[ \\t])?-p[\"']?(?<secret>[^\\s\"'$<]{4,100})",
});

function looksRandom(value: string): boolean {
  return (
    (/[0-9+/=]/u.test(value) || isLetterSoup(value)) &&
    !SAMPLE_PASSWORDS.test(value) &&
    !/^\.|^[A-Za-z]+[._-][A-Za-z._-]+$/u.test(value)
  );
}

export const CREDENTIAL_FORMATS: readonly SecretRule[] = [
  urlPassword,
  authorization,
  keyHeader,
  curlUser,
  sshPass,
  mysqlOption,
];
