// `history`: every run, newest first: what changed memory from the journal, what changed nothing and what it cost from
// the ledger. Also whether a run can be put back. Writes nothing.
import type { HistoryReply, HistoryRequest, HistoryRun, Sizes } from "../../domain/history.ts";
import type { RunItem } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import { memoriesNamed } from "../../memory/gate/person.ts";
import { canonicalFile } from "../../memory/gate/facts.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import type { JournalEntry } from "../../memory/journal/entries.ts";
import {
  changedFiles,
  changesIn,
  isUndoable,
  undoneFiles,
  type UndoneFiles,
} from "../../memory/journal/undone.ts";
import { purgedName } from "../../memory/journal/purge-intents.ts";
import { goneFilesCalled } from "../../memory/journal/trail.ts";
import { maskSecrets } from "../../memory/secrets/scanner.ts";
import type { FolderViews } from "./folder-view.ts";
import { answerRuns, reasonOf, type RunsDeps, sizesOf } from "./runs.ts";

export interface HistoryDeps extends Omit<RunsDeps, "undoable"> {
  readonly places: Places;
  readonly views: FolderViews;
  readonly writer: Pick<MemoryWriter, "trail">;
  projectAt(path: string): ProjectRef;
}

const RUNS_DEFAULT = 100;
/** Change sets of a usual run, at most: whoever asks for so many runs need not wait for years of history. */
const SETS_PER_RUN = 4;
/** Runs of the ledger that are looked through for what a run cost: months of a busy person. */
const LEDGER_RUNS_MAX = 10_000;

export function answerHistory(request: HistoryRequest, deps: HistoryDeps): HistoryReply {
  const { name, project: path, limit = RUNS_DEFAULT } = request;
  const only = path === undefined ? undefined : deps.projectAt(path);
  const meant = name === undefined || only === undefined ? undefined : filesNamed(name, only, deps);
  const runs = new Map<string, HistoryRun>();
  for (const memoryDir of memoryDirs(deps.places, only)) {
    const trail = deps.writer.trail(memoryDir);
    const entries = name === undefined ? trail.newest(limit * SETS_PER_RUN) : trail.entries();
    const own = entries.filter((entry) => only === undefined || entry.project.id === only.id);
    for (const run of runsOf(own, undoneFiles(entries))) runs.set(run.id, joined(runs.get(run.id), run));
  }
  const { runs: listed } = answerRuns({ limit: LEDGER_RUNS_MAX }, { ...deps, undoable: () => false });
  for (const item of listed) {
    const known = runs.get(item.id);
    if (known !== undefined)
      runs.set(item.id, { ...known, outcome: item.outcome, usd: item.usd, ...toldOf(item) });
    else if (only === undefined || item.project === only.root) runs.set(item.id, unchanged(item));
  }
  const isMeant = (each: string) => meant === undefined || meant.has(canonicalFile(each));
  const found = [...runs.values()].filter(({ files }) => meant === undefined || files.some(isMeant));
  const newest = found.toSorted(newestFirst).slice(0, limit);
  return { v: 1, runs: newest.map((run) => masked(run, isMeant)) };
}

/** Only what is told: a year of runs has many sentences. */
function masked(run: HistoryRun, isMeant: (file: string) => boolean): HistoryRun {
  if (run.changes === undefined) return run;
  const meant = run.changes.filter(({ file }) => isMeant(file));
  return { ...run, changes: meant.map((change) => ({ ...change, why: maskSecrets(change.why).text })) };
}

function lastOfEach<T extends { readonly file: string }>(changes: readonly T[]): T[] {
  return [...new Map(changes.map((change) => [change.file, change])).values()];
}

function newestFirst(a: HistoryRun, b: HistoryRun): number {
  const [one, other] = a.at === b.at ? [a.id, b.id] : [a.at, b.at];
  return one > other ? -1 : 1;
}

/** Every memory folder once. */
export function memoryDirs(places: Places, only?: ProjectRef): readonly string[] {
  const projects = only === undefined ? places.known() : [only];
  return [...new Set(projects.map((project) => places.placeOf(project).memoryDir))];
}

/** The file a name stands for, else those it stood for: a memory that is gone has a history too, also a purged one. */
function filesNamed(name: string, project: ProjectRef, { places, views, writer }: HistoryDeps): Set<string> {
  const { memoryDir } = places.placeOf(project);
  const live = views.view(memoryDir)?.memories ?? [];
  const [found] = memoriesNamed(live, name);
  const gone = () => [
    name.endsWith(".md") ? name : `${name}.md`,
    ...goneFilesCalled(name, { ...writer.trail(memoryDir), live }),
  ];
  const files = (found === undefined ? gone() : [found.file]).map(canonicalFile);
  return new Set(files.flatMap((file) => [file, purgedName(file)]));
}

function runsOf(entries: readonly JournalEntry[], undone: UndoneFiles): HistoryRun[] {
  return entries.map((entry) => {
    const { run: id, kind, trigger, at, project, ops } = entry;
    const files = changedFiles(entry);
    const gone = undone.get(id);
    return {
      id,
      kind,
      trigger,
      at,
      project: project.root,
      outcome: "succeeded",
      files,
      changes: changesIn(entry).map(({ file: changed, op, why }) => ({ file: changed, op, why })),
      usd: 0,
      undoable: isUndoable(entry, undone),
      undone: files.length > 0 && files.every((file) => gone?.has(file) === true),
      purged: ops.length > 0 && ops.every((op) => op.purged !== undefined),
    };
  });
}

/** A run may commit more than once. */
function joined(known: HistoryRun | undefined, more: HistoryRun): HistoryRun {
  if (known === undefined) return more;
  return {
    ...known,
    at: known.at > more.at ? known.at : more.at,
    files: [...new Set([...known.files, ...more.files])],
    changes: lastOfEach([...(known.changes ?? []), ...(more.changes ?? [])]),
    undoable: known.undoable || more.undoable,
    undone: known.undone && more.undone,
    purged: known.purged && more.purged,
  };
}

function toldOf(item: RunItem): Pick<HistoryRun, "plan" | "reason" | keyof Sizes> {
  return { ...(item.plan === true ? { plan: true } : {}), ...sizesOf(item), ...reasonOf(item) };
}

function unchanged(item: RunItem): HistoryRun {
  const { id, kind, trigger, at, project, outcome, files, usd } = item;
  return {
    ...toldOf(item),
    id,
    kind,
    trigger,
    at,
    project,
    outcome,
    files,
    usd,
    undoable: false,
    undone: false,
    purged: false,
  };
}

/** Whether a run of the ledger can be put back; asks the history of each folder once. */
export function undoableIn(
  writer: Pick<MemoryWriter, "trail">,
  limit = RUNS_DEFAULT,
): (id: string, memoryDir: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  return (id, memoryDir) => {
    const there = known.get(memoryDir) ?? undoableRuns(writer.trail(memoryDir).newest(limit * SETS_PER_RUN));
    known.set(memoryDir, there);
    return there.has(id);
  };
}

function undoableRuns(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const undone = undoneFiles(entries);
  return new Set(entries.filter((entry) => isUndoable(entry, undone)).map(({ run }) => run));
}
