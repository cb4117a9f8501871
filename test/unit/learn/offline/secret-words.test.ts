// Sentences that carry a credential no token format knows, beside those that only sound like one.
import { expect, it } from "vitest";
import { mentionsSecret } from "../../../../src/learn/offline/secret-words.ts";

const WORD = ["hunter", "2", "hunter", "2"].join("");
const DIGITS = ["47", "11"].join("");

it.each([
  `Remember the pass for admin: ${WORD}`,
  `The password of the box is ${WORD}.`,
  `Always use the PIN ${DIGITS}-8829 for the door.`,
  `The door code is ${DIGITS}#`,
  `Remember the admin login is ana / ${WORD}`,
  `Login for staging: ana:${WORD}`,
  "My ssh passphrase, it's several plain words",
  `Merk dir die PIN für die Tür: ${DIGITS}`,
  `Der Türcode ist ${DIGITS}`,
  `El código de acceso es ${DIGITS}`,
  `门禁密码 ${DIGITS}`,
  `金庫の暗証番号は${DIGITS}です`,
])("is a secret: %s", (sentence) => {
  expect(mentionsSecret(sentence)).toBe(true);
});

it.each([
  "The password for staging is kept in the vault.",
  "The passphrase is kept by Petra.",
  "We pin versions exactly.",
  "The pass rate is 97.5% for build12",
  "Login tests live in web/login2.",
  "The account page is at http://localhost:3000/account2",
  "以后密码一律不要写进日志",
  "Error codes start at 4000.",
])("is none: %s", (sentence) => {
  expect(mentionsSecret(sentence)).toBe(false);
});
