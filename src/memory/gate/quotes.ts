// Whose words a proposal may lean on. Pure; reads quotes as data.
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import type { Memory, MemoryType } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { affirms, reachesProposal } from "./affirmation.ts";
import { type ProposalFacts, targetOf } from "./facts.ts";

/** Quotes of the person's own words. */
export function personQuotes(evidence: readonly Evidence[]): readonly Evidence[] {
  return evidence.filter((item) => item.by === "user");
}

/** What a judgement about whose words count needs to know. */
export type VoiceFacts = Pick<ProposalFacts, "producer" | "recordText" | "heard">;

/** The assistant's proposals that the person said yes to; both parts must be quoted. */
export function affirmedQuotes(evidence: readonly Evidence[], facts: VoiceFacts): readonly Evidence[] {
  const yes = personQuotes(evidence).filter((item) => affirms(item.quote));
  return evidence.filter(
    (item) =>
      item.by === "assistant" &&
      yes.some((answer) => answer.session.id === item.session.id && isAnswer(answer, item, facts)),
  );
}

function isAnswer(answer: Evidence, proposal: Evidence, facts: VoiceFacts): boolean {
  if (facts.heard !== undefined) return isNextTyped(answer, proposal, facts);
  // The offline rules look at the message right before by themselves; a model may quote anything of the session.
  return (
    facts.producer !== "model" &&
    (answer.at === undefined || proposal.at === undefined || answer.at >= proposal.at)
  );
}

/** The proposal ends the assistant's last text before the answer, and nothing else was typed in between. */
function isNextTyped(answer: Evidence, proposal: Evidence, facts: VoiceFacts): boolean {
  const heard = facts.heard ?? [];
  const said = heard.findLastIndex(
    ({ by, recordId }) => by === "assistant" && recordId === proposal.recordId,
  );
  if (said === -1) return false;
  const next = heard.slice(said + 1).find(({ by }) => by !== "tool");
  if (next === undefined || next.by !== "user" || next.recordId !== answer.recordId) return false;
  const message = facts.recordText(proposal.recordId);
  return (
    message !== undefined &&
    reachesProposal(message, proposal.quote) &&
    affirms(facts.recordText(answer.recordId) ?? "")
  );
}

/** Quotes that count as the person's: their own words and the proposals they affirmed. */
export function personal(evidence: readonly Evidence[], facts: VoiceFacts): readonly Evidence[] {
  return [...personQuotes(evidence), ...affirmedQuotes(evidence, facts)];
}

/** Everything the person said or agreed to, as one text. */
export function personWords(evidence: readonly Evidence[], facts: VoiceFacts): string {
  return textOf(personal(evidence, facts));
}

/** The person's words by message, an affirmed proposal together with its yes. */
export function personUnits(evidence: readonly Evidence[], facts: VoiceFacts): readonly string[] {
  const own = personQuotes(evidence);
  const messages = new Set(own.map((item) => item.recordId));
  const units = [...messages].map((id) => textOf(own.filter((item) => item.recordId === id)));
  const affirmed = affirmedQuotes(evidence, facts);
  if (affirmed.length === 0) return units;
  const yes = own.filter((item) => affirms(item.quote));
  return [...units, textOf([...affirmed, ...yes])];
}

export function textOf(evidence: readonly Evidence[]): string {
  return evidence.map((item) => item.quote).join("\n");
}

/** The text a quote must stand in. A `memory` quote names a file of the folder, an `instruction` quote a file of rules. */
export function sourceOf(item: Evidence, facts: ProposalFacts): string | undefined {
  if (item.by === "instruction") return rulesNamed(item.recordId, facts);
  if (item.by !== "memory") return facts.recordText(item.recordId);
  const memory = facts.memories.find((candidate) => candidate.file === item.recordId);
  return memory === undefined ? undefined : memoryText(memory);
}

/** What the files of this name say that the agent reads by itself. */
function rulesNamed(name: string, { instructions }: ProposalFacts): string | undefined {
  const files = (instructions?.() ?? []).filter((file) => file.isLoaded && file.name === name);
  return files.length === 0 ? undefined : files.flatMap(({ rules }) => rules).join("\n");
}

/** Existing memories a change cites: its own file, those quoted as evidence, those its set replaces. */
export function citedMemories(change: MemoryChange, facts: ProposalFacts): readonly Memory[] {
  const own = change.op === "create" ? undefined : targetOf(change, facts);
  const cited = facts.memories.filter(
    (memory) =>
      facts.replaced?.includes(memory.file) === true ||
      change.evidence.some((item) => item.by === "memory" && item.recordId === memory.file),
  );
  return own === undefined || cited.includes(own) ? cited : [own, ...cited];
}

/** Cited memories whose words may make a memory of `type`: hearsay never becomes a user or feedback memory. */
export function trustedMemories(change: MemoryChange, facts: ProposalFacts): readonly Memory[] {
  const cited = citedMemories(change, facts);
  const type = resultingType(change, facts);
  if (type === "project" || type === "reference") return cited;
  return cited.filter((memory) => facts.hearsay?.has(memory.file) !== true);
}

export function memoryText(memory: Memory): string {
  return `${memory.name ?? ""}\n${memory.description ?? ""}\n${memory.body}`;
}

/** The type a change results in; undefined where the existing file has none. */
export function resultingType(change: MemoryChange, facts: ProposalFacts): MemoryType | undefined {
  return "memory" in change ? change.memory.type : targetOf(change, facts)?.type;
}

/** When the newest of these words was said, the person's own first; undefined when no transcript tells. */
export function newestSaidAt(evidence: readonly Evidence[]): Instant | undefined {
  const own = personQuotes(evidence);
  const isSpoken = ({ by }: Evidence) => by !== "memory" && by !== "instruction";
  const spoken = own.length > 0 ? own : evidence.filter(isSpoken);
  const times = spoken.flatMap((item) => (item.at === undefined ? [] : [item.at]));
  return times.length === 0 ? undefined : Math.max(...times);
}
