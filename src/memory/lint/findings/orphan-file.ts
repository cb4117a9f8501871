// Memories without an index line: agents load the index only. Where a full index is the reason, one finding says so.
import type { Finding } from "../../../domain/lint.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { indexFaults } from "../../files/index-faults.ts";
import { INDEX_FILE } from "../../files/file-name.ts";
import { type CheckFacts, finding, shown } from "../facts.ts";

export function orphanFiles(facts: CheckFacts): readonly Finding[] {
  const { view, hidden } = facts;
  const { lines, unlisted } = indexFaults(view);
  const linked = new Set(lines.flatMap(({ links }) => links));
  const orphans = unlisted.filter((file) => !hidden.has(file) && !linked.has(file));
  if (orphans.length === 0) return [];
  const { left, overCap } = facts.tidied();
  const without = new Set(left);
  const isFixable = view.index.problem === undefined && !overCap;
  const full = orphans.filter((file) => without.has(file));
  const found = orphans
    .filter((file) => !without.has(file))
    .map((file) =>
      finding("orphan-file", {
        file,
        message: `no line of ${INDEX_FILE} leads to ${shown(file)}; add one`,
        fixable: isFixable,
      }),
    );
  return full.length === 0 ? found : [...found, indexFull(full)];
}

function indexFull(files: readonly string[]): Finding {
  const { indexLinesMax, indexBytesMax } = MEMORY_LIMITS;
  const [first = ""] = files;
  const which = files.length === 1 ? shown(first) : `${shown(first)} and ${files.length - 1} more`;
  return finding("index-full", {
    file: INDEX_FILE,
    message: `the index is full (${indexLinesMax} lines, ${indexBytesMax} bytes) and has no line for ${which}; merge or remove memories`,
  });
}
