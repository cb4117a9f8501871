// The schema of `lint`: what is wrong in memory folders, and what was mended. Describes only.
import { FINDING_CODES, type KeptFolder, type LintReply, type ProjectFinding } from "../../domain/lint.ts";
import * as is from "./json-schema.ts";

const finding = is.named(
  "Finding",
  is.object<ProjectFinding>({
    code: is.oneOf(...FINDING_CODES),
    file: is.text,
    line: is.orNull(is.count),
    message: is.text,
    fixable: is.flag,
    project: is.text,
  }),
);

const reply = is.named(
  "LintReply",
  is.object<LintReply>({
    v: is.oneOf(1),
    findings: is.listOf(finding),
    fixed: is.maybe(is.listOf(finding)),
    runs: is.maybe(is.listOf(is.text)),
    kept: is.maybe(is.listOf(is.object<KeptFolder>({ project: is.text, why: is.text }))),
  }),
);

export const LINT_ANSWERS = { lint: reply, fixLint: reply };
