// Second versions a file synchroniser left: only a person can say which one holds.
import type { Finding } from "../../../domain/lint.ts";
import { finding, type LintFacts, shown } from "../facts.ts";

export function conflictCopies({ view }: LintFacts): readonly Finding[] {
  return view.conflictCopies.map((file) =>
    finding("conflict-copy", {
      file,
      message: `${shown(file)} is a conflict copy of a file synchroniser; take over what it knows better, then remove it`,
    }),
  );
}
