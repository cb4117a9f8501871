// What a dream answers: what changed and why, what was left alone, the folder before and after. Names of files and
// sentences of ours only; the same can be told later from the history.
import type { MemoryChange } from "../../../domain/changes.ts";
import type {
  ConsolidationChange,
  ConsolidationNote,
  ConsolidationReply,
  ConsolidationSize,
} from "../../../domain/consolidation.ts";
import { displayText } from "../../../domain/printable.ts";
import type { Instant } from "../../../domain/records.ts";
import type { CommitResult } from "../../../memory/journal/commit.ts";
import type { WrittenOp } from "../../../memory/journal/entries.ts";
import { whyChanged } from "../../../memory/journal/why-changed.ts";

const WRITTEN_AS = {
  create: "created",
  update: "updated",
  confirm: "confirmed",
  delete: "deleted",
  withdraw: "updated",
} as const satisfies Readonly<Record<MemoryChange["op"], WrittenOp>>;

const TOLD_AS = { created: "create", updated: "update", confirmed: "update", deleted: "delete" } as const;

export function changesTold(changes: readonly MemoryChange[]): readonly ConsolidationChange[] {
  return changes.map((change) => {
    const op = WRITTEN_AS[change.op];
    const evidence = change.evidence.map(({ recordId, by }) => ({ id: recordId, by }));
    const reason = change.op === "delete" ? { reason: change.reason } : {};
    const why = whyChanged({ file: change.file, op, evidence, ...reason });
    return { op: TOLD_AS[op], file: displayText(change.file), why };
  });
}

/** The size changes would leave, as far as it can be told without making them. */
export function sizeAfter(
  before: ConsolidationSize,
  changes: readonly ConsolidationChange[],
): ConsolidationSize {
  const more = changes.reduce((sum, { op }) => sum + (op === "create" ? 1 : op === "delete" ? -1 : 0), 0);
  return { files: before.files + more, indexLines: Math.max(0, before.indexLines + more) };
}

export interface Told {
  readonly run: string | null;
  readonly before: ConsolidationSize;
  readonly noted?: readonly ConsolidationNote[];
}

export function failedReply(reason: string, { run, before, noted = [] }: Told): ConsolidationReply {
  return { v: 1, outcome: "failed", reason, run, changes: [], noted, before, after: before };
}

export function skippedReply(
  reason: string,
  { before, dueAt }: { readonly before: ConsolidationSize; readonly dueAt: Instant | undefined },
): ConsolidationReply {
  const due = dueAt === undefined ? {} : { dueAt: new Date(dueAt).toISOString() };
  return {
    v: 1,
    outcome: "skipped",
    reason,
    run: null,
    changes: [],
    noted: [],
    before,
    after: before,
    ...due,
  };
}

/** Where a person decides, nothing is written: what waits for their yes. */
export function waitingFor({ waiting, verdicts }: CommitResult): readonly ConsolidationNote[] {
  if (waiting === undefined) return [];
  const files = verdicts.flatMap(({ accepted, change }) => (accepted ? [change.file] : []));
  return files.map((file) => ({
    code: "waits-for-review",
    file: displayText(file),
    message: "a change of it waits for your yes: engramd review",
  }));
}

export function newerThanRule(file: string): ConsolidationNote {
  return {
    code: "newer-than-rule",
    file: displayText(file),
    message:
      "an instruction file says otherwise, and the memory may be the later word: it stays; mend one of the two",
  };
}
