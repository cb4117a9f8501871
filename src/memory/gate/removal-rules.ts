// The rules about what a model may take away.
import type { Rule } from "./facts.ts";
import { overruledRule } from "./rules/overruled.ts";
import { removalRule } from "./rules/removal.ts";

export const REMOVAL_RULES: readonly Rule[] = [overruledRule, removalRule];
