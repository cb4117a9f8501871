// When a memory was said, as far as anybody knows, and quotes of memories and rules. Pure.
import type { Evidence } from "../../../domain/changes.ts";
import type { Memory } from "../../../domain/memories.ts";
import type { Instant } from "../../../domain/records.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import { memoryText } from "../../../memory/gate/quotes.ts";
import type { Quote } from "../../runs/stage.ts";

const NOON = "T12:00:00Z";

/** The newest of its records, else the date it carries, else the time it was stamped with. */
export function saidAtOf(
  { file, confirmed, modified }: Memory,
  { saidAt }: Pick<ProposalFacts, "saidAt">,
): Instant | undefined {
  return (
    saidAt.get(file) ??
    instantOf(confirmed === undefined ? "" : confirmed + NOON) ??
    instantOf(modified ?? "")
  );
}

function instantOf(text: string): Instant | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** A quote of a memory or of a rule; undefined for any other name. */
export function quoteOfFile({ recordId, quote }: Quote, facts: ProposalFacts): Evidence | undefined {
  const memory = facts.memories.find(({ file }) => file === recordId);
  const session = { agent: "claude-code", id: memory?.originSessionId ?? "", projectId: undefined } as const;
  if (memory !== undefined) {
    return { session, recordId, by: "memory", quote, at: saidAtOf(memory, facts) };
  }
  return isRule(recordId, facts) ? { session, recordId, by: "instruction", quote, at: undefined } : undefined;
}

/** Whether a name is that of a file of rules the agent reads. */
export function isRule(name: string, { instructions }: ProposalFacts): boolean {
  return (instructions?.() ?? []).some((file) => file.isLoaded && file.name === name);
}

const DATE = /\d{4}-\d{2}-\d{2}/gu;

interface Present {
  readonly gone: ReadonlySet<string>;
  readonly today: string;
}

/** A day in it is past, or it names what is not there. */
export function isOver(memory: Memory, { gone, today }: Present): boolean {
  const text = memoryText(memory);
  return (
    (text.match(DATE) ?? []).some((date) => date < today) || [...gone].some((name) => text.includes(name))
  );
}
