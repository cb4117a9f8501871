// What last happened in each memory folder, for the status. Kept in memory; the ledger is the durable record.
import type { JobOutcome } from "../../domain/jobs.ts";
import type { ProjectStatus } from "../../domain/status.ts";
import type { RunEntry } from "../../learn/models/ledger.ts";

type Happened = Pick<ProjectStatus, "lastRun" | "lastSkip" | "lastError">;

export interface Activity {
  ran(entry: RunEntry): void;
  ended(memoryDir: string, end: { readonly outcome: JobOutcome; readonly at: string }): void;
  of(memoryDir: string): Happened;
}

const NOTHING: Happened = { lastRun: null, lastSkip: null, lastError: null };

/** `earlier`: runs of before this start, oldest first. */
export function createActivity(earlier: readonly RunEntry[]): Activity {
  const happened = new Map<string, Happened>();
  const note = (memoryDir: string, what: Partial<Happened>) =>
    void happened.set(memoryDir, { ...(happened.get(memoryDir) ?? NOTHING), ...what });
  const ran = (entry: RunEntry) => {
    const { id, kind, at, outcome, files } = entry;
    note(entry.memoryDir, { lastRun: { id, kind, at, outcome, changed: files.length } });
  };
  for (const entry of earlier) ran(entry);
  return {
    ran,
    ended(memoryDir, { outcome, at }) {
      if (outcome.result === "skipped")
        note(memoryDir, { lastSkip: { reason: outcome.reason, at }, lastError: null });
      if (outcome.result === "succeeded") note(memoryDir, { lastError: null });
      if (outcome.result === "failed") {
        const { code, message } = outcome;
        note(memoryDir, { lastError: { code, message, at, retryAt: null } });
      }
    },
    of: (memoryDir) => happened.get(memoryDir) ?? NOTHING,
  };
}
