// The first screen as a document (`engramd --json`, `GET /v1/overview`). A contract: add fields, never rename them.
import type { ModelReport } from "./model-choice.ts";
import type { AgentId } from "./sessions.ts";
import type { DaemonState, Paused, Status, Warning } from "./status.ts";

/** One agent and where its transcripts were looked for. */
export interface OverviewAgent {
  readonly agent: AgentId;
  readonly sessions: number;
  readonly projects: number;
  /** Sessions with unread words that the agent deletes within 7 days. */
  readonly expiringSessions: number;
  readonly roots: readonly { readonly path: string; readonly found: boolean }[];
}

/** What a model would read of the last 7 days: a cheap estimate from counts, never from the words themselves. */
export interface LastWeek {
  readonly sessions: number;
  readonly model: string;
  readonly inputTokens: number;
  /** Null where nobody knows what it costs. */
  readonly usd: number | null;
}

export interface Overview {
  readonly v: 1;
  readonly version: string;
  readonly state: DaemonState;
  /** Only during a pause. */
  readonly paused?: Paused;
  /** The first round or the reading it asked for goes on: these are the figures so far. */
  readonly reading: boolean;
  readonly provider: Status["provider"];
  readonly agents: readonly OverviewAgent[];
  /** Typed messages read so far. */
  readonly typedMessages: number;
  /** `saved`: those that rest on words engramd read; `total`: whoever wrote them. */
  readonly memories: { readonly saved: number; readonly total: number };
  /** Changes that wait for a yes, as the project's mode wants; absent in documents of older versions. */
  readonly proposals?: number;
  /** Remarks that wait: too weak to be saved, or refused and to be looked at. */
  readonly candidates: number;
  /** Sessions with words that are to be read and were not. */
  readonly unread: { readonly sessions: number; readonly bytes: number };
  /** Folders, a star standing for the projects. */
  readonly writesTo: readonly string[];
  readonly lastWeek: LastWeek;
  /** Models that could be used at once, while nobody has chosen one; absent: none, or a document of an older version. */
  readonly offers?: ModelReport["offers"];
  readonly spent: { readonly usdToday: number; readonly usdMonth: number };
  readonly warnings: readonly Warning[];
}
