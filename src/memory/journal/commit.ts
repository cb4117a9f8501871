// The only way into a memory folder: judge a change set, note it in the journal, replace files one by one, bring
// index, evidence and listing up to date, close the entry. A crash at any step leaves old or new files; the same
// set again writes nothing.
import type { ChangeSet, Verdict } from "../../domain/changes.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { WrittenOp } from "./entries.ts";
import { assertPlainIndex, type OpenMemory } from "./open-memory.ts";
import { changedMeanwhile, type Judged, type JudgeAsk, judgeAndPlan } from "./judge.ts";
import { createParts, type Parts, type PartsDeps } from "./parts.ts";
import { createMemoryReader, type MemoryReader } from "./preview.ts";
import { finishOpenEntries, finishOpenIn, recoverAll, type RecoveryReport } from "./recovery.ts";
import { createSideDoors, type SideDoors } from "./doors.ts";
import { undoRuns, type UndoResult } from "./undo.ts";
import { upkeepFolder, type UpkeepResult } from "./upkeep.ts";
import { entryOf, writeEntry } from "./write-entry.ts";

export interface CommitOptions extends Omit<JudgeAsk, "set" | "memory"> {
  /**
   * Also mends the index: dead lines, files without a line, long lines, its caps. Where that is all there is to do, a set
   * without changes is a run of its own; where nothing is wrong it is none.
   */
  readonly tidyIndex?: boolean;
}

export interface CommitResult {
  /** In the order of the changes. */
  readonly verdicts: readonly Verdict[];
  readonly written: readonly { readonly file: string; readonly op: WrittenOp }[];
  /** Files whose line left the index to keep it within its caps. */
  readonly indexLeft: readonly string[];
  /** The person's own text alone is over a cap: the index was left byte-identical. */
  readonly indexOverCap: boolean;
  /** The index says something else now; only told where it was to be mended. */
  readonly indexChanged?: boolean;
  /** Nothing was written: so many items wait for a person's yes that did not before. */
  readonly waiting?: number;
  /** No memory was written: so many bullets stand in the daily log that did not before. */
  readonly logged?: number;
}

/** What a commit would do. */
export interface Rehearsal {
  readonly verdicts: readonly Verdict[];
  /** Whole files; undefined where there is, or would be, none. */
  readonly files: readonly {
    readonly file: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
}

export interface MemoryWriter extends MemoryReader, SideDoors {
  /**
   * Commits what the gate accepts. Throws `memory-unwritable`, `state-unwritable`, `memory-locked`, `folder-swapped`
   * or `unsafe-file`, all worth a retry: what was begun is then finished by the next call or at start.
   */
  commit(set: ChangeSet, options: CommitOptions): Promise<CommitResult>;
  /** What a commit would write now; writes nothing and makes no folder. */
  rehearse(set: ChangeSet, options: CommitOptions): Promise<Rehearsal>;
  /** Brings index, history and listing up to date with edits made by hand. Writes nothing when there are none. */
  upkeep(memoryDir: string, project: ProjectRef): Promise<UpkeepResult>;
  /** Puts back what runs did to a folder, file by file; fails as `commit` does. Its own run can be undone as well. */
  undo(ask: Parameters<typeof undoRuns>[1]): Promise<UndoResult>;
  /** Finishes what a commit that failed half-way left open; true when there was any. Fails as `commit` does. */
  finishOpen(memoryDir: string): Promise<boolean>;
  /** Once at start, before anything else writes: finishes what a crash left open. */
  recover(): Promise<RecoveryReport>;
}

export function createMemoryWriter(deps: PartsDeps): MemoryWriter {
  const parts = createParts(deps);
  return {
    commit: (set, options) => commit(parts, { set, options }),
    rehearse: (set, options) => rehearse(parts, { set, options }),
    ...createMemoryReader(parts),
    upkeep: (memoryDir, project) => upkeepFolder(parts, { memoryDir, project }),
    undo: (ask) => undoRuns(parts, ask),
    finishOpen: (memoryDir) => finishOpenIn(parts, memoryDir),
    recover: () => recoverAll(parts),
    ...createSideDoors(parts),
  };
}

interface CommitAsk {
  readonly set: ChangeSet;
  readonly options: CommitOptions;
}

const NOTHING: CommitResult = { verdicts: [], written: [], indexLeft: [], indexOverCap: false };

async function commit(parts: Parts, ask: CommitAsk): Promise<CommitResult> {
  const { memoryDir, changes } = ask.set;
  const make = changes.length > 0;
  if (!make && ask.options.tidyIndex !== true) return NOTHING;
  const result = await parts.folders.withFolder({ memoryDir, make }, (memory) => {
    assertPlainIndex(memory);
    finishOpenEntries(parts, memory);
    return commitInto(parts, { ...ask, memory });
  });
  return result ?? NOTHING;
}

async function rehearse(parts: Parts, { set, options }: CommitAsk): Promise<Rehearsal> {
  if (set.changes.length === 0) return { verdicts: [], files: [] };
  const judged = await parts.folders.withFolder({ memoryDir: set.memoryDir, make: false }, (memory) =>
    judgeAndPlan(parts, { set, memory, ...options }),
  );
  const files = (judged?.planned ?? []).map(({ journal, contentBefore, contentAfter }) => ({
    file: journal.file,
    before: contentBefore?.toString("utf8"),
    after: contentAfter,
  }));
  return { verdicts: judged?.verdicts ?? [], files };
}

function commitInto(parts: Parts, ask: CommitAsk & { readonly memory: OpenMemory }): CommitResult {
  const { memory, set } = ask;
  const { verdicts, planned } = judgeAndPlan(parts, { set, memory, ...ask.options });
  const { today, tidyIndex = false } = ask.options;
  const entry = entryOf(parts, { set, memory, planned, ...(tidyIndex ? { mendIndexOn: today } : {}) });
  if (planned.length === 0 && entry.indexWork === undefined) {
    tellRefusals(parts, verdicts);
    return { ...NOTHING, verdicts };
  }
  const { edited, settled } = writeEntry(parts, { memory, entry, planned, today });
  const written = entry.ops.filter((op) => !edited.has(op.file)).map((op) => ({ file: op.file, op: op.op }));
  const answer = verdicts.map((verdict) => withEdits(verdict, { planned, edited }));
  tellRefusals(parts, answer);
  const result = { verdicts: answer, written, indexLeft: settled.left, indexOverCap: settled.overCap };
  return tidyIndex ? { ...result, indexChanged: settled.index.before !== settled.index.after } : result;
}

function withEdits(
  verdict: Verdict,
  { planned, edited }: { readonly planned: Judged["planned"]; readonly edited: ReadonlySet<string> },
): Verdict {
  const operation = planned.find(({ change }) => change === verdict.change);
  return operation !== undefined && edited.has(operation.journal.file)
    ? changedMeanwhile(verdict.change)
    : verdict;
}

function tellRefusals(parts: Parts, verdicts: readonly Verdict[]): void {
  for (const verdict of verdicts) {
    if (verdict.accepted) continue;
    parts.emitter.emit("proposal:refused", { file: verdict.change.file, reason: verdict.reason });
  }
}
