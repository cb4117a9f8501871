// Sums what jobs report while somebody waits for a pass. Pure bookkeeping; decides nothing.
import type { RunSummary, SyncReport } from "../../domain/service.ts";
import type { SessionReport } from "../../learn/jobs/extract/contract.ts";

/** Told of every session a job read and of every run that ended. */
export interface Tally {
  session(report: SessionReport): void;
  run(summary: RunSummary): void;
}

export interface PassTally extends Tally {
  /** Everything of a sync report that jobs can tell. */
  sums(): Pick<SyncReport, "records" | "damagedLines" | "memories" | "skipped" | "runs"> & {
    /** By `sessionKey`. */
    readonly processed: ReadonlySet<string>;
  };
}

/** One session, however many files and jobs it is in. */
export function sessionKey(agent: string, session: string): string {
  return `${agent} ${session}`;
}

/** Names listed in one report; counts go on beyond it. */
const LISTED_MAX = 1000;

export function createPassTally(): PassTally {
  let records = 0;
  let damagedLines = 0;
  /** A long session takes several jobs. */
  const processed = new Set<string>();
  let candidates = 0;
  const written = { created: 0, updated: 0, confirmed: 0, deleted: 0 };
  const refused: { file: string; reason: string }[] = [];
  const skipped: { session: string; reason: string }[] = [];
  const runs: RunSummary[] = [];
  return {
    session(report) {
      records += report.records;
      damagedLines += report.damaged;
      candidates += report.candidates;
      if (report.typed > 0) processed.add(sessionKey(report.agent, report.session));
      for (const { op } of report.written) written[op] += 1;
      if (refused.length < LISTED_MAX)
        refused.push(...report.refused.map(({ file, reason }) => ({ file, reason })));
      if (report.skip !== undefined && report.skip !== "nothing-new" && skipped.length < LISTED_MAX) {
        skipped.push({ session: report.session, reason: report.skip });
      }
    },
    run: (summary) => void (runs.length < LISTED_MAX && runs.push(summary)),
    sums: () => ({
      records,
      damagedLines,
      processed,
      memories: { ...written, candidates, refused },
      skipped,
      runs,
    }),
  };
}
