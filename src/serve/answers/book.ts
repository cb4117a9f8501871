// Keeps the books of what jobs and commands did: ledger, activity, counters, and whoever waits for a pass.
import type { ChangeSet } from "../../domain/changes.ts";
import { messageOf, systemCode } from "../../domain/errors.ts";
import type { JobOutcome } from "../../domain/jobs.ts";
import type { RunSummary } from "../../domain/service.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { ExtractRequest, SessionReport } from "../../learn/jobs/extract/contract.ts";
import type { RunEnd } from "../../learn/jobs/model-reader.ts";
import type { Ledger, RefusedRecord, RunEntry } from "../../learn/models/ledger.ts";
import { INDEX_FILE } from "../../memory/files/file-name.ts";
import type { CommitResult } from "../../memory/journal/commit.ts";
import type { Clock } from "../../system/clock.ts";
import type { Activity } from "./activity.ts";
import { createActivity } from "./activity.ts";
import type { Counters } from "./snapshot.ts";
import type { Tally } from "./tally.ts";

export interface Book {
  readonly activity: Activity;
  readonly counters: Counters;
  session(report: SessionReport): void;
  run(request: ExtractRequest, reports: readonly SessionReport[], end: RunEnd): void;
  /** A dream or a distillation is over, a failed or a cancelled one as well. */
  consolidated(run: ConsolidationRun): void;
  /** A person's own command changed memory. */
  asked(set: ChangeSet, result: CommitResult): void;
  /** A person ended a run, or a job before it ran: it stands in the ledger, once. */
  cancelled(run: Pick<RunEntry, "id" | "kind" | "trigger" | "memoryDir">): void;
  /** Counts what jobs cost whose process died over them. */
  settleCosts(): void;
  /** Runs a job for a folder and notes how it ended, a throw as well. */
  during(of: JobOf, job: () => Promise<JobOutcome>): Promise<JobOutcome>;
  /** Reports also go to this tally until the returned function is called. */
  listen(tally: Tally): () => void;
}

/** What a job is, and where. */
export interface JobOf {
  readonly kind: string;
  readonly memoryDir: string;
}

export interface ConsolidationRun extends Pick<
  RunEntry,
  "id" | "kind" | "trigger" | "memoryDir" | "files" | "before" | "after" | "reason"
> {
  readonly end: RunEnd;
  readonly candidates?: number;
  readonly isDry: boolean;
}

export interface BookDeps {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly places: Places;
  /** Told of every run that is in the ledger. */
  ran(entry: RunEntry): void;
  /** Runs a process died over, not in the ledger yet. */
  interrupted(): readonly RunEntry[];
  /** They are now. */
  settled(): void;
}

export function createBook(deps: BookDeps): Book {
  const { clock, ledger, places } = deps;
  const activity = createActivity(ledger.month(clock.now()));
  const counters: Counters = { linesRead: 0, recordsRead: 0, secretsMasked: 0, proposalsRefused: new Map() };
  const tallies = new Set<Tally>();
  const iso = () => new Date(clock.now()).toISOString();

  function note(entry: RunEntry): void {
    ledger.record(entry);
    activity.ran(entry);
    deps.ran(entry);
    const summary: RunSummary = entry;
    const { id, kind, project, outcome, requests, inputTokens, outputTokens, usd } = summary;
    for (const tally of tallies) {
      tally.run({ id, kind, project, outcome, requests, inputTokens, outputTokens, usd });
    }
  }

  return {
    activity,
    counters,
    session(report) {
      count(counters, report);
      for (const tally of tallies) tally.session(report);
    },
    run({ run, trigger, memoryDir }, reports, end) {
      const silent = reports.every((report) => report.typed === 0 && report.written.length === 0);
      // A look that found no new words is no run worth a line; what was paid for, or cancelled, always is.
      if (silent && end.requests === 0 && end.outcome !== "cancelled") return;
      const files = reports.flatMap((report) => report.written.map(({ file }) => file));
      const project = places.projectsAt(memoryDir)[0]?.root ?? "";
      const entry = { id: run, kind: "extract", trigger, at: iso() };
      note({ v: 1, ...end, ...entry, project, memoryDir, files, ...leftBy(reports) });
    },
    consolidated: (run) => noteConsolidation(run, { note, iso, places }),
    asked({ run, kind, trigger, project, memoryDir }, { written, indexChanged = false }) {
      const files = [...written.map(({ file }) => file), ...(indexChanged ? [INDEX_FILE] : [])];
      const outcome = files.length > 0 ? "succeeded" : "skipped";
      note({ ...FREE, id: run, kind, trigger, at: iso(), project: project.root, memoryDir, outcome, files });
    },
    cancelled(run) {
      if (activity.of(run.memoryDir).lastRun?.id === run.id) return;
      const project = places.projectsAt(run.memoryDir)[0]?.root ?? "";
      note({ ...FREE, ...run, at: iso(), project, outcome: "cancelled", files: [] });
    },
    settleCosts() {
      const left = deps.interrupted();
      for (const entry of left) note(entry);
      if (left.length > 0) deps.settled();
    },
    during: (of, job) => during(of, { job, activity, iso }),
    listen(tally) {
      tallies.add(tally);
      return () => void tallies.delete(tally);
    },
  };
}

/** What came of a run beside memories; what there is none of is left out. */
function leftBy(reports: readonly SessionReport[]): Pick<RunEntry, "refused" | "candidates" | "quarantined"> {
  const refused = refusedIn(reports);
  const candidates = reports.reduce((sum, report) => sum + report.candidates, 0);
  const quarantined = reports.reduce((sum, report) => sum + report.quarantined, 0);
  return {
    ...(refused.length > 0 ? { refused } : {}),
    ...(candidates > 0 ? { candidates } : {}),
    ...(quarantined > 0 ? { quarantined } : {}),
  };
}

/** A dry run that cost nothing is no run worth a line. */
function noteConsolidation(
  { end, isDry, ...run }: ConsolidationRun,
  book: { readonly note: (entry: RunEntry) => void; readonly iso: () => string } & Pick<BookDeps, "places">,
): void {
  if (isDry && end.requests === 0) return;
  const project = book.places.projectsAt(run.memoryDir)[0]?.root ?? "";
  const trigger = isDry ? "dry-run" : run.trigger;
  book.note({ v: 1, ...end, ...run, trigger, at: book.iso(), project });
}

interface During {
  readonly job: () => Promise<JobOutcome>;
  readonly activity: Activity;
  iso(): string;
}

async function during({ kind, memoryDir }: JobOf, { job, activity, iso }: During): Promise<JobOutcome> {
  try {
    const outcome = await job();
    activity.ended(memoryDir, { kind, outcome, at: iso() });
    return outcome;
  } catch (error) {
    const code = systemCode(error) ?? "unexpected";
    const outcome = { result: "failed", code, message: messageOf(error) } as const;
    if (!BROKEN_OFF.has(code)) activity.ended(memoryDir, { kind, outcome, at: iso() });
    throw error;
  }
}

/** Enough to tell a person why; one line of the ledger must stay small. */
const REFUSED_MAX = 200;

function refusedIn(reports: readonly SessionReport[]): RefusedRecord[] {
  const all = reports.flatMap(({ refused }) =>
    refused.flatMap(({ records, reason }) => records.map((record) => ({ record, reason }))),
  );
  return all.slice(0, REFUSED_MAX);
}

function count(counters: Counters, { lines, records, secretsMasked, refused }: SessionReport): void {
  counters.linesRead += lines;
  counters.recordsRead += records;
  counters.secretsMasked += secretsMasked;
  for (const { reason } of refused) {
    counters.proposalsRefused.set(reason, (counters.proposalsRefused.get(reason) ?? 0) + 1);
  }
}

/** Nothing went wrong: a pause, new settings or the end of the daemon ended the run, and another one follows. */
const BROKEN_OFF: ReadonlySet<string> = new Set(["cancelled", "cancelled-by-person", "stopping"]);

/** What a person asks for is done by rules and costs nothing. */
const FREE = { v: 1, requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 } as const;
