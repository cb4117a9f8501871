// An index over its caps: hosts cut it from the bottom, so what was learnt last is what no agent sees.
import type { Finding } from "../../../domain/lint.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { INDEX_FILE } from "../../files/file-name.ts";
import { parseIndex } from "../../files/index-lines.ts";
import { type CheckFacts, finding } from "../facts.ts";

export function indexCaps(facts: CheckFacts): readonly Finding[] {
  const { text } = facts.view.index;
  if (text === undefined) return [];
  const { indexLinesMax, indexBytesMax } = MEMORY_LIMITS;
  const lines = parseIndex(text).length;
  const bytes = Buffer.byteLength(text);
  if (lines <= indexLinesMax && bytes <= indexBytesMax) return [];
  const { overCap } = facts.tidied();
  const what = overCap
    ? "your own text alone is over it: shorten that"
    : "lines that matter least leave it first";
  const found: Finding[] = [];
  if (lines > indexLinesMax) {
    found.push(
      finding("too-many-index-lines", {
        file: INDEX_FILE,
        line: indexLinesMax + 1,
        message: `the index has ${lines} lines, agents read ${indexLinesMax}; ${what}`,
        fixable: !overCap,
      }),
    );
  }
  if (bytes > indexBytesMax) {
    found.push(
      finding("index-too-large", {
        file: INDEX_FILE,
        message: `the index has ${bytes} bytes, agents read ${indexBytesMax}; ${what}`,
        fixable: !overCap,
      }),
    );
  }
  return found;
}
