// Index lines that are longer than a line may be. A line that is the person's own text is only reported.
import type { Finding } from "../../../domain/lint.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { shortEntry } from "../../files/index-entry.ts";
import { indexFaults } from "../../files/index-faults.ts";
import { INDEX_FILE } from "../../files/file-name.ts";
import { type CheckFacts, finding, shown } from "../facts.ts";

export function longIndexLines(facts: CheckFacts): readonly Finding[] {
  const { view } = facts;
  // An index whose own text is over a cap stays as it is.
  const mayChange = !facts.tidied().overCap;
  const memories = new Map(view.memories.map((memory) => [memory.file, memory]));
  const { lines, dead } = indexFaults(view);
  const gone = new Set(dead);
  return lines
    .filter((line) => line.text.length > MEMORY_LIMITS.indexLineCharsMax && !gone.has(line))
    .map(({ number, text, kept }) => {
      const about = kept === undefined ? "a line of your own text" : `the line of ${shown(kept.file)}`;
      const short =
        kept === undefined
          ? undefined
          : shortEntry(text, { file: kept.file, memory: memories.get(kept.file) });
      return finding("long-index-line", {
        file: INDEX_FILE,
        line: number,
        message: `${about} has ${text.length} characters, more than ${MEMORY_LIMITS.indexLineCharsMax}; shorten it`,
        fixable: mayChange && short !== undefined,
      });
    });
}
