// Why a run changed a file, in one sentence for a person: from the reason and the sources that are kept with the change.
// Holds names of files only, never words of anybody. Pure.
import type { Evidence, RemovalReason } from "../../domain/changes.ts";
import { displayText } from "../../domain/printable.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import { EDIT_KIND, type JournalEntry, type JournalOp, UNDO_KIND, type WrittenOp } from "./entries.ts";

export interface Changed {
  readonly file: string;
  readonly op: WrittenOp;
  readonly reason?: RemovalReason;
  readonly evidence: readonly { readonly id: string; readonly by: Evidence["by"] }[];
}

/** A change names a few sources; a merge of many names the first ones. */
const NAMES_MAX = 3;

/** Kinds of runs that say it all. */
const WHY_BY_KIND: Readonly<Record<string, string>> = {
  [EDIT_KIND]: "by hand",
  [UNDO_KIND]: "put back",
  remember: "the person said so to engramd",
  ignore: "a session it rests on was taken back",
};

/** Of a file a kept run changed, the index included. */
export function whyKept({ kind, indexWork }: JournalEntry, op: JournalOp | typeof INDEX_FILE): string {
  const byKind = WHY_BY_KIND[kind];
  if (op === INDEX_FILE)
    return byKind ?? (indexWork?.kind === "restore" ? "put back" : "its lines were mended");
  return op.purged === undefined ? (byKind ?? whyChanged(op)) : "the person had it purged";
}

export function whyChanged({ file, op, reason, evidence }: Changed): string {
  const named = (by: Evidence["by"]) =>
    namesOf(evidence.filter((item) => item.by === by && item.id !== file).map(({ id }) => id));
  const memories = named("memory");
  const rules = named("instruction");
  const days = daysOf(evidence);
  switch (op) {
    case "created":
      if (memories !== "") return `made of ${memories}`;
      return days === "" ? "said in a session" : `noted in the log of ${days}`;
    case "updated":
      if (memories !== "") return `put together with ${memories}`;
      if (days !== "") return `noted in the log of ${days}`;
      return evidence.some(({ by }) => by === "user")
        ? "the person said more"
        : "tidied, from what it said itself";
    case "confirmed":
      return days === "" ? "said again" : `noted in the log of ${days}, again`;
    case "deleted":
      return whyGone(reason, { memories, rules });
  }
}

function whyGone(
  reason: RemovalReason | undefined,
  { memories, rules }: { memories: string; rules: string },
): string {
  switch (reason) {
    case "duplicate":
      return `${memories || "another memory"} says the same`;
    case "superseded":
      return `${memories || rules || "what was said"} is later`;
    case "wrong":
      return `${rules || memories || "what was said"} says otherwise`;
    case "stale":
      return "it is over, or what it is about is gone";
    case "forgotten":
      return "the person forgot it";
    case undefined:
      return "removed";
  }
}

/** The id of an entry of a daily log names its day. */
const LOG_ENTRY = /^log-(\d{4})(\d{2})(\d{2})-[\da-f]{10}$/u;

function daysOf(evidence: Changed["evidence"]): string {
  return namesOf(
    evidence.flatMap(({ id }) => {
      const [, year, month, day] = LOG_ENTRY.exec(id) ?? [];
      return day === undefined ? [] : [`${year}-${month}-${day}`];
    }),
  );
}

function namesOf(files: readonly string[]): string {
  const names = [...new Set(files)].map(displayText);
  const more = names.length - NAMES_MAX;
  return [...names.slice(0, NAMES_MAX), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
