// The proposals of one run: judged as they come, by the gate and against each other. Commits nothing.
import type { MemoryChange, Verdict } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import { canonicalFile, type ProposalFacts, targetOf } from "../../memory/gate/facts.ts";
import { judgeProposal } from "../../memory/gate/gate.ts";
import { duplicateRule, replacedFiles } from "../../memory/gate/rules/set.ts";
import { basisRule } from "../../memory/gate/rules/target.ts";

export interface Proposals {
  /** Kept when accepted; takes the place of an earlier one about the same file. */
  propose(change: MemoryChange): Verdict;
  of(file: string): MemoryChange | undefined;
  changes(): readonly MemoryChange[];
  /** The last refused proposal of each file that no later one mended. */
  refused(): readonly Verdict[];
}

export function createProposals(facts: ProposalFacts): Proposals {
  const kept = new Map<string, MemoryChange>();
  const refused = new Map<string, Verdict>();
  return {
    propose(change) {
      const key = canonicalFile(change.file);
      const others = [...kept].flatMap(([other, earlier]) => (other === key ? [] : [earlier]));
      const verdict = judge(change, { others, facts });
      if (verdict.accepted) {
        kept.set(key, change);
        refused.delete(key);
      } else {
        refused.set(key, verdict);
      }
      return verdict;
    },
    of: (file) => kept.get(canonicalFile(file)),
    changes: () => [...kept.values()],
    refused: () => [...refused.values()],
  };
}

interface Company {
  /** Accepted proposals of this run about other files. */
  readonly others: readonly MemoryChange[];
  readonly facts: ProposalFacts;
}

/**
 * Twice: against the folder as it is on disk, because the commit will ask that too, and against what this run has
 * made of it, so that a run cannot contradict or repeat itself.
 */
function judge(change: MemoryChange, { others, facts }: Company): Verdict {
  const setFacts = { ...facts, replaced: replacedFiles([...others, change]) };
  const alone = judgeProposal(change, setFacts);
  if (!alone.accepted) return alone;
  // The folder's own memories stand first: they are the sources and targets the commit will find.
  const staged = others.flatMap((other) => stagedMemory(other, facts) ?? []);
  const meeting =
    staged.length === 0
      ? alone
      : judgeProposal(change, { ...setFacts, memories: [...facts.memories, ...staged] });
  if (!meeting.accepted) return meeting;
  const refusal = basisRule(change, setFacts) ?? duplicateRule(change, { earlier: others, facts: setFacts });
  return refusal === undefined ? meeting : { change, accepted: false, ...refusal };
}

/** A memory as a proposal would leave it; undefined when nothing of its text changes or stays. */
export function stagedMemory(
  change: MemoryChange,
  facts: Pick<ProposalFacts, "memories" | "origin">,
): Memory | undefined {
  if (!("memory" in change)) return undefined;
  const target = change.op === "update" ? targetOf(change, facts) : undefined;
  return { ...(target ?? emptyMemory(change.file, facts.origin)), ...change.memory };
}

function emptyMemory(file: string, origin: string | undefined): Memory {
  return {
    file,
    name: undefined,
    description: undefined,
    type: undefined,
    body: "",
    frontmatter: "ok",
    hash: "",
    mtimeMs: 0,
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin,
    links: [],
  };
}
