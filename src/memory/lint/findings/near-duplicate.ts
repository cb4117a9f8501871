// Memories that say the same in nearly the same words. Only reported: which one is the better is a judgement.
import type { Finding } from "../../../domain/lint.ts";
import { type CheckFacts, finding, shown } from "../facts.ts";
import { nearDuplicatesIn } from "../near.ts";

export function nearDuplicates(facts: CheckFacts): readonly Finding[] {
  const exact = facts.duplicates().flatMap(({ goes, linked }) => [...goes, ...linked]);
  const away = new Set(exact);
  const memories = facts.view.memories.filter(
    (memory) => memory.frontmatter !== "malformed" && !away.has(memory),
  );
  const { pairs, isCut } = nearDuplicatesIn(memories);
  const found = pairs.map(([first, second]) =>
    finding("near-duplicate", {
      file: second.file,
      message: `${shown(second.file)} seems to say what ${shown(first.file)} says; merge them`,
    }),
  );
  return isCut ? [...found, tooMany(memories.length)] : found;
}

function tooMany(memories: number): Finding {
  return finding("too-many-to-compare", {
    file: ".",
    message: `of ${memories} memories many are alike, and not all were compared; remove what is not needed`,
  });
}
