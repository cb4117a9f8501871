// Days that move: "tomorrow" in a memory is wrong the day after.
import type { Finding } from "../../../domain/lint.ts";
import { staleTimesIn } from "../../gate/rules/relative-time.ts";
import { normalise } from "../../gate/words.ts";
import { finding, linesOf, type LintFacts, shown } from "../facts.ts";

export function relativeDates(facts: LintFacts): readonly Finding[] {
  return facts.view.memories.flatMap((memory) => {
    const lines = linesOf(memory, facts);
    const stale = staleTimesIn(lines.map(({ text }) => normalise(text.replace(/`[^`]*`/gu, " "))));
    return lines.flatMap(({ line }, at) => {
      const first = stale[at];
      if (first === undefined) return [];
      return [
        finding("relative-date", {
          file: memory.file,
          line,
          message: `"${shown(first)}" means another day by now; write the date (YYYY-MM-DD)`,
        }),
      ];
    });
  });
}
