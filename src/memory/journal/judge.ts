// Asks the gate about a change set, with the folder as it is under the lock, and plans what was accepted.
import type { ChangeSet, MemoryChange, Verdict } from "../../domain/changes.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { readFolder } from "../files/store.ts";
import type { HeardRecord } from "../gate/facts.ts";
import { hearsayUnder, judgeSet } from "../gate/gate.ts";
import { replacedFiles } from "../gate/rules/set.ts";
import { dayBefore } from "./day-before.ts";
import type { RecordedQuote } from "./entries.ts";
import type { EvidenceFacts } from "./evidence.ts";
import { proposalFacts } from "./facts.ts";
import { onDisk } from "./failures.ts";
import { assertReadable, type OpenMemory } from "./open-memory.ts";
import { type OperationContext, type PlannedOp, planOperation } from "./operations.ts";
import type { Parts } from "./parts.ts";

export interface JudgeAsk {
  readonly set: ChangeSet;
  readonly memory: OpenMemory;
  /** The one rendering of every record quoted as evidence, by record id. */
  readonly evidenceTexts: ReadonlyMap<string, string>;
  /** What the producer was shown, in order; without it nothing a model proposes counts as affirmed. */
  readonly heard?: readonly HeardRecord[];
  /** Local calendar date, `YYYY-MM-DD`. */
  readonly today: string;
  /** Several projects share this folder: memories carry their origin and never cross it. */
  readonly sharedFolder?: boolean;
  /** The person insists although the kind is normally not kept. */
  readonly keep?: boolean;
  /** Records in which the person asked to remember something in so many words: what an instruction file says is stored too. */
  readonly insisted?: ReadonlySet<string>;
  /** Share of the folder's memories one set may take away; default 0.25. */
  readonly lossShareMax?: number;
  /** Half of the set is worth nothing: where one change is refused, all are. */
  readonly whole?: boolean;
}

export interface Judged {
  readonly verdicts: readonly Verdict[];
  readonly planned: readonly PlannedOp[];
}

export function judgeAndPlan(parts: Parts, ask: JudgeAsk): Judged {
  const { set, memory } = ask;
  const view = onDisk({ what: "memory", path: memory.memoryDir }, () => readFolder(memory.folder));
  assertReadable(view, { memory, files: set.changes.map((change) => change.file) });
  const evidence = parts.evidence.load(memory.folderId);
  const { memories } = view;
  const gathered = proposalFacts(
    {
      set,
      view,
      evidence,
      folderId: memory.folderId,
      names: memory.folder.names(),
      evidenceTexts: ask.evidenceTexts,
      heard: ask.heard,
      today: ask.today,
      timeZone: parts.clock.timeZone(),
      sharedFolder: ask.sharedFolder === true,
      keep: ask.keep === true,
      insisted: ask.insisted,
    },
    parts,
  );
  const { folderId } = memory;
  const past = () => dayBefore(parts.journal, { folderId, memories, now: parts.clock.now() });
  const facts = { ...gathered, dayBefore: past };
  const limits = ask.lossShareMax === undefined ? {} : { lossShareMax: ask.lossShareMax };
  const planned: PlannedOp[] = [];
  const setFacts = { ...facts, replaced: replacedFiles(set.changes) };
  const verdicts = judgeSet(set, facts, limits).map((verdict) => {
    if (!verdict.accepted) return verdict;
    const operation = planOrRefuse(verdict.change, {
      folder: memory.folder,
      memories,
      now: parts.clock.now(),
      today: ask.today,
      timeZone: parts.clock.timeZone(),
      origin: facts.origin,
      recordsOf: evidence.recordsOf,
      hearsayUnder: (change) => hearsayUnder(change, setFacts),
      inherited: (change) =>
        inheritedBy(change, { replaced: setFacts.replaced, quotesOf: evidence.quotesOf }),
    });
    if ("accepted" in operation) return operation;
    planned.push(operation);
    return verdict;
  });
  return ask.whole === true ? allOrNone({ verdicts, planned }) : { verdicts, planned };
}

/** A memory that gives way leaves what it rests on to those made of it. */
function inheritedBy(
  change: MemoryChange,
  { replaced, quotesOf }: { readonly replaced: readonly string[] } & Pick<EvidenceFacts, "quotesOf">,
): readonly RecordedQuote[] {
  if (!("memory" in change)) return [];
  const cited = change.evidence.filter(({ by }) => by === "memory").map(({ recordId }) => recordId);
  const files = new Set(cited.filter((file) => replaced.includes(file)));
  return [...files].flatMap((file) => quotesOf.get(file) ?? []);
}

/** Where one change is refused, the others are left out with it. */
function allOrNone(judged: Judged): Judged {
  const first = judged.verdicts.find(({ accepted }) => !accepted);
  if (first === undefined || first.accepted) return judged;
  const { reason } = first;
  const message = "another change of the same set was refused";
  const verdicts = judged.verdicts.map((verdict) =>
    verdict.accepted ? { change: verdict.change, accepted: false as const, reason, message } : verdict,
  );
  return { verdicts, planned: [] };
}

function planOrRefuse(change: MemoryChange, context: OperationContext): PlannedOp | Verdict {
  try {
    return planOperation(change, context) ?? changedMeanwhile(change);
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    if (code !== "too-large" && code !== "bad-frontmatter") throw error;
    return { change, accepted: false, reason: code, message: messageOf(error) };
  }
}

/** The verdict on a change whose file moved under it. */
export function changedMeanwhile(change: MemoryChange): Verdict {
  return {
    change,
    accepted: false,
    reason: "changed-since-read",
    message: "somebody changed the file at the same moment; their text stays",
  };
}
