// What models cost, by day, project, kind of job and memory. Documents are a contract: add, never rename.

export interface CostRequest {
  /** Local days, today included; default `COST_DAYS.usual`. */
  readonly days?: number;
  /** Runs of this project only; a folder inside it. */
  readonly project?: string;
}

/** A month, and two years: as far back as runs are looked for. */
export const COST_DAYS = { usual: 30, max: 730 } as const;

/** Of paid runs together; runs by rules cost nothing and are not counted. */
export interface CostSum {
  readonly runs: number;
  /** Of these, those that were paid for by a subscription. */
  readonly planRuns: number;
  readonly requests: number;
  /** Cache reads and writes included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** Memories that were made or changed: each file once. */
  readonly memories: number;
}

/** What one memory cost: its share of the runs that made or changed it. */
export interface MemoryCost {
  readonly file: string;
  readonly project: string;
  readonly tokens: number;
  readonly usd: number;
}

export interface CostReport {
  readonly v: 1;
  readonly days: number;
  /** Local dates, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** The day the prices were last compared with the vendor's. */
  readonly pricesAsOf: string;
  readonly total: CostSum;
  /** Newest first; days without a paid run are left out. */
  readonly byDay: readonly (CostSum & { readonly day: string })[];
  /** Dearest first. */
  readonly byProject: readonly (CostSum & { readonly project: string })[];
  /** Dearest first. */
  readonly byKind: readonly (CostSum & { readonly kind: string })[];
  /** What everything cost, by the memories that came of it; null where none did. */
  readonly perMemory: { readonly tokens: number; readonly usd: number } | null;
  /** Dearest first, at most 100. */
  readonly memories: readonly MemoryCost[];
}
