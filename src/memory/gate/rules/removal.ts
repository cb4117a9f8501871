// Why a model may take a memory away. A text that says "delete this" is no reason; another memory, a rule, or the
// person's words are. What is merely out of date can say so itself, unless it is the person's.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import type { Memory } from "../../../domain/memories.ts";
import type { Instant } from "../../../domain/records.ts";
import { canonicalFile, type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { memoryText } from "../quotes.ts";
import { overlapOf, tellingWords } from "../telling.ts";

/** Words with a meaning that a memory and what takes it away have in common; one may be chance. */
const SHARED_MIN = 2;

export function removalRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op !== "delete" || facts.producer !== "model") return undefined;
  const target = targetOf(change, facts);
  if (target === undefined) return undefined;
  const others = otherMemories(change, { target, facts });
  const said = change.evidence.filter(({ by }) => by === "user" || by === "instruction");
  const isBacked = said.length > 0 || others.length > 0;
  switch (change.reason) {
    case "duplicate":
      if (others.length === 0) return none("quote the memory that says the same");
      return isAbout(target, others.map(memoryText))
        ? undefined
        : none("the memory you quote is about something else; a duplicate says the same");
    case "superseded":
    case "wrong":
      if (!isBacked) return none("quote the later words, the rule, or the memory that shows it");
      if (!isAbout(target, [...said.map(({ quote }) => quote), ...others.map(memoryText)])) {
        return none("what is quoted is about something else; quote what takes the place of this memory");
      }
      return said.length > 0 || change.reason === "wrong"
        ? undefined
        : olderProblem(target, { others, facts });
    case "stale":
      return isBacked || !isPersonal(target)
        ? undefined
        : none("what the person wants does not grow old by itself; quote their words or another memory");
    case "forgotten":
      return none("only the person forgets; give another reason");
  }
}

function isPersonal({ type }: Memory): boolean {
  return type !== "project" && type !== "reference";
}

/** Memories it quotes besides itself; what others said takes nothing of the person's away. */
function otherMemories(
  change: MemoryChange,
  { target, facts }: { readonly target: Memory; readonly facts: ProposalFacts },
): readonly Memory[] {
  const isOther = ({ by, recordId }: Evidence) =>
    by === "memory" && canonicalFile(recordId) !== canonicalFile(target.file);
  const names = change.evidence.filter(isOther).map(({ recordId }) => recordId);
  const counts = ({ file }: Memory) => !isPersonal(target) || facts.hearsay?.has(file) !== true;
  return facts.memories.filter((memory) => names.includes(memory.file) && counts(memory));
}

function isAbout(target: Memory, grounds: readonly string[]): boolean {
  const { shared, novel } = overlapOf(memoryText(target), grounds.flatMap(tellingWords));
  return shared >= Math.min(SHARED_MIN, shared + novel);
}

interface Later {
  readonly others: readonly Memory[];
  readonly facts: ProposalFacts;
}

/** Of two memories the later said one holds. Where nobody knows, the model's judgement does. */
function olderProblem(target: Memory, { others, facts }: Later): Refusal | undefined {
  const own = saidAt(target, facts);
  const isEarlier = (other: Memory) => {
    const said = saidAt(other, facts);
    return own !== undefined && said !== undefined && said < own;
  };
  return others.every(isEarlier)
    ? { reason: "older-than-known", message: "this memory was said later than the one you quote; it holds" }
    : undefined;
}

function saidAt({ file, confirmed }: Memory, facts: ProposalFacts): Instant | undefined {
  const date = confirmed === undefined ? Number.NaN : Date.parse(`${confirmed}T00:00:00Z`);
  return facts.saidAt.get(file) ?? (Number.isNaN(date) ? undefined : date);
}

function none(message: string): Refusal {
  return { reason: "no-evidence", message };
}
