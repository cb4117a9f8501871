// Evidence: every quote stands in the record it names, and the right person's words carry each type of memory.
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import { type ProposalFacts, type Refusal, targetOf } from "../facts.ts";
import {
  affirmedQuotes,
  citedMemories,
  personal,
  personQuotes,
  personWords,
  resultingType,
  sourceOf,
  textOf,
} from "../quotes.ts";
import { quoteProblem } from "../quoted.ts";
import { contentWords } from "../words.ts";

/** A quote with fewer content words proves nothing in particular. */
const CONTENT_WORDS_MIN = 3;

export function evidenceRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer === "person" || facts.producer === "upkeep") return undefined;
  if (change.evidence.length === 0) return none("name the record and quote the words this rests on");
  for (const item of change.evidence) {
    const source = sourceOf(item, facts);
    if (source === undefined) return none("a quote names a record that was not part of what you read");
    const problem = quoteProblem({ quote: item.quote, source, strict: facts.producer === "model" });
    if (problem !== undefined) return none(problem);
  }
  if (change.op === "delete") return removalProblem(change, facts);
  // Tidying rests on the files themselves; what it may add is the support rule's business.
  if (change.evidence.every((item) => item.by === "memory")) return tidyingProblem(change, facts);
  return isPersonal(change, facts) ? personalProblem(change, facts) : factProblem(change, facts);
}

/** User and feedback memories, and files of no known type, are the person's. */
function isPersonal(change: MemoryChange, facts: ProposalFacts): boolean {
  const type = resultingType(change, facts);
  return type !== "project" && type !== "reference";
}

/** What others said takes away nothing the person said. */
function removalProblem(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer !== "model" || !isPersonal(change, facts)) return undefined;
  const isTheirs = ({ by, recordId }: Evidence) =>
    by === "user" ||
    // Whether a file of rules may is asked by a rule of its own.
    by === "instruction" ||
    (by === "memory" && facts.hearsay?.has(recordId) !== true);
  return change.evidence.some(isTheirs)
    ? undefined
    : none("only the person's words or a memory take away what the person said; quote one of them");
}

function tidyingProblem(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (change.op === "confirm" || (change.op === "create" && !givesWay(change, facts))) {
    return none(
      "a new memory needs words from a conversation; to put several into a new file, delete those first and cite them",
    );
  }
  const becomesPersonal =
    isPersonal(change, facts) &&
    [targetOf(change, facts), ...citedMemories(change, facts)].every(
      (memory) => memory?.type === "project" || memory?.type === "reference",
    );
  return becomesPersonal ? none(NEEDS_PERSON) : undefined;
}

/** A merge into a new file: everything it is made of is replaced by it. */
function givesWay({ evidence }: MemoryChange, { replaced = [] }: ProposalFacts): boolean {
  return evidence.every(({ recordId }) => replaced.includes(recordId));
}

const NEEDS_PERSON = "a user or feedback memory needs a quote of the person's own typed words";

function personalProblem(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  const { evidence } = change;
  if (personQuotes(evidence).length === 0) return none(NEEDS_PERSON);
  if (contentWords(personWords(evidence, facts)).length >= CONTENT_WORDS_MIN) return undefined;
  return evidence.some((item) => item.by === "assistant") ? none(NEEDS_YES) : thin();
}

const NEEDS_YES =
  "the assistant's proposal counts only with the person's very next message saying yes to it; quote the proposal to its end and the yes";

function factProblem({ evidence }: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (facts.producer !== "model") return isThin(evidence) ? thin() : undefined;
  const affirmed = affirmedQuotes(evidence, facts);
  const grounds = evidence.filter((item) => item.by !== "assistant" || affirmed.includes(item));
  if (grounds.length === 0) {
    return none("the assistant's words alone prove nothing; quote the person, a tool result or a memory too");
  }
  if (!isThin(grounds)) return undefined;
  return personal(evidence, facts).length < evidence.length ? none(NEEDS_GROUNDS) : thin();
}

const NEEDS_GROUNDS = `besides the assistant's words quote at least ${CONTENT_WORDS_MIN} words with a meaning by the person, a tool or a memory`;

function isThin(evidence: readonly Evidence[]): boolean {
  return contentWords(textOf(evidence)).length < CONTENT_WORDS_MIN;
}

function thin(): Refusal {
  return none(`the quoted words are too few; quote at least ${CONTENT_WORDS_MIN} words with a meaning`);
}

function none(message: string): Refusal {
  return { reason: "no-evidence", message };
}
