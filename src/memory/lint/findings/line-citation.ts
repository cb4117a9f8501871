// Places in files by their line number: stale with the next edit.
import type { Finding } from "../../../domain/lint.ts";
import { LINE_CITATION } from "../../gate/rules/kind.ts";
import { normalise } from "../../gate/words.ts";
import { finding, linesOf, type LintFacts, shown } from "../facts.ts";

export function lineCitations(facts: LintFacts): readonly Finding[] {
  return facts.view.memories.flatMap((memory) =>
    linesOf(memory, facts).flatMap(({ text, line }) => {
      const plain = normalise(text);
      const found = LINE_CITATION.exec(plain);
      if (found === null) return [];
      // The pattern begins with the last letter of the name.
      const begin = /[\p{L}\p{N}_./-]*$/u.exec(plain.slice(0, found.index))?.[0] ?? "";
      return [
        finding("line-citation", {
          file: memory.file,
          line,
          message: `"${shown(`${begin}${found[0]}`)}" names a line, which is another one after the next edit; name the function or the file`,
        }),
      ];
    }),
  );
}
