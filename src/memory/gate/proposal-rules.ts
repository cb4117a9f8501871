// The rules about one proposal, in the order they are asked. A new rule is one file and one line here.
import type { Rule } from "./facts.ts";
import { MODEL_FORM_RULES, MODEL_TRUTH_RULES } from "./model-rules.ts";
import { bodyRule } from "./rules/body.ts";
import { evidenceRule } from "./rules/evidence.ts";
import { frontmatterRule } from "./rules/frontmatter.ts";
import { kindRule } from "./rules/kind.ts";
import { nameRule } from "./rules/name.ts";
import { permissionRule } from "./rules/permission.ts";
import { knownRule, recordedRule } from "./rules/recorded.ts";
import { removedRule } from "./rules/removed.ts";
import { secretsRule } from "./rules/secrets.ts";
import { restatedRule } from "./rules/restated.ts";
import { supportRule } from "./rules/support.ts";
import { orderRule, originRule } from "./rules/target.ts";

/** In this order; the first that refuses gives the reason. Form first, then danger, then truth. */
export const PROPOSAL_RULES: readonly Rule[] = [
  nameRule,
  frontmatterRule,
  secretsRule,
  permissionRule,
  bodyRule,
  kindRule,
  ...MODEL_FORM_RULES,
  recordedRule,
  removedRule,
  evidenceRule,
  originRule,
  knownRule,
  restatedRule,
  orderRule,
  supportRule,
  ...MODEL_TRUTH_RULES,
];
