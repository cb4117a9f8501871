// One job of a distillation: what it works on and what it gathers for its reply and its line in the ledger. Commits
// through the gate and its hold; decides nothing about content.
import type { ChangeSet, MemoryChange, Producer, Verdict } from "../../../domain/changes.ts";
import type { ConsolidationChange } from "../../../domain/consolidation.ts";
import type { ProjectRef } from "../../../domain/sessions.ts";
import type { CommitOptions } from "../../../memory/journal/commit.ts";
import type { Account } from "../../models/budget.ts";
import type { Hold } from "../consolidating.ts";
import { partsOf } from "../plan.ts";
import { offersOfRefused } from "../refused.ts";
import type { DistillAsk, DistillDeps, DistillRan } from "./contract.ts";
import { heardIn, textsOf } from "./pages.ts";
import type { NewEntry } from "./gather.ts";

export interface Job extends JobInput {
  readonly written: ConsolidationChange[];
  /** What a dry run would write, file by file; the last text of a file stands. */
  readonly rehearsed: Map<string, { readonly before: string; after: string }>;
  readonly refused: DistillRan["refused"][number][];
  counts: { candidates: number };
  /** What the gate refused: counted, and kept for the person where they may know better. */
  noteRefused(verdicts: readonly Verdict[], producer: Producer): void;
  /** Commits, or rehearses; answers what was refused because somebody changed the folder meanwhile. */
  commit(changes: readonly MemoryChange[], options: JobCommit): Promise<readonly MemoryChange[]>;
}

export interface JobInput {
  readonly ask: DistillAsk;
  readonly deps: DistillDeps;
  readonly project: ProjectRef;
  readonly sharedFolder: boolean;
  readonly account: Account;
  /** The person's, and that of the hold. */
  readonly signal: AbortSignal;
  /** Undefined in a dry run. */
  readonly hold: Hold | undefined;
}

export interface JobCommit {
  readonly producer: "model" | "offline";
  /** What its quotes stand in. */
  readonly entries: readonly NewEntry[];
  readonly insisted?: ReadonlySet<string>;
}

export function openJob(input: JobInput): Job {
  const job: Job = {
    ...input,
    written: [],
    rehearsed: new Map(),
    refused: [],
    counts: { candidates: 0 },
    noteRefused: (verdicts, producer) => noteRefused(job, { verdicts, producer }),
    commit: (changes, options) => commitParts(job, { changes, ...options }),
  };
  return job;
}

function noteRefused(
  job: Job,
  { verdicts, producer }: { readonly verdicts: readonly Verdict[]; readonly producer: Producer },
): void {
  const { ask, deps, project } = job;
  for (const verdict of verdicts) {
    if (verdict.accepted) continue;
    const read = verdict.change.evidence.filter(({ by }) => by !== "memory");
    const records = new Set(read.map(({ recordId }) => recordId));
    job.refused.push(...[...records].map((record) => ({ record, reason: verdict.reason })));
  }
  if (ask.dryRun === true) return;
  const memories = deps.viewOf(ask.memoryDir)?.memories ?? [];
  const offered = offersOfRefused({ verdicts, producer, memories });
  if (offered.length > 0) job.counts.candidates += deps.keepForReview(project, offered);
}

interface CommitAsk extends JobCommit {
  readonly changes: readonly MemoryChange[];
}

async function commitParts(job: Job, { changes, producer, entries, insisted }: CommitAsk) {
  const { ask, project, sharedFolder } = job;
  const { run, trigger, memoryDir } = ask;
  const base = { run, kind: "distill", trigger, project, memoryDir, producer };
  const heard = producer === "model" ? { heard: heardIn(entries) } : {};
  const options = {
    evidenceTexts: textsOf(entries),
    sharedFolder,
    ...heard,
    ...(insisted === undefined ? {} : { insisted }),
  };
  const stale: MemoryChange[] = [];
  for (const part of partsOf(changes)) {
    job.signal.throwIfAborted();
    const set = { ...base, changes: part };
    const verdicts =
      ask.dryRun === true ? await rehearse(job, set, options) : await commit(job, set, { options, entries });
    const refused = verdicts.flatMap((verdict) => (verdict.accepted ? [] : [verdict]));
    stale.push(...refused.flatMap(({ reason, change }) => (STALE.has(reason) ? [change] : [])));
    job.noteRefused(
      refused.filter(({ reason }) => !STALE.has(reason)),
      producer,
    );
  }
  return stale;
}

/** Somebody works on the same file. */
const STALE: ReadonlySet<string> = new Set(["changed-since-read"]);

type Options = Omit<CommitOptions, "today">;

async function commit(
  job: Job,
  set: ChangeSet,
  { options, entries }: { readonly options: Options; readonly entries: readonly NewEntry[] },
): Promise<readonly Verdict[]> {
  job.hold?.assertOurs();
  const { written, verdicts, waiting = 0 } = await job.deps.commit(set, options);
  job.counts.candidates += waiting;
  for (const { file, op } of written) {
    const change = set.changes.find((each) => each.file === file);
    job.written.push({ op: OPS[op], file, why: whyOf(change, entries) });
  }
  return verdicts;
}

async function rehearse(job: Job, set: ChangeSet, options: Options): Promise<readonly Verdict[]> {
  const { verdicts, files } = await job.deps.rehearse(set, options);
  for (const { file, before = "", after = "" } of files) {
    const known = job.rehearsed.get(file);
    if (known === undefined) {
      const op = before === "" ? "create" : after === "" ? "delete" : "update";
      const change = set.changes.find((each) => each.file === file);
      job.written.push({ op, file, why: whyOf(change, []) });
    }
    job.rehearsed.set(file, { before: known?.before ?? before, after });
  }
  return verdicts;
}

const OPS = { created: "create", updated: "update", confirmed: "update", deleted: "delete" } as const;

function whyOf(change: MemoryChange | undefined, entries: readonly NewEntry[]): string {
  const ids = new Set(change?.evidence.map(({ recordId }) => recordId));
  const days = [...new Set(entries.flatMap(({ id, log }) => (ids.has(id) ? [log.date] : [])))];
  const where = days.length === 0 ? "noted in a log" : `noted in the log of ${days.join(", ")}`;
  return change?.op === "confirm" ? `${where}, again` : where;
}
