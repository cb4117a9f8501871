// One line per run in `runs/YYYY-MM.jsonl`: what ran, why, what it cost and changed. Never holds text of people.
import { join } from "node:path";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";

/** What a run cost; all zero for one by rules. */
export interface RunCost {
  readonly requests: number;
  /** Cache reads and writes included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** 0 for a server of one's own; assumed high where the model's price is not known. */
  readonly usd: number;
}

export interface RunEntry extends RunCost {
  readonly v: 1;
  readonly id: string;
  readonly kind: string;
  readonly trigger: string;
  /** ISO time the run ended. */
  readonly at: string;
  readonly project: string;
  readonly memoryDir: string;
  readonly outcome: string;
  readonly files: readonly string[];
  /** Records a proposal was refused for, and the rule that refused it. Absent: none, or a run of before. */
  readonly refused?: readonly RefusedRecord[];
}

export interface RefusedRecord {
  readonly record: string;
  readonly reason: string;
}

export interface Ledger {
  record(entry: RunEntry): void;
  /** Entries of the month `now` lies in, oldest first; lines that cannot be read are left out. */
  month(now: Instant): RunEntry[];
}

export function createLedger({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): Ledger {
  const folder = join(stateDir, "runs");
  const pathAt = (iso: string) => join(folder, `${iso.slice(0, 7)}.jsonl`);
  return {
    record(entry) {
      files.ensureFolder(folder);
      files.append(pathAt(entry.at), `${JSON.stringify(entry)}\n`);
    },
    month(now) {
      const content = files.read(pathAt(new Date(now).toISOString()), STATE_LIMITS.stateFileBytesMax);
      return (content?.toString("utf8") ?? "").split("\n").flatMap(parseEntry);
    },
  };
}

/** A torn or foreign line is skipped: the ledger informs, it decides nothing about memory. */
function parseEntry(line: string): RunEntry[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "v" in value && value.v === 1
      ? [value as RunEntry]
      : [];
  } catch {
    return [];
  }
}
