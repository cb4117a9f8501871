// Files named like memories that are none: no agent sees what they say.
import type { Finding } from "../../../domain/lint.ts";
import { finding, type LintFacts, shown } from "../facts.ts";

export function unreadableFiles({ view }: LintFacts): readonly Finding[] {
  return view.notMemories.map(({ file, why }) =>
    finding("unreadable-file", {
      file,
      message: `${shown(file)} is no memory: ${shown(why)}; make it a plain text file, or remove it`,
    }),
  );
}
