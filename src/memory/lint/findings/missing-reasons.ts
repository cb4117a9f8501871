// Feedback and project memories without their reasons: nobody can tell any more where they hold.
import type { Finding } from "../../../domain/lint.ts";
import { HOW, WHY } from "../../gate/rules/shape.ts";
import { finding, type LintFacts, shown } from "../facts.ts";

const LABELS = [
  { label: "**Why:**", pattern: WHY },
  { label: "**How to apply:**", pattern: HOW },
] as const;

export function missingReasons({ view }: LintFacts): readonly Finding[] {
  return view.memories.flatMap(({ file, type, body }) => {
    if (type !== "feedback" && type !== "project") return [];
    const missing = LABELS.filter(({ pattern }) => !pattern.test(body)).map(({ label }) => label);
    if (missing.length === 0) return [];
    return [
      finding("missing-reasons", {
        file,
        message: `${shown(file)} (${type}) has no ${missing.join(" and no ")}; add why it holds and where it applies`,
      }),
    ];
  });
}
