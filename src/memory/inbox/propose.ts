// A change set where a person decides: the gate judges it as at a commit, and what it accepts waits as a whole. Never
// touches the memory folder.
import type { ChangeSet, MemoryChange, Verdict } from "../../domain/changes.ts";
import type { ContentHash } from "../../domain/memories.ts";
import type { Emitter } from "../../system/emitter.ts";
import { memoryContentHash } from "../files/listing.ts";
import { type ProposalFacts, targetOf } from "../gate/facts.ts";
import { judgeSet } from "../gate/gate.ts";
import { removalHashOf } from "../gate/text-hash.ts";
import type { CommitOptions, CommitResult } from "../journal/commit.ts";
import type { PreviewAsk } from "../journal/preview.ts";
import type { Inbox } from "./inbox.ts";
import { evidenceIn, type Offered } from "./items.ts";

export interface ProposeDeps {
  readonly inbox: Inbox;
  readonly emitter: Emitter;
  /** The folder as it is, and what waits: `factsWithWaiting`. */
  preview(ask: PreviewAsk): ProposalFacts;
}

export function proposeSet(
  set: ChangeSet,
  options: CommitOptions,
  { inbox, emitter, preview }: ProposeDeps,
): CommitResult {
  const facts = factsOfSet(set, options, { preview });
  const { lossShareMax } = options;
  const judged = judgeSet(set, facts, lossShareMax === undefined ? {} : { lossShareMax });
  const verdicts = judged.map((verdict) => withoutRejected(verdict, facts));
  for (const verdict of verdicts) {
    if (verdict.accepted) continue;
    emitter.emit("proposal:refused", { file: verdict.change.file, reason: verdict.reason });
  }
  const accepted = verdicts.flatMap(({ accepted, change }) => (accepted ? [change] : []));
  const waiting = inbox.put(set.project.id, offersOf(accepted, { set, facts }));
  return { verdicts, written: [], indexLeft: [], indexOverCap: false, waiting };
}

/** A file the person would not give up as it is: they are not asked again until it says something else. */
function withoutRejected(verdict: Verdict, { removed }: Pick<ProposalFacts, "removed">): Verdict {
  const { change, accepted } = verdict;
  if (!accepted || change.op !== "delete" || !removed.textHashes.has(removalHashOf(change))) return verdict;
  return { change, accepted: false, reason: "removed-before", message: "the person wants to keep this file" };
}

/** What the gate would judge the set by at a commit. */
export function factsOfSet(
  set: ChangeSet,
  options: CommitOptions,
  { preview }: Pick<ProposeDeps, "preview">,
): ProposalFacts {
  const { today, sharedFolder = false, keep = false, heard, insisted, evidenceTexts } = options;
  return {
    ...preview({ set, today, sharedFolder }),
    keep,
    recordText: (recordId) => evidenceTexts.get(recordId),
    ...(heard === undefined ? {} : { heard }),
    ...(insisted === undefined ? {} : { insisted }),
  };
}

/** A model may have meant its changes together. The rules never do, so that each can be decided by itself. */
function offersOf(
  changes: readonly MemoryChange[],
  { set, facts }: { readonly set: ChangeSet; readonly facts: ProposalFacts },
): Offered[] {
  const { producer } = set;
  const groups = producer === "model" ? [changes] : changes.map((change) => [change]);
  return groups.map((group) => ({
    kind: "proposal",
    producer,
    changes: group,
    bases: basesOf(group, facts),
  }));
}

/** What each file says that a change is about: whether it still does is asked when a person says yes. */
export function basesOf(
  changes: readonly MemoryChange[],
  facts: Pick<ProposalFacts, "memories">,
): Readonly<Record<string, ContentHash>> {
  const targets = changes.flatMap((change) =>
    change.op === "create" ? [] : (targetOf(change, facts) ?? []),
  );
  return Object.fromEntries(targets.map((memory) => [memory.file, memoryContentHash(memory)]));
}

/** What waits counts as taken up: work that is repeated after a crash proposes nothing twice. */
export function factsWithWaiting(facts: ProposalFacts, items: ReturnType<Inbox["list"]>): ProposalFacts {
  const proposals = items.filter(({ kind }) => kind === "proposal");
  const read = proposals.flatMap(evidenceIn).filter(({ by }) => by !== "memory");
  const recordedIds = new Set([...facts.recordedIds, ...read.map(({ recordId }) => recordId)]);
  return { ...facts, recordedIds };
}
