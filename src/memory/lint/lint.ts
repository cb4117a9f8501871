// What is wrong in a memory folder, without a model. Writes nothing and changes nothing.
import type { Finding } from "../../domain/lint.ts";
import { LINT_LIMITS } from "../../domain/limits.ts";
import { exactDuplicates } from "./duplicates.ts";
import type { LintFacts } from "./facts.ts";
import { once } from "./once.ts";
import { CHECKS } from "./registry.ts";
import { tidyIndexPlan } from "./tidy-index.ts";

/** In the order of the checks. More than `LINT_LIMITS.findingsMax` nobody reads. */
export function lintFolder(facts: LintFacts): readonly Finding[] {
  return [...lintSteps(facts)].flat().slice(0, LINT_LIMITS.findingsMax);
}

/** The same check by check, for whoever has others to serve between two of them. */
export function* lintSteps(facts: LintFacts): Generator<readonly Finding[]> {
  const shared = {
    ...facts,
    tidied: once(() => tidyIndexPlan(facts, [])),
    duplicates: once(() => exactDuplicates(facts)),
  };
  for (const check of CHECKS) yield check(shared);
}
