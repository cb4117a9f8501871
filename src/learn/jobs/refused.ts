// What the gate refused and a person may know better, as items of the inbox with the reason. Decides nothing.
import type { MemoryChange, Producer, RefusalCode, Verdict } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import type { Offered } from "../../memory/inbox/items.ts";
import { basesOf } from "../../memory/inbox/propose.ts";

/**
 * The words are there and the gate could not check enough of them, or its rule is about a kind of text. What would widen
 * an agent's rights is shown to the person as well, who should know that something tried; it is never accepted.
 */
const LOOKED_AT: ReadonlySet<RefusalCode> = new Set([
  "unsupported",
  "no-evidence",
  "excluded-kind",
  "restated",
  "permission-text",
  "foreign-order",
]);

export interface RefusedSet {
  readonly verdicts: readonly Verdict[];
  readonly producer: Producer;
  /** Of the folder, as they are now. */
  readonly memories: readonly Memory[];
}

export function offersOfRefused({ verdicts, producer, memories }: RefusedSet): Offered[] {
  const offered = verdicts.flatMap((verdict) =>
    verdict.accepted || !LOOKED_AT.has(verdict.reason)
      ? []
      : offerOf(verdict.change, { ...verdict, producer }),
  );
  const lossy = verdicts.flatMap((verdict) =>
    !verdict.accepted && verdict.reason === "loss" ? [verdict] : [],
  );
  const [first] = lossy;
  if (first !== undefined) {
    const { reason, message } = first;
    const changes = lossy.map(({ change }) => change);
    // Half a merge is worse than none.
    offered.push({ kind: "quarantine", producer, changes, refusal: { reason, message } });
  }
  return offered.map((each) => ({ ...each, bases: basesOf(each.changes, { memories }) }));
}

/** Said to a person about what could not be committed twice. */
export const BUSY_FILE = {
  producer: "model",
  reason: "changed-since-read",
  message: "somebody changed the file again and again while this was to be written",
} as const;

type Refused = NonNullable<Offered["refusal"]> & Pick<Offered, "producer">;

/** What rests on nothing, or says nothing new, is nothing to ask a person about. */
export function offerOf(change: MemoryChange, { reason, message, producer }: Refused): Offered[] {
  return "memory" in change && change.evidence.length > 0
    ? [{ kind: "quarantine", producer, changes: [change], refusal: { reason, message } }]
    : [];
}
