// Places in files by their line number: stale with the next edit.
import type { Finding } from "../../../domain/lint.ts";
import { LINE_CITATION } from "../../gate/rules/kind.ts";
import { normalise } from "../../gate/words.ts";
import { finding, linesOf, type LintFacts, shown } from "../facts.ts";

export function lineCitations(facts: LintFacts): readonly Finding[] {
  return facts.view.memories.flatMap((memory) =>
    linesOf(memory, facts).flatMap(({ text, line }) => {
      const found = LINE_CITATION.exec(normalise(text));
      if (found === null) return [];
      return [
        finding("line-citation", {
          file: memory.file,
          line,
          message: `"${shown(found[0])}" names a line, which is another one after the next edit; name the function or the file`,
        }),
      ];
    }),
  );
}
