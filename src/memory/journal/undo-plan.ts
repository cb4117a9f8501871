// Decides what an undo does to each file: goes back step by step, newest first, as long as nothing but bookkeeping
// was changed since. Pure; refuses a file rather than lose what somebody wrote later.
import type { RunId } from "../../domain/changes.ts";
import type { ContentHash } from "../../domain/memories.ts";
import { ODD } from "./apply.ts";
import { EDIT_KIND, type JournalEntry, type JournalOp, UNDO_KIND, type UndoneRun } from "./entries.ts";
import type { IndexUndo } from "./undo-index.ts";
import { standingFiles, type UndoneFiles } from "./undone.ts";

export interface UndoFacts {
  /** In the order they were written. */
  readonly entries: readonly JournalEntry[];
  readonly undone: UndoneFiles;
  /** Runs to put back. */
  readonly runs: ReadonlySet<RunId>;
  /** Also where a later edit is lost by it. */
  readonly force: boolean;
  /** Hash of what is at a name now; null: nothing. */
  current(file: string): ContentHash | null;
  /** Hash of name, description, type and body of a text; undefined where no copy of it was kept. */
  said(hash: ContentHash): string | undefined;
}

/** What becomes of one file. */
export interface FileUndo {
  readonly file: string;
  readonly from: ContentHash | null;
  readonly to: ContentHash | null;
  /** Runs that are put back in it, newest first. */
  readonly runs: readonly RunId[];
  /** Operations that are put back. */
  readonly ops: readonly JournalOp[];
}

export interface Refused {
  readonly file: string;
  readonly why: string;
  /** `force` puts it back all the same; of anything else no copy is left, or there is no place for it. */
  readonly forcible: boolean;
}

export interface UndoPlan {
  readonly files: readonly FileUndo[];
  readonly refused: readonly Refused[];
  /** Undefined: the index follows from the files. */
  readonly index: IndexUndo | undefined;
}

/** What an undo changes, the index as well where it goes back for its own sake. */
export function changedIn({ files, index }: UndoPlan): Pick<FileUndo, "file" | "from" | "to" | "runs">[] {
  return index === undefined ? [...files] : [...files, index];
}

/** The same by run. */
export function undoesOf(plan: UndoPlan): UndoneRun[] {
  const changed = changedIn(plan);
  const runs = new Set(changed.flatMap((each) => each.runs));
  return [...runs].map((run) => ({
    run,
    files: changed.filter((each) => each.runs.includes(run)).map(({ file }) => file),
  }));
}

export function planUndo(facts: UndoFacts): Omit<UndoPlan, "index"> {
  const files: FileUndo[] = [];
  const refused: Refused[] = [];
  for (const [file, steps] of stepsByFile(facts)) {
    const { undo, no } = planFile(file, steps, facts);
    if (undo !== undefined) files.push(undo);
    if (no !== undefined) refused.push({ file, ...no });
  }
  return { files, refused };
}

interface Step {
  readonly run: RunId;
  /** Which entry it is of. */
  readonly at: number;
  readonly op: JournalOp;
}

/** What is to be put back, by file, newest first. */
function stepsByFile({ entries, runs, undone }: UndoFacts): Map<string, Step[]> {
  const found = new Map<string, Step[]>();
  for (const [at, entry] of entries.entries()) {
    if (!runs.has(entry.run)) continue;
    const standing = new Set(standingFiles(entry, undone));
    for (const op of entry.ops) {
      if (!standing.has(op.file)) continue;
      found.set(op.file, [{ run: entry.run, at, op }, ...(found.get(op.file) ?? [])]);
    }
  }
  return found;
}

type No = Omit<Refused, "file">;

interface FilePlan {
  readonly undo: FileUndo | undefined;
  readonly no: No | undefined;
}

/** A run is put back in a file as a whole or not at all; what is older than one that stays, stays too. */
function planFile(file: string, steps: readonly Step[], facts: UndoFacts): FilePlan {
  const from = facts.current(file);
  if (from === ODD) return { undo: undefined, no: never("what carries its name now is no plain file") };
  let to = from;
  let no: No | undefined;
  const runs: RunId[] = [];
  const ops: JournalOp[] = [];
  for (const run of new Set(steps.map((step) => step.run))) {
    const own = steps.filter((step) => step.run === run);
    const back = putBack(to, own, facts);
    no = back.no;
    if (no !== undefined) break;
    to = back.to;
    runs.push(run);
    ops.push(...back.ops);
  }
  return { undo: runs.length === 0 ? undefined : { file, from, to, runs, ops }, no };
}

interface PutBack {
  readonly to: ContentHash | null;
  readonly ops: readonly JournalOp[];
  readonly no: No | undefined;
}

/** What no force puts back. */
function never(why: string): No {
  return { why, forcible: false };
}

function putBack(now: ContentHash | null, steps: readonly Step[], facts: UndoFacts): PutBack {
  let to = now;
  const ops: JournalOp[] = [];
  for (const step of steps) {
    const { before } = step.op;
    const goes = goesBack(to, step, facts);
    if (goes === "later") return { to: now, ops: [], no: { why: laterChange(step, facts), forcible: true } };
    if (goes === "already") continue;
    if (before !== null && facts.said(before) === undefined) {
      return {
        to: now,
        ops: [],
        no: never("no copy of what it was is kept, as it held a secret or is too old"),
      };
    }
    to = before;
    ops.push(step.op);
  }
  return { to, ops, no: undefined };
}

/** `already`: nothing of what the step wrote is left. `later`: somebody's later text would be lost. */
function goesBack(
  now: ContentHash | null,
  { op: { before, after } }: Step,
  facts: UndoFacts,
): "yes" | "already" | "later" {
  if (now === after) return "yes";
  // Bookkeeping only, and newer bookkeeping or text stands there: nothing of its own is left to be put back.
  if (sameText(before, after, facts)) return "already";
  if (sameText(now, after, facts)) return "yes";
  if (sameText(now, before, facts)) return "already";
  return facts.force ? "yes" : "later";
}

function sameText(a: ContentHash | null, b: ContentHash | null, { said }: UndoFacts): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const [one, other] = [said(a), said(b)];
  return one !== undefined && one === other;
}

/** Names the newest change that would be lost. */
function laterChange({ run, at, op: { file } }: Step, { entries }: UndoFacts): string {
  const later = entries
    .slice(at + 1)
    .findLast((entry) => entry.run !== run && entry.ops.some((op) => op.file === file));
  if (later === undefined) return "somebody changed it since";
  const isGone = later.ops.some((op) => op.file === file && op.after === null);
  const what = isGone ? "removed" : "changed";
  if (later.kind === EDIT_KIND) return `it was ${what} by hand later (noticed ${later.at})`;
  if (later.kind === UNDO_KIND) return `it was ${what} later by the undo ${later.run}`;
  return `it was ${what} later by the run ${later.run} (${later.kind}): undo that one first`;
}
