// What a job is and how it ends. A job holds identities, never content.
import type { GateReason } from "./consolidation.ts";
import type { Instant } from "./records.ts";

/** `<kind>:<memory folder id>`; two requests with one key are the same work. */
export type JobKey = string;

export type SkipReason =
  | "nothing-new"
  /** A model waits for more text. */
  | "too-little-new"
  /** A ceiling of the budget is reached; the words wait. */
  | "over-budget"
  /** The model's last runs taught nothing; the words wait for a day, for "remember", or until a person asks. */
  | "resting"
  /** The person took the model away while it was reading; the words wait for who reads them now. */
  | "withdrawn"
  /** The model declined to answer, or its answers were cut again and again: only rules have read the words. */
  | "model-refused"
  | "answer-cut"
  /** Longer than the model reads, however small its pieces: it waits until it grows or a person asks. */
  | "too-long"
  | "agent-already-wrote"
  /** The agent notes what is said in a log of its own, which is distilled at night; its sessions wait unread. */
  | "daily-log-mode"
  | "headless"
  /** Of a program, and programs have had their share for now; a backfill reads it. */
  | "flood"
  | "memory-off"
  | "mode-off"
  | "read-only"
  | "settling"
  | GateReason
  /** The provider of its model is closed for now; the warnings tell why and until when. */
  | "model-closed"
  | "source-gone";

export type JobOutcome =
  | { readonly result: "succeeded"; readonly changed: number }
  | { readonly result: "skipped"; readonly reason: SkipReason }
  /** Not now: run again at `at` (a folder that still settles, a path that is not writable). */
  | { readonly result: "delayed"; readonly at: Instant; readonly reason: string }
  | { readonly result: "failed"; readonly code: string; readonly message: string };
