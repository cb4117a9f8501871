// The model of one job, and how a run of it ended: what every job kind that asks a model needs to know. Types only.
import type { ModelClient, ModelUsage } from "../../domain/models.ts";
import type { RunCost } from "../models/ledger.ts";
import type { Held } from "../models/provider-gate.ts";

/** A model that reads for one job. */
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
