// Which of a run's changes may be committed: those that belong together go together. Half a merge is worse than none; so is
// one that loses what only the file that goes says.
import type { MemoryChange, Verdict } from "../../../domain/changes.ts";
import { canonicalFile, type ProposalFacts } from "../../../memory/gate/facts.ts";
import { fullerDuplicates } from "../../../memory/gate/rules/remains.ts";

export interface Sorted {
  readonly changes: readonly MemoryChange[];
  /** Accepted one by one, and left out because something they belong to was refused. */
  readonly left: readonly MemoryChange[];
}

export interface Unwritten {
  /** What the gate refused and nothing mended. */
  readonly refused: readonly Verdict[];
  /** Files of writes that were no proposal at all, and what these quote. */
  readonly failed: readonly string[];
  readonly facts: Pick<ProposalFacts, "memories">;
}

export function withoutHalves(
  changes: readonly MemoryChange[],
  { refused, failed, facts }: Unwritten,
): Sorted {
  // A removal that was refused leaves everything where it is.
  const unwritten = refused.flatMap(({ change }) => ("memory" in change ? [change] : []));
  const fuller = fullerDuplicates(changes, facts);
  const bad = new Set([...[...unwritten, ...fuller].flatMap(filesOf), ...failed.map(canonicalFile)]);
  let size = -1;
  // What touches a bad file is bad, and so is what touches that.
  while (size !== bad.size) {
    size = bad.size;
    for (const change of changes) {
      const files = filesOf(change);
      if (files.some((file) => bad.has(file))) for (const file of files) bad.add(file);
    }
  }
  const isBad = ({ file }: MemoryChange) => bad.has(canonicalFile(file));
  return { changes: changes.filter((change) => !isBad(change)), left: changes.filter(isBad) };
}

/** The file a change is about, and the memories it quotes. */
function filesOf({ file, evidence }: MemoryChange): string[] {
  const quoted = evidence.flatMap(({ by, recordId }) => (by === "memory" ? [recordId] : []));
  return [file, ...quoted].map(canonicalFile);
}
