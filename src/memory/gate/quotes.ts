// Whose words a proposal may lean on. Pure; reads quotes as data.
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import type { Memory, MemoryType } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { type ProposalFacts, targetOf } from "./facts.ts";
import { contentWords, normalise } from "./words.ts";

const AFFIRMATION =
  /^(?:yes|yeah|yep|yup|exactly|right|correct|ok(?:ay)?|sure|agreed|perfect|great|good|fine|please do|do that|do it|keep)\b|^(?:ja|genau|richtig|stimmt|passt|gerne|einverstanden)\b|^(?:sí|si|exacto|correcto|vale|claro|perfecto|de acuerdo)(?!\p{L})|^(?:对|是的|好|没错|可以|嗯|行|就这样)|^(?:はい|そう|うん|ええ|了解|お願い|その通り|いいね)/iu;

/** Quotes of the person's own words. */
export function personQuotes(evidence: readonly Evidence[]): readonly Evidence[] {
  return evidence.filter((item) => item.by === "user");
}

/** The assistant's proposals that the person said yes to; both parts must be quoted. */
export function affirmedQuotes(evidence: readonly Evidence[]): readonly Evidence[] {
  const yes = personQuotes(evidence).filter((item) => AFFIRMATION.test(normalise(item.quote)));
  return evidence.filter(
    (item) =>
      item.by === "assistant" &&
      yes.some((answer) => answer.session.id === item.session.id && isNotBefore(answer, item)),
  );
}

function isNotBefore(answer: Evidence, proposal: Evidence): boolean {
  return answer.at === undefined || proposal.at === undefined || answer.at >= proposal.at;
}

/** Everything the person said or agreed to, as one text. */
export function personWords(evidence: readonly Evidence[]): string {
  return [...personQuotes(evidence), ...affirmedQuotes(evidence)].map((item) => item.quote).join("\n");
}

/** Words that mean something in what the person said or agreed to. */
export function personWordCount(evidence: readonly Evidence[]): number {
  return contentWords(personWords(evidence)).length;
}

/** The text a quote must stand in. A `memory` quote names a file of the folder. */
export function sourceOf(item: Evidence, facts: ProposalFacts): string | undefined {
  if (item.by !== "memory") return facts.recordText(item.recordId);
  const memory = facts.memories.find((candidate) => candidate.file === item.recordId);
  return memory === undefined ? undefined : memoryText(memory);
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
  const spoken = own.length > 0 ? own : evidence.filter((item) => item.by !== "memory");
  const times = spoken.flatMap((item) => (item.at === undefined ? [] : [item.at]));
  return times.length === 0 ? undefined : Math.max(...times);
}
