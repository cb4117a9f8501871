// An index line whose file is not there: an agent that follows it finds nothing.
import type { Finding } from "../../../domain/lint.ts";
import { indexFaults } from "../../files/index-faults.ts";
import { INDEX_FILE } from "../../files/file-name.ts";
import { type CheckFacts, finding, shown } from "../facts.ts";

export function deadIndexLines(facts: CheckFacts): readonly Finding[] {
  const { view } = facts;
  // An index whose own text is over a cap stays as it is.
  const fixable = !facts.tidied().overCap;
  return indexFaults(view).dead.map(({ number, kept }) =>
    finding("dead-index-line", {
      file: INDEX_FILE,
      line: number,
      message: `the line leads to ${shown(kept?.file ?? "")}, which is not there; remove the line`,
      fixable,
    }),
  );
}
