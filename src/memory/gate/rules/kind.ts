// Kinds that are never kept, as far as a rule can tell them safely. What needs judgement is left to the producer.
import type { MemoryChange } from "../../../domain/changes.ts";
import { proposedText, type ProposalFacts, type Refusal } from "../facts.ts";
import { normalise } from "../words.ts";

interface ExcludedKind {
  readonly pattern: RegExp;
  readonly message: string;
}

/** A place in a file by its line number, in normalised text. */
export const LINE_CITATION =
  /[\w/-]\.(?!(?:com|net|org|io|dev|app|local|lan|test|de|es|cn|jp|ai|co|eu)\b)[a-z]{1,5}:\d+\b|[\w/-]\.[a-z]{1,5}#l\d+\b|\b(?:lines?|zeilen?|líneas?) \d+\b|第 ?\d+ ?行|\d+ ?行目/u;

const EXCLUDED: readonly ExcludedKind[] = [
  {
    pattern: LINE_CITATION,
    message: "line numbers are stale tomorrow; leave them out",
  },
  {
    pattern:
      /\b(?:current|this|today's) (?:task|session|conversation|turn)\b|\b(?:aktuelle[nrms]?|diese[nrms]?) (?:aufgabe|sitzung)\b|\b(?:tarea|sesión) actual\b|当前任务|本次(?:会话|对话)|現在のタスク|このセッション/u,
    message: "the state of the current task is not kept; what outlives it?",
  },
  {
    pattern:
      /^(?:the )?(?:fix|bug|root cause|error) (?:was|is caused)\b|\b(?:was|got) fixed by\b|\b(?:fixed|solved) (?:it|this|the \w+) by\b/mu,
    message: "how a bug was fixed is in the code; what was surprising about it?",
  },
  {
    pattern: /\b(?:commit|merge|revision) [0-9a-f]{7,40}\b|\blast commit (?:was|is|by)\b/u,
    message: "git already knows its history; what was surprising about it?",
  },
];
/** A `user` memory helps; it does not judge. */
const JUDGEMENT =
  /\b(?:is|seems|are) (?:(?:very|quite|rather|often|always|so) )?(?:lazy|stupid|incompetent|careless|impatient|rude|sloppy|ignorant|clueless|difficult|annoying|bad at)\b|\b(?:incompetent|clueless|arrogant|unskilled|impatient|short-tempered)\b|\b(?:poor|bad|weak|mediocre) (?:programmer|coder|engineer|developer|communicator|writer)\b|\blacks (?:skill|patience|discipline|competence)\b|\b(?:faul|dumm|inkompetent|ungeduldig|unhöflich)(?:e[nrms]?)?\b|\b(?:perezos|tont|incompetente|impaciente|maleducad)\w*|懒惰|愚蠢|无能|没耐心|怠け者|無能|短気/u;

export function kindRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.keep === true) return undefined;
  const text = normaliseLines(proposedText(change));
  const hit = EXCLUDED.find(({ pattern }) => pattern.test(text));
  if (hit !== undefined) return { reason: "excluded-kind", message: hit.message };
  if (change.memory.type === "user" && JUDGEMENT.test(text)) {
    return { reason: "excluded-kind", message: "a user memory never judges the person" };
  }
  return undefined;
}

function normaliseLines(text: string): string {
  return text.split("\n").map(normalise).join("\n");
}
