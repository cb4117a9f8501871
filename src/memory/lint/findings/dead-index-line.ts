// An index line whose file is not there: an agent that follows it finds nothing.
import type { Finding } from "../../../domain/lint.ts";
import { indexFaults } from "../../files/index-faults.ts";
import { INDEX_FILE } from "../../files/file-name.ts";
import { finding, type LintFacts, shown } from "../facts.ts";

export function deadIndexLines({ view }: LintFacts): readonly Finding[] {
  return indexFaults(view).dead.map(({ number, kept }) =>
    finding("dead-index-line", {
      file: INDEX_FILE,
      line: number,
      message: `the line leads to ${shown(kept?.file ?? "")}, which is not there; remove the line`,
      fixable: true,
    }),
  );
}
