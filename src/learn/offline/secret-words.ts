// Sentences that carry a credential or announce one. Narrower than the secret scanner in one way only: it also
// hears "the password is ..." in five languages, which no token format can.

const NAMED =
  /(?:pass(?:word|phrase|code)|passwd|pwd|api[ _-]?keys?|secret(?: key)?|access[ _-]?key|auth[ _-]?token|\btokens?|credentials?|\bpin|passwort|kennwort|schlüssel|contraseña|clave|密码|密碼|口令|密钥|令牌|パスワード|暗証番号|トークン|キー)["'`]?\s*(?:is|are|was|=|:|：|ist|lautet|es|son|为|是|は|を|for \S+ is)?\s*["'`]?(?=[^\s"'`]*[\d!@#$%^&*+/=_-])(?=[^\s"'`]*[A-Za-z])[^\s"'`，。]{5,}/iu;
const TOKEN =
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|xox[abprs]|glpat|npm|pypi|hf|AKIA|ASIA|AIza|eyJ)[-_]?[A-Za-z0-9_-]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^\s:/@]+:[^\s:/@]+@/u;
/** Long and mixed like a random string, but no plain hex hash or UUID. */
const RANDOM_LOOKING =
  /(?<![\w/-])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{32,}(?![\w/-])/u;

/** Values that have no shape of their own and are known by what is said before them. */
const ANNOUNCED: readonly RegExp[] = [
  /\bpass(?:word|phrase|code)?s? (?:for|of|to|on) [^.:=\n]{1,40}(?::|=| is | are )\s{0,3}(?=\S{0,60}[\d!@#$%^&*+=])\S{4}/iu,
  /\bpassphrase\b,?\s?(?:it'?s|is|:)\s(?!in\b|kept\b|stored\b|at\b|not\b|set\b|required\b|needed\b)\S/iu,
  /\bPINs?\b[^.\n]{0,40}?\d[\d -]{2}/u,
  /\b(?:pin|door|access|entry|security|gate|alarm|unlock)[ -]codes?\b[^.\n]{0,40}?\d[\d -]{2}|\b(?:tür|zugangs|alarm|zahlen)codes?\b[^.\n]{0,40}?\d[\d -]{2}|\bcódigo de (?:acceso|la puerta|la alarma)[^.\n]{0,40}?\d[\d -]{2}/iu,
  /(?:密码|密碼|口令|门禁码|門禁碼|暗証番号|パスワード)[^。\n]{0,20}?(?=[A-Za-z!@#$%^&*_-]{0,40}\d)[A-Za-z0-9!@#$%^&*_-]{4}/u,
  /\b(?:log ?in|sign ?in|credentials?|account|user(?:name)?|zugang|anmeldung|usuario|cuenta|acceso)\b[^.\n]{0,40}?\b[\w@-]{2,40}(?: \/ |: ?)(?=[^\s/:]{0,60}[a-z])(?=[^\s/:]{0,60}\d)[^\s/:]{6}/iu,
];

/** What the masking of a rendering left where a secret stood. */
const MASKED = /\[secret:/u;

/** Whether the sentence holds, or seems to hold, a secret value. */
export function mentionsSecret(text: string): boolean {
  if (ANNOUNCED.some((pattern) => pattern.test(text))) return true;
  return MASKED.test(text) || NAMED.test(text) || TOKEN.test(text) || RANDOM_LOOKING.test(text);
}
