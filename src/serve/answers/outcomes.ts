// What is on disk about single records: the memories each taught, and the rules proposals from it were refused by.
import type { MessageStory } from "../../domain/account.ts";
import type { Instant } from "../../domain/records.ts";
import type { Ledger } from "../../learn/models/ledger.ts";
import { type EvidenceLine, standingQuotes } from "../../memory/journal/evidence.ts";
import type { Clock } from "../../system/clock.ts";

export interface RefusalDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "month">;
}

/** By record: what each taught, and whether it still stands. `files`: what lies in the folder now. */
export function taughtBy(
  lines: readonly EvidenceLine[],
  files: ReadonlySet<string>,
): ReadonlyMap<string, MessageStory["memories"]> {
  const standing = standingQuotes(lines);
  const taught = new Map<string, MessageStory["memories"]>();
  for (const { file, op, run, records } of lines) {
    if (op === "deleted") continue;
    for (const { id, by } of records) {
      if (by === "memory") continue;
      // Somebody may have removed it a moment ago, or while nobody watched.
      const gone = !files.has(file) || standing.get(file)?.some((quote) => quote.id === id) !== true;
      const others = (taught.get(id) ?? []).filter((other) => other.file !== file || other.op !== op);
      taught.set(id, [...others, { file, op, run, gone }]);
    }
  }
  return taught;
}

/** Months of the ledger that are read; older refusals are judged anew. */
const MONTHS_MAX = 24;

/** By record: the rule a proposal was refused by, the last time. */
export function refusedSince(since: Instant, { ledger, clock }: RefusalDeps): ReadonlyMap<string, string> {
  const refused = new Map<string, string>();
  const now = new Date(clock.now());
  const oldest = new Date(since).toISOString().slice(0, 7);
  for (let back = MONTHS_MAX - 1; back >= 0; back -= 1) {
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1);
    if (new Date(month).toISOString().slice(0, 7) < oldest) continue;
    for (const entry of ledger.month(month)) {
      for (const { record, reason } of entry.refused ?? []) refused.set(record, reason);
    }
  }
  return refused;
}
