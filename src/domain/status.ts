// The status document (`status --json`, `GET /v1/status`). A contract: add fields, never rename them.
import type { GateReason } from "./consolidation.ts";
import type { AgentId, ProjectKey } from "./sessions.ts";

export type DaemonState =
  | "starting"
  | "scanning"
  | "idle"
  | "waiting-for-quiet"
  | "running"
  | "paused"
  | "over-budget"
  | "degraded"
  | "stopping"
  | "stopped";

/** Nothing is observed. */
export interface Paused {
  /** ISO time. */
  readonly since: string;
  /** ISO time at which observing goes on by itself; null: when somebody says so. */
  readonly until: string | null;
}

/** Something a person should know, with the command that mends it. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

/** A job that runs, or waits for its turn. */
export interface CurrentRun {
  /** What `engramd cancel` takes: the id of the run, or of the job before it runs. */
  readonly id: string;
  readonly kind: string;
  readonly project: string;
  readonly state: "waiting" | "running" | "delayed" | "dead";
  readonly startedAt: string | null;
}

export interface SourceStatus {
  readonly agent: AgentId;
  readonly root: string;
  readonly sessions: number;
  readonly typedMessages: number;
  readonly headlessSessions: number;
  /** Of these, sessions nobody looks into: too many at once, or another tool's own. Absent: none. */
  readonly passedOver?: { readonly flood: number; readonly observer: number };
  readonly pendingBytes: number;
  readonly damagedLines: number;
  readonly skippedLines: number;
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly expiringSessions: number;
}

export interface ProjectStatus {
  readonly key: ProjectKey;
  readonly root: string;
  readonly memoryDir: string;
  readonly mode: "auto" | "propose" | "read-only" | "off";
  readonly memories: number;
  readonly index: { readonly lines: number; readonly bytes: number };
  readonly waitingFor: string | null;
  readonly lastRun: {
    readonly id: string;
    readonly kind: string;
    readonly at: string;
    readonly outcome: string;
    readonly changed: number;
    /** Why a dream or a distillation failed: a code. */
    readonly reason?: string;
  } | null;
  readonly lastSkip: { readonly reason: string; readonly at: string } | null;
  readonly lastError: {
    readonly code: string;
    readonly message: string;
    readonly at: string;
    readonly retryAt: string | null;
    /** Kind of the job that failed. */
    readonly kind?: string;
  } | null;
  /** ISO times; null where only somebody's work can tell. */
  readonly nextDue: {
    readonly extract: string | null;
    readonly dream: string | null;
    readonly distill: string | null;
  };
  /** Why no dream and no distillation starts now; null: it may, or nobody has looked yet. */
  readonly gates: { readonly dream: GateReason | null; readonly distill: GateReason | null };
  readonly spentUsdToday: number;
}

/** A reading of many sessions that is under way. */
export interface Backfill {
  readonly doneSessions: number;
  readonly totalSessions: number;
  /** 0 while it is too early to say. */
  readonly bytesPerSecond: number;
  /** Null while it is too early to say. */
  readonly remainingMs: number | null;
}

/** One limit the service manager was asked for; null where it cannot be told. */
export interface Hardening {
  readonly name: string;
  readonly effective: boolean | null;
}

/** Who started the daemon, and what keeps it within its bounds. */
export interface ServiceFacts {
  readonly manager: "systemd" | "launchd" | "none";
  readonly hardening: readonly Hardening[];
  /** Whether it goes on when nobody is logged in; null where that is unknown or no question. */
  readonly linger: boolean | null;
}

/** A model provider that no job may ask now. */
export interface ProviderClosed {
  /** Of the failure that closed it. */
  readonly code: string;
  readonly message: string;
  /** ISO time. */
  readonly since: string;
  /** ISO time at which one request tries it. */
  readonly until: string;
  readonly waitingJobs: number;
  /** What a person does; null: it passes by itself. */
  readonly fix: string | null;
}

export interface Status {
  readonly v: 1;
  readonly version: string;
  /** Version of the program that asked, where it is another than that of the daemon. */
  readonly clientVersion?: string;
  readonly pid: number | null;
  readonly startedAt: string | null;
  readonly state: DaemonState;
  /** Only during a pause. */
  readonly paused?: Paused;
  readonly provider: {
    readonly name: string;
    readonly model: string | null;
    readonly why: string;
    /** Only while it is closed. */
    readonly closed?: ProviderClosed;
  };
  readonly sources: readonly SourceStatus[];
  readonly projects: readonly ProjectStatus[];
  readonly queue: {
    readonly waiting: number;
    readonly running: number;
    readonly delayed: number;
    readonly dead: number;
  };
  /** Null when no reading of many sessions is under way; absent in documents of older versions. */
  readonly backfill?: Backfill | null;
  /** Absent in a status of before. */
  readonly runs?: readonly CurrentRun[];
  readonly budget: {
    readonly tokensToday: number;
    readonly usdToday: number;
    readonly usdMonth: number;
    readonly limits: Readonly<Record<string, unknown>>;
    readonly exhausted: boolean;
  };
  readonly counters: {
    readonly linesRead: number;
    readonly recordsRead: number;
    readonly secretsMasked: number;
    readonly proposalsRefused: Readonly<Record<string, number>>;
  };
  readonly warnings: readonly Warning[];
  /** Absent while no daemon runs. */
  readonly service?: ServiceFacts;
}
