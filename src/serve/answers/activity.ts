// What last happened in each memory folder, for the status. Kept in memory; the ledger is the durable record.
import type { JobOutcome } from "../../domain/jobs.ts";
import type { ProjectStatus } from "../../domain/status.ts";
import type { RunEntry } from "../../learn/models/ledger.ts";
import { reasonOf } from "./runs.ts";

type Happened = Pick<ProjectStatus, "lastRun" | "lastSkip" | "lastError">;

export interface Activity {
  ran(entry: RunEntry): void;
  ended(memoryDir: string, end: Ended): void;
  of(memoryDir: string): Happened;
}

export interface Ended {
  /** Kind of job. */
  readonly kind: string;
  readonly outcome: JobOutcome;
  readonly at: string;
}

const NOTHING: Happened = { lastRun: null, lastSkip: null, lastError: null };

/** `earlier`: runs of before this start, oldest first. */
export function createActivity(earlier: readonly RunEntry[]): Activity {
  const happened = new Map<string, Happened>();
  const note = (memoryDir: string, what: Partial<Happened>) =>
    void happened.set(memoryDir, { ...(happened.get(memoryDir) ?? NOTHING), ...what });
  const ran = (entry: RunEntry) => {
    const { id, kind, at, outcome, files } = entry;
    const lastRun = { id, kind, at, outcome, changed: files.length, ...reasonOf(entry) };
    note(entry.memoryDir, { lastRun });
  };
  for (const entry of earlier) ran(entry);
  return {
    ran,
    ended(memoryDir, { kind, outcome, at }) {
      const known = happened.get(memoryDir)?.lastError ?? null;
      const lastError = known !== null && outlives(known, kind) ? known : null;
      if (outcome.result === "skipped")
        note(memoryDir, { lastSkip: { reason: outcome.reason, at }, lastError });
      if (outcome.result === "succeeded") note(memoryDir, { lastError });
      if (outcome.result === "failed") {
        const { code, message } = outcome;
        note(memoryDir, { lastError: { code, message, at, retryAt: null, kind } });
      }
    },
    of: (memoryDir) => happened.get(memoryDir) ?? NOTHING,
  };
}

/** That a session was read says nothing of a dream that failed; but a model that was asked may be mended. */
function outlives(error: NonNullable<Happened["lastError"]>, kind: string): boolean {
  return error.kind !== kind && !error.code.startsWith("model-");
}
