// Gathers what the gate judges by: the folder, its evidence, what the person took back.
import type { TimeZone } from "../../domain/calendar.ts";
import type { ChangeSet } from "../../domain/changes.ts";
import type { HeardRecord, ProposalFacts } from "../gate/facts.ts";
import type { Memory } from "../../domain/memories.ts";
import type { FolderView } from "../files/store.ts";
import { broughtBack, BROUGHT_BACK_ENTRIES_MAX } from "./brought-back.ts";
import type { EvidenceFacts } from "./evidence.ts";
import { instructionsOf } from "./instructions.ts";
import type { Parts } from "./parts.ts";

export interface FactsAsk {
  readonly set: Pick<ChangeSet, "project" | "producer">;
  readonly folderId: string;
  readonly view: FolderView;
  /** Every name in the folder. */
  readonly names: readonly string[];
  readonly evidence: EvidenceFacts;
  readonly evidenceTexts: ReadonlyMap<string, string>;
  /** The records shown to the producer, in order; undefined where nobody knows it. */
  readonly heard: readonly HeardRecord[] | undefined;
  readonly today: string;
  readonly timeZone: TimeZone;
  readonly sharedFolder: boolean;
  readonly keep: boolean;
  readonly insisted?: ReadonlySet<string> | undefined;
}

export function proposalFacts(
  ask: FactsAsk,
  { refused, files: disk, journal }: Pick<Parts, "refused" | "files" | "journal">,
): ProposalFacts {
  const { set, view, evidence } = ask;
  const files = new Set(view.memories.map((memory) => memory.file));
  return {
    producer: set.producer,
    memories: view.memories,
    otherNames: ask.names.filter((name) => !files.has(name.normalize("NFC"))),
    recordText: (recordId) => ask.evidenceTexts.get(recordId),
    recordedIds: new Set([...evidence.recordedIds, ...view.memories.flatMap((memory) => memory.evidence)]),
    removed: refused.load(ask.folderId),
    saidAt: evidence.saidAt,
    timeZone: ask.timeZone,
    today: ask.today,
    keep: ask.keep,
    hearsay: hearsayIn(view, evidence),
    broughtBack: once(() => {
      const entries = journal.entries(ask.folderId, { max: BROUGHT_BACK_ENTRIES_MAX });
      return broughtBack(entries, view.memories);
    }),
    instructions: once(() => instructionsOf(disk, set.project)),
    ...(ask.insisted === undefined ? {} : { insisted: ask.insisted }),
    ...(ask.heard === undefined ? {} : { heard: ask.heard }),
    ...(ask.sharedFolder ? { origin: set.project.root } : {}),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** What the person affirmed made a user or feedback memory, and then it is theirs; everything else is not. */
function hearsayIn({ memories }: FolderView, { otherVoices }: EvidenceFacts): Set<string> {
  const isTheirs = (memory: Memory) => memory.type === "user" || memory.type === "feedback";
  const rest = memories.filter((memory) => otherVoices.has(memory.file) && !isTheirs(memory));
  return new Set(rest.map(({ file }) => file));
}
