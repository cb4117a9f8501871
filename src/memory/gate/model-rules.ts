// The rules that only a model's proposals are asked: it writes in its own words and may quote what it likes.
import type { Rule } from "./facts.ts";
import { REMOVAL_RULES } from "./removal-rules.ts";
import { aboutRule } from "./rules/about.ts";
import { actsRule } from "./rules/acts.ts";
import { hiddenRule } from "./rules/hidden.ts";
import { newNameRule } from "./rules/new-name.ts";
import { ordersRule } from "./rules/orders.ts";
import { reasonsRule } from "./rules/reasons.ts";
import { echoRule } from "./rules/recorded.ts";
import { relativeTimeRule } from "./rules/relative-time.ts";
import { rewriteRule } from "./rules/rewrite.ts";
import { shapeRule } from "./rules/shape.ts";
import { swappedRule } from "./rules/swapped.ts";
import { tidyRule } from "./rules/tidy.ts";

/** How the text is written. */
export const MODEL_FORM_RULES: readonly Rule[] = [
  newNameRule,
  rewriteRule,
  hiddenRule,
  relativeTimeRule,
  shapeRule,
];
/** Whether its sources carry it; asked after the rules that every producer is asked. */
export const MODEL_TRUTH_RULES: readonly Rule[] = [
  echoRule,
  ...REMOVAL_RULES,
  tidyRule,
  ordersRule,
  actsRule,
  reasonsRule,
  aboutRule,
  swappedRule,
];
