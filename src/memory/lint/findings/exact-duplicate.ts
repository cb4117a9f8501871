// Memories of the same type, description and body: one is enough.
import type { Finding } from "../../../domain/lint.ts";
import { type CheckFacts, finding, shown } from "../facts.ts";

export function duplicateFiles(facts: CheckFacts): readonly Finding[] {
  return facts.duplicates().flatMap(({ stays, goes, linked, isWanted }) => [
    ...goes.map(({ file }) =>
      finding("exact-duplicate", {
        file,
        message: `${shown(file)} says exactly what ${shown(stays.file)} says; remove one of them`,
        fixable: true,
      }),
    ),
    ...linked.map(({ file }) =>
      finding("exact-duplicate", {
        file,
        message: `${shown(file)} says exactly what ${shown(stays.file)} says, ${isWanted ? WANTED : LINKED}`,
      }),
    ),
  ]);
}

const LINKED = "and other memories link both; change the links, then remove one";
const WANTED = "and one was brought back by an undo; remove one yourself if you want only one";
