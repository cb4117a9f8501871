// `diff RUN`: what a run changed, file by file, as unified diffs of the images the journal keeps. Masks secrets by the
// rules of today, also in what was kept before there was a rule. Writes nothing.
import { AppError } from "../../domain/errors.ts";
import type { DiffReply, DiffRequest, FileDiff } from "../../domain/history.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { Ledger } from "../../learn/models/ledger.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import type { JournalEntry } from "../../memory/journal/entries.ts";
import type { Trail } from "../../memory/journal/trail.ts";
import { PURGED } from "../../memory/journal/undo-facts.ts";
import { type ChangedFile, changesIn } from "../../memory/journal/undone.ts";
import { maskSecrets } from "../../memory/secrets/scanner.ts";
import type { Clock } from "../../system/clock.ts";
import { memoryDirs } from "./history.ts";
import { answerRuns, sizesOf } from "./runs.ts";

export interface DiffDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "month">;
  readonly places: Places;
  readonly writer: Pick<MemoryWriter, "trail">;
}

/** Two texts with less in common than can be found in this time are told as wholly changed. */
const DIFF_MS = 500;
const RUNS_SEARCHED_MAX = 10_000;

/** Of a run that changed something and has no history any more. */
export const NOT_KEPT = "it is no longer in the history, which has an age (retention.historyDays) and a size";

/** Throws `unknown-run`. */
export async function answerDiff({ run }: DiffRequest, deps: DiffDeps): Promise<DiffReply> {
  const files: FileDiff[] = [];
  let first: JournalEntry | undefined;
  for (const memoryDir of memoryDirs(deps.places)) {
    const trail = deps.writer.trail(memoryDir);
    const entries = trail.entriesOf(run);
    first ??= entries[0];
    for (const op of joinedOps(entries)) files.push(await fileDiff(op, { memoryDir, trail }));
  }
  const known = runInLedger(run, deps);
  if (first !== undefined) return { v: 1, run, kind: first.kind, at: first.at, files, ...sizesOf(known) };
  if (known === undefined) throw unknownRun(run);
  const { kind, at, memoryDir } = known;
  const none = {
    memoryDir,
    op: "changed",
    before: null,
    after: null,
    patch: null,
    why: NOT_KEPT,
    because: null,
  };
  const left = known.files.map((file) => ({ file, ...none }));
  return { v: 1, run, kind, at, files: left, ...sizesOf(known) };
}

/** A run that changed no memory is known all the same. */
export function runInLedger(run: string, deps: Pick<DiffDeps, "clock" | "ledger">) {
  const { runs } = answerRuns({ limit: RUNS_SEARCHED_MAX }, { ...deps, undoable: () => false });
  return runs.find(({ id }) => id === run);
}

export function unknownRun(run: string): AppError {
  return new AppError({
    code: "unknown-run",
    message: `no run is called ${run}`,
    fix: "see: engramd history",
  });
}

/** From what each file was at first to what it was at last. */
function joinedOps(entries: readonly JournalEntry[]): ChangedFile[] {
  const changes = new Map<string, ChangedFile>();
  for (const entry of entries) {
    for (const change of changesIn(entry)) {
      const { file, after } = change;
      const known = changes.get(file);
      changes.set(file, known === undefined ? change : { ...known, after, why: change.why });
    }
  }
  return [...changes.values()];
}

async function fileDiff(
  { file, op, before, after, purged, why: because }: ChangedFile,
  { memoryDir, trail }: { readonly memoryDir: string; readonly trail: Trail },
): Promise<FileDiff> {
  const base = { file, memoryDir, op, before, after, because: masked(because) };
  if (purged !== undefined) return { ...base, patch: null, why: PURGED };
  const [old, next] = [before, after].map((hash) => (hash === null ? "" : trail.image(hash)));
  if (old === undefined || next === undefined) {
    return { ...base, patch: null, why: "no copy of it is kept, as it held a secret or was not ours" };
  }
  const patch = await patchBetween(file, old, next);
  return patch === undefined
    ? { ...base, patch: null, why: "too much of it is different to be shown" }
    : { ...base, patch, why: null };
}

/** "" stands for no file. Undefined where the texts have too little in common. */
export async function patchBetween(file: string, old: string, next: string): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import("diff");
  const [oldName, newName] = [
    old === "" ? "/dev/null" : `a/${file}`,
    next === "" ? "/dev/null" : `b/${file}`,
  ];
  return createTwoFilesPatch(oldName, newName, masked(old), masked(next), undefined, undefined, {
    context: 3,
    timeout: DIFF_MS,
    headerOptions: FILE_NAMES_ONLY,
  });
}

const FILE_NAMES_ONLY = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };

function masked(text: string): string {
  return maskSecrets(text).text;
}
