// Why nothing was read or reworked, as a person reads it: the words first, the code that people script against behind
// them. Data, and how to look it up.
import { FORCED_REASONS } from "../../domain/consolidation.ts";
import type { SkipReason } from "../../domain/jobs.ts";

/** Each fits after "because". */
const WORDS: Readonly<Record<SkipReason, string>> = {
  "nothing-new": "there is nothing new",
  "too-little-new": "the model waits for more text",
  "over-budget": "a ceiling of the budget is reached: engramd status says which",
  resting: 'the model taught nothing here lately: "remember ...", a sync or a day ends it',
  withdrawn: "the model was taken away while it read",
  "model-refused": "the model declined to answer: only rules have read them",
  "answer-cut": "the model's answers were cut short: only rules have read them",
  "too-long": "it is longer than the model reads",
  "agent-already-wrote": "the agent wrote the memory itself",
  "daily-log-mode": "the agent keeps a daily log of its own here, which is distilled at night",
  headless: "a script ran it, and extract.headless is off",
  flood: "sessions of programs have had their share: engramd sync --backfill all reads them",
  "memory-off": "memory is switched off for the project",
  "mode-off": "the project's mode is off",
  "read-only": "the project's mode is read-only",
  settling: "somebody changed the memory folder a moment ago",
  "model-closed": "the model cannot be asked now: engramd status says why",
  "source-gone": "the transcript is gone",
  "switched-off": "it is switched off in the settings, engramd's or the agent's",
  paused: "engramd is paused: engramd resume ends that",
  parked: "the memory folder cannot be written: engramd status says why",
  "backing-off": "the last one failed, and is tried again later",
  "first-sight": "engramd has known these memories for too short a time",
  "too-soon": "the last one is less than dream.minHours old",
  "scanned-lately": "the sessions were counted a moment ago",
  "too-few-sessions": "fewer than dream.minSessions sessions since the last one",
  "turn-open": "an agent is at work here",
  "not-quiet": "somebody typed here less than dream.quietMs ago",
  "just-woken": "the machine has only just woken up",
  locked: "somebody else works on this memory folder now",
};

/** What keeps a model from being asked; the warnings of the status have its words and what mends it. */
const MODEL = "model-";
const known: Readonly<Record<string, string>> = WORDS;

/** `there is nothing new`; what has its own words already, or is of a later version, stands for itself. */
export function plainReason(reason: string): string {
  const words = Object.hasOwn(known, reason) ? known[reason] : undefined;
  return words ?? (isModelCode(reason) ? WORDS["model-closed"] : reason);
}

/** The same with its code: `there is nothing new (nothing-new)`. */
export function reasonWords(reason: string): string {
  const words = plainReason(reason);
  return words === reason ? reason : `${words} (${reason})`;
}

/** A failure says its code and words: `code: words`. */
export function failureWords(reason: string): string {
  return isModelCode(reason) && reason !== "model-refused" ? reasonWords(reason) : reason;
}

function isModelCode(reason: string): boolean {
  return reason.startsWith(MODEL) && !reason.includes(" ");
}

/** Whether no ceiling but the model itself is what keeps words unread. */
export function holdsModel(reason: string): boolean {
  return reason.startsWith(MODEL) && reason !== "model-refused";
}

/** Whether `dream --force` would go on all the same. */
export function yieldsToForce(reason: string | null): boolean {
  return FORCED_REASONS.some((forced) => forced === reason);
}
