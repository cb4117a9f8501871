// Why a run changed a file, in one sentence for a person: from the reason and the sources that are kept with the change.
// Holds names of files only, never words of anybody. Pure.
import type { Evidence, RemovalReason } from "../../domain/changes.ts";
import { displayText } from "../../domain/printable.ts";
import type { WrittenOp } from "./entries.ts";

export interface Changed {
  readonly file: string;
  readonly op: WrittenOp;
  readonly reason?: RemovalReason;
  readonly evidence: readonly { readonly id: string; readonly by: Evidence["by"] }[];
}

/** A change names a few sources; a merge of many names the first ones. */
const NAMES_MAX = 3;

export function whyChanged({ file, op, reason, evidence }: Changed): string {
  const named = (by: Evidence["by"]) =>
    namesOf(evidence.filter((item) => item.by === by && item.id !== file).map(({ id }) => id));
  const memories = named("memory");
  const rules = named("instruction");
  switch (op) {
    case "created":
      return memories === "" ? "said in a session" : `made of ${memories}`;
    case "updated":
      if (memories !== "") return `put together with ${memories}`;
      return evidence.some(({ by }) => by === "user")
        ? "the person said more"
        : "tidied, from what it said itself";
    case "confirmed":
      return "said again";
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

function namesOf(files: readonly string[]): string {
  const names = [...new Set(files)].map(displayText);
  const more = names.length - NAMES_MAX;
  return [...names.slice(0, NAMES_MAX), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
