// Stops a project whose model runs cost and teach nothing, one after the other: something else than a person may be
// talking there. Counts what the ledger says; the words wait, none is lost.
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock } from "../../system/clock.ts";
import type { Ledger, RunEntry } from "./ledger.ts";
import type { Speaker } from "./script-share.ts";

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
  /** When a model may be asked about what they say in this folder again; undefined: now. Programs tire only themselves. */
  restsUntil(memoryDir: string, who?: Speaker): Instant | undefined;
  resting(): readonly Resting[];
}

/** What a person asks for is never held back, and begins a new count. */
export const ASKED_FOR = "sync";

/** The kind of job that is to teach. */
const EXTRACTION = "extract";

interface Row {
  readonly memoryDir: string;
  readonly who: Speaker;
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
    // A dream that finds nothing to do has taught what it could, and has a back-off of its own.
    if (requests === 0 || entry.kind !== EXTRACTION) return;
    const isTaught = files.length > 0 || candidates > quarantined;
    // Everybody was heard then, within all of the ceilings.
    if (trigger === ASKED_FOR) return SPEAKERS.forEach((who) => rows.delete(keyOf(memoryDir, who)));
    const who = entry.scripts === true ? "scripts" : "people";
    const key = keyOf(memoryDir, who);
    if (isTaught) return void rows.delete(key);
    const runs = (rows.get(key)?.runs ?? 0) + 1;
    rows.set(key, { memoryDir, who, project, runs, lastAt: Date.parse(at) });
  };
  const restsUntil = (memoryDir: string, who: Speaker = "people"): Instant | undefined => {
    const row = rows.get(keyOf(memoryDir, who));
    if (row === undefined || row.runs < MODEL_LIMITS.barrenRunsMax) return undefined;
    const [now, until] = [clock.now(), row.lastAt + MODEL_LIMITS.restMs];
    return now < until && row.lastAt <= now + MODEL_LIMITS.clockAheadMs ? until : undefined;
  };
  for (const entry of ledger.since(clock.now() - LOOK_BACK_MS)) ran(entry);
  return {
    ran,
    restsUntil,
    resting: () =>
      [...rows.values()].flatMap(({ memoryDir, who, project, runs }) => {
        const until = restsUntil(memoryDir);
        return who === "scripts" || until === undefined ? [] : [{ memoryDir, project, until, runs }];
      }),
  };
}

const SPEAKERS: readonly Speaker[] = ["people", "scripts"];

function keyOf(memoryDir: string, who: Speaker): string {
  return `${who} ${memoryDir}`;
}

/** Rarer runs in a row cost next to nothing. */
const LOOK_BACK_MS = 31 * 86_400_000;
