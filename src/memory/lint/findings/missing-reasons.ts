// Feedback and project memories without their reasons: nobody can tell any more where they hold.
import type { Finding } from "../../../domain/lint.ts";
import { HOW, WHY } from "../../gate/rules/shape.ts";
import { finding, type LintFacts, shown } from "../facts.ts";

/** A person's own file may label them in their own words; what is there is not missing. */
const OWN_WHY = labelled(
  "why|reasons?|rationale|because|warum|weil|grund|begründung|por ?qué|porque|motivo|razón|为什么|原因|理由|なぜ",
);
const OWN_HOW = labelled(
  "how to (?:apply|use)(?: it)?|how|when(?: to apply)?|where|apply|applies(?: to)?|application|scope|(?:wie )?anwende[nt]|anwendung|wann|wo|gilt(?: für)?|" +
    "(?:cómo )?aplicar(?:l[oa])?|aplicación|cuándo|dónde|如何(?:应用|使用)|怎么用|应用|适用(?:范围|场景)?|使い方|適用(?:方法|範囲)?|使う場面",
);

const LABELS = [
  { label: "**Why:**", patterns: [WHY, OWN_WHY] },
  { label: "**How to apply:**", patterns: [HOW, OWN_HOW] },
] as const;

/** `Why: x`, `**Why**: x`, `- Why: x` or a heading, with a text behind it. */
function labelled(words: string): RegExp {
  return new RegExp(
    String.raw`^\s*(?:[-*] |#{1,6} )?\*{0,2}(?:${words})(?:\*{0,2}[:：]\*{0,2}|\*{0,2}[ \t]*$)\s*(?!\*\*)[^\n]*[\p{L}\p{N}]`,
    "imu",
  );
}

export function missingReasons({ view }: LintFacts): readonly Finding[] {
  return view.memories.flatMap(({ file, type, body }) => {
    if (type !== "feedback" && type !== "project") return [];
    const missing = LABELS.filter(({ patterns }) => !patterns.some((pattern) => pattern.test(body))).map(
      ({ label }) => label,
    );
    if (missing.length === 0) return [];
    return [
      finding("missing-reasons", {
        file,
        message: `${shown(file)} (${type}) has no ${missing.join(" and no ")}; add why it holds and where it applies`,
      }),
    ];
  });
}
