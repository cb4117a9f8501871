// What reading by a model needs from the rest of engramd, beyond what rules need.
import type { ModelClient, ModelUsage } from "../../../domain/models.ts";
import type { Instant } from "../../../domain/records.ts";
import type { AgentId, ProjectRef } from "../../../domain/sessions.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import type { InboxItem } from "../../../memory/inbox/items.ts";
import type { PreviewAsk } from "../../../memory/journal/preview.ts";
import type { Account } from "../../models/budget.ts";
import type { RunCost } from "../../models/ledger.ts";
import type { Held } from "../../models/provider-gate.ts";

/** A model that reads sessions, for one job. */
export interface ModelReader {
  readonly client: ModelClient;
  /** The model's id. */
  readonly model: string;
  /** Answers of one run. */
  readonly turnsMax: number;
  /** Input tokens of all requests of one job, cache reads included. */
  readonly inputTokensMax: number;
  /** A job that found less new text waits for more. */
  readonly newTokensMin: number;
  /** Longest wait for more text. */
  readonly maxWaitMs: number;
  /** Not undefined: its provider is closed to every job; nothing is read for it until then. */
  held(): Held | undefined;
  /** Undefined where the model's price is not known. */
  usdOf(usage: ModelUsage): number | undefined;
}

/** How a run ended, and at what cost. */
export interface RunEnd extends RunCost {
  /** `cancelled`: a person ended it. */
  readonly outcome: "succeeded" | "failed" | "cancelled";
}

/** Why and where a job runs, for one that is to go on. */
export interface GoOn {
  readonly memoryDir: string;
  readonly trigger: string;
  readonly ignoreSettle: boolean;
}

export interface ModelDeps {
  /** The model that reads this agent's words; undefined: the rules do. */
  readerFor(agent: AgentId): ModelReader | undefined;
  /** What the gate judges a model's proposals by, as the folder is now. */
  preview(ask: PreviewAsk): ProposalFacts;
  /** What waits for a person or a second sighting, oldest first. */
  pendingOf(project: ProjectRef): readonly InboxItem[];
  /** What this job spends, and whether it may go on; closed by the steps. */
  openAccount(memoryDir: string): Account;
  /** When a model may be asked about this folder again whose runs taught nothing; undefined: now. */
  restsUntil(memoryDir: string): Instant | undefined;
  /** Too little new text for a model: the folder is due again at `at`, or when more comes. */
  waitForMore(memoryDir: string, at: Instant): void;
  /** The job has reached its bound: another one is to go on for the same reason. */
  goOn(request: GoOn): void;
}
