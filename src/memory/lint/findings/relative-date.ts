// Days that move: "tomorrow" in a memory is wrong the day after.
import type { Finding } from "../../../domain/lint.ts";
import { relativeTimesIn } from "../../gate/rules/relative-time.ts";
import { normalise } from "../../gate/words.ts";
import { finding, linesOf, type LintFacts, shown } from "../facts.ts";

export function relativeDates(facts: LintFacts): readonly Finding[] {
  return facts.view.memories.flatMap((memory) =>
    linesOf(memory, facts).flatMap(({ text, line }) => {
      const [first] = relativeTimesIn(normalise(text.replace(/`[^`]*`/gu, " ")));
      if (first === undefined) return [];
      return [
        finding("relative-date", {
          file: memory.file,
          line,
          message: `"${shown(first)}" means another day by now; write the date (YYYY-MM-DD)`,
        }),
      ];
    }),
  );
}
