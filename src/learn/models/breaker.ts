// Stops a project whose model runs cost and teach nothing, one after the other: something else than a person may be
// talking there. Counts what the ledger says; the words wait, none is lost.
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import type { Ledger, RunEntry } from "./ledger.ts";

/** A memory folder no model is asked about for now. */
export interface Resting {
  readonly memoryDir: string;
  /** Root of its project. */
  readonly project: string;
  readonly until: Instant;
  /** Runs in a row that were paid for and taught nothing. */
  readonly runs: number;
}

export interface Breaker {
  /** A run ended. */
  ran(entry: RunEntry): void;
  /** When a model may be asked about this folder again; undefined: now. */
  restsUntil(memoryDir: string): Instant | undefined;
  resting(): readonly Resting[];
}

/** What a person asks for is never held back, and begins a new count. */
export const ASKED_FOR = "sync";

interface Row {
  readonly project: string;
  readonly runs: number;
  readonly lastAt: Instant;
}

export function createBreaker({
  clock,
  ledger,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly ledger: Pick<Ledger, "since">;
}): Breaker {
  const rows = new Map<string, Row>();
  const ran = (entry: RunEntry): void => {
    const { memoryDir, project, requests, files, trigger, at, candidates = 0, quarantined = 0 } = entry;
    if (requests === 0) return;
    const isTaught = files.length > 0 || candidates > quarantined;
    if (isTaught || trigger === ASKED_FOR) return void rows.delete(memoryDir);
    const runs = (rows.get(memoryDir)?.runs ?? 0) + 1;
    rows.set(memoryDir, { project, runs, lastAt: Date.parse(at) });
  };
  const restsUntil = (memoryDir: string): Instant | undefined => {
    const row = rows.get(memoryDir);
    if (row === undefined || row.runs < MODEL_LIMITS.barrenRunsMax) return undefined;
    const until = row.lastAt + MODEL_LIMITS.restMs;
    return clock.now() < until ? until : undefined;
  };
  for (const entry of ledger.since(clock.now() - LOOK_BACK_MS)) ran(entry);
  return {
    ran,
    restsUntil,
    resting: () =>
      [...rows].flatMap(([memoryDir, { project, runs }]) => {
        const until = restsUntil(memoryDir);
        return until === undefined ? [] : [{ memoryDir, project, until, runs }];
      }),
  };
}

/** Rarer runs in a row cost next to nothing. */
const LOOK_BACK_MS = 31 * 86_400_000;
