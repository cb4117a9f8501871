// `GET /v1/runs`: what ran, newest first, from the ledger; and the sums of runs since the start, for metrics.
// Writes nothing.
import type { ConsolidationSize } from "../../domain/consolidation.ts";
import type { Sizes } from "../../domain/history.ts";
import type { RunItem, RunList, RunsRequest, RunSummary } from "../../domain/service.ts";
import type { Ledger, RunEntry } from "../../learn/models/ledger.ts";
import type { Clock } from "../../system/clock.ts";

export interface RunsDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "month">;
  undoable(run: string, memoryDir: string): boolean;
}

const RUNS_DEFAULT = 100;
/** Files of the ledger that are read, one a month. */
const MONTHS_MAX = 24;

export function answerRuns({ limit = RUNS_DEFAULT }: RunsRequest, deps: RunsDeps): RunList {
  const { clock, ledger } = deps;
  const runs: RunItem[] = [];
  const at = new Date(clock.now());
  for (let month = 0; month < MONTHS_MAX && runs.length < limit; month += 1) {
    const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - month, 1);
    const newest = ledger.month(first).toReversed();
    for (const entry of newest.slice(0, limit - runs.length)) runs.push(itemOf(entry, deps));
  }
  return { v: 1, runs };
}

function itemOf(entry: RunEntry, deps: Pick<RunsDeps, "undoable">): RunItem {
  const { id, kind, trigger, at, project, memoryDir, outcome, files } = entry;
  const { requests, inputTokens, outputTokens, usd, plan } = entry;
  const undoable = files.length > 0 && deps.undoable(id, memoryDir);
  const more = { ...sizesOf(entry), ...reasonOf(entry) };
  const cost = { requests, inputTokens, outputTokens, usd, ...(plan === true ? { plan } : {}) };
  return { id, kind, trigger, at, project, memoryDir, outcome, files, undoable, ...cost, ...more };
}

/** Of a line that may hold anything. */
export function sizesOf(run: Sizes | undefined): Sizes {
  const { before, after } = run ?? {};
  return isSize(before) && isSize(after) ? { before, after } : {};
}

function isSize(size: ConsolidationSize | undefined): size is ConsolidationSize {
  return [size?.files, size?.indexLines].every((count) => Number.isSafeInteger(count) && Number(count) >= 0);
}

/** The same of why it failed. */
export function reasonOf({ reason }: Pick<RunItem, "reason">): Pick<RunItem, "reason"> {
  return typeof reason === "string" && /^[\w-]{1,60}$/u.test(reason) ? { reason } : {};
}

/** Runs of one kind that ended in one way. */
export interface RunSums {
  readonly kind: string;
  readonly outcome: string;
  runs: number;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  usd: number;
}

export interface RunCounts {
  session(): void;
  run(summary: RunSummary): void;
  all(): readonly Readonly<RunSums>[];
}

/** Kinds and outcomes are words of ours, a few dozen pairs; beyond it a mistake would fill memory. */
const PAIRS_MAX = 200;

export function createRunCounts(): RunCounts {
  const sums = new Map<string, RunSums>();
  return {
    session: () => undefined,
    run({ kind, outcome, requests, inputTokens, outputTokens, usd }) {
      const key = `${kind} ${outcome}`;
      const sum = sums.get(key) ?? { kind, outcome, ...NOTHING };
      if (!sums.has(key) && sums.size >= PAIRS_MAX) return;
      sums.set(key, sum);
      sum.runs += 1;
      sum.requests += requests;
      sum.inputTokens += inputTokens;
      sum.outputTokens += outputTokens;
      sum.usd += usd;
    },
    all: () => [...sums.values()],
  };
}

const NOTHING = { runs: 0, requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
