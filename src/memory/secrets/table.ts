// The whole table of secret rules, most telling first: where two rules find the same text, the earlier names it.
import { ASSIGNED_FORMATS } from "./assigned-formats.ts";
import { BLOCK_FORMATS } from "./blocks.ts";
import { CREDENTIAL_FORMATS } from "./credentials.ts";
import { FURTHER_FORMATS } from "./further-formats.ts";
import { genericSecret } from "./generic.ts";
import { PREFIXED_FORMATS } from "./prefixed-formats.ts";
import type { SecretRule } from "./rule.ts";
import { STATED_FORMATS } from "./stated.ts";

export const SECRET_RULES: readonly SecretRule[] = [
  ...PREFIXED_FORMATS,
  ...FURTHER_FORMATS,
  ...ASSIGNED_FORMATS,
  ...BLOCK_FORMATS,
  ...CREDENTIAL_FORMATS,
  ...STATED_FORMATS,
  genericSecret,
];
