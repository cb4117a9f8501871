// What a file of rules may take away. It is somebody else's text and may come with a repository, so it never makes or
// changes a memory, and removes one only where the agent reads the file by itself, the file is the later word, and the
// two speak of the same thing. Who the person is, and what they wrote or commanded themselves, is none of its business.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { Memory } from "../../../domain/memories.ts";
import type { Instant } from "../../../domain/records.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import { relatedTo } from "../instructions.ts";
import { memoryText } from "../quotes.ts";
import { overlapOf, tellingWords } from "../telling.ts";

/** Telling words that a rule and what it overrules have in common; one may be chance. */
const SHARED_MIN = 2;

export function overruledRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  const quotes = change.evidence.filter(({ by }) => by === "instruction");
  if (quotes.length === 0) return undefined;
  const target = targetOf(change, facts);
  if (change.op !== "delete" || (change.reason !== "wrong" && change.reason !== "superseded")) {
    return keep("a file of rules supports no memory; it can only show that one is wrong or superseded");
  }
  // What is gone by now is refused as such.
  if (target === undefined) return undefined;
  if (!isTheirsToOverrule(target, facts)) {
    return keep("an instruction file does not take this away; only the person can");
  }
  const names = quotes.map(({ recordId }) => recordId);
  const files = (facts.instructions?.() ?? []).filter(
    ({ name, isLoaded }) => isLoaded && names.includes(name),
  );
  const related = relatedTo({ body: target.body, description: target.description ?? "" }, files);
  if (related !== undefined && related.relation !== "differs") {
    return keep("the memory says the rule or sharpens it; it stays");
  }
  const words = tellingWords(memoryText(target));
  if (!quotes.every(({ quote }) => overlapOf(quote, words).shared >= SHARED_MIN)) {
    return keep("the quoted rule is about something else; quote the rule that says otherwise");
  }
  return isLaterThan(target, { facts, files })
    ? undefined
    : {
        reason: "older-than-known",
        message: "the memory may be newer than the rule; it stays and is reported",
      };
}

/** Made by a run, out of what was said in a conversation, not about the person and not asked to be remembered. */
function isTheirsToOverrule({ file, type, evidence }: Memory, { saidAt, insisted }: ProposalFacts): boolean {
  if (type === undefined || type === "user" || evidence.some((id) => insisted?.has(id) === true))
    return false;
  return saidAt.has(file) || evidence.length > 0;
}

interface Rules {
  readonly facts: ProposalFacts;
  readonly files: readonly { readonly changedAt?: Instant }[];
}

/** In doubt it is not. */
function isLaterThan(target: Memory, { facts, files }: Rules): boolean {
  const said = facts.saidAt.get(target.file) ?? endOfDay(target.confirmed);
  if (said === undefined || files.length === 0) return false;
  return files.every(({ changedAt }) => changedAt !== undefined && changedAt > said);
}

const DAY_MS = 86_400_000;

/** The last moment of a date, wherever the person is. */
function endOfDay(date: string | undefined): Instant | undefined {
  const begin = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(begin) ? undefined : begin + 2 * DAY_MS;
}

function keep(message: string): Refusal {
  return { reason: "unsupported", message };
}
