// A newer rule in the place of an older one: only where both set one value of the same thing. A wrong "no" leaves two
// rules side by side, a wrong "yes" loses one. Pure.
import { localDate, type TimeZone } from "../../domain/calendar.ts";
import type { Evidence } from "../../domain/changes.ts";
import type { Memory, MemoryDraft } from "../../domain/memories.ts";
import { orderOf } from "../offline/cues/order.ts";
import { isConcrete, isStandingRule, leansBack, withoutForGood } from "../offline/cues/standing.ts";
import { sentencesOf, valueRulesOf } from "../offline/values.ts";

/** The rule of a memory as the rules write it: everything above the reasons. */
function statementIn(body: string): string {
  return body.split(/^\*\*Why:\*\*/mu, 1)[0]?.trim() ?? "";
}

/** `replaces`: the newer words take the file over. `outdated`: the file holds newer words about the same thing. */
export type Succession = "replaces" | "outdated" | undefined;

export interface Said {
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
}

/** Order is by when it was said; where no one knows, nothing is replaced. */
export function successionOf(said: Said, memory: Memory, timeZone: TimeZone): Succession {
  if (memory.evidence.length === 0 || memory.frontmatter !== "ok") return undefined;
  if (!contradicts(said.memory, memory)) return undefined;
  const times = said.evidence.flatMap(({ by, at }) => (by === "user" && at !== undefined ? [at] : []));
  if (times.length === 0) return undefined;
  const saidOn = localDate(Math.max(...times), timeZone);
  return memory.confirmed !== undefined && saidOn < memory.confirmed ? "outdated" : "replaces";
}

/** Whether every value the older rule sets is set anew. */
export function contradicts(
  newer: Pick<MemoryDraft, "type" | "body">,
  older: Pick<Memory, "type" | "body">,
): boolean {
  if (newer.type !== "feedback" || older.type !== "feedback") return false;
  const statement = statementIn(older.body);
  const before = valueRulesOf(statement);
  if (before.length === 0 || saysMore(statement)) return false;
  const now = valueRulesOf(statementIn(newer.body));
  return before.every(({ subject, value }) => {
    const anew = now.filter((rule) => rule.subject === subject);
    return anew.length === 1 && anew[0]?.value !== value;
  });
}

/** Whether both set the same values and nothing else: the same rule in other words. */
export function restates(
  newer: Pick<MemoryDraft, "type" | "body">,
  older: Pick<Memory, "type" | "body">,
): boolean {
  if (newer.type !== "feedback" || older.type !== "feedback") return false;
  const [now, before] = [statementIn(newer.body), statementIn(older.body)];
  const key = keyOf(now);
  return key !== "" && key === keyOf(before) && !saysMore(now) && !saysMore(before);
}

function keyOf(statement: string): string {
  const rules = valueRulesOf(statement).map(({ subject, value }) => `${subject}=${value}`);
  return [...new Set(rules)].toSorted().join("\n");
}

const CLAUSE_END = /[,;:]|\s(?:and|but|or|und|sowie|y|e)\s|[，、；]/u;

const PIECE = /'[^'\s]{1,24}'|(?<![\w$@])[\w$@]*[_$@\d][\w$@]*/gu;
const EXAMPLE = /\b(?:as in|like|such as|for example|e\.g\.|for instance)\b.*$/iu;

/** Different quoted words, names and numbers: what a rule is made of. */
function piecesIn(statement: string): number {
  const sentences = sentencesOf(statement).map((sentence) => sentence.replace(EXAMPLE, ""));
  const pieces = sentences.join("\n").match(PIECE) ?? [];
  return new Set(pieces.map((piece) => piece.replaceAll("'", ""))).size;
}

/** Orders something beside the values it sets. */
function saysMore(statement: string): boolean {
  if (piecesIn(statement) > valueRulesOf(statement).length) return true;
  return sentencesOf(statement).some((sentence) => {
    const values = valueRulesOf(sentence).length;
    const clauses = withoutForGood(sentence).split(CLAUSE_END);
    const orders = clauses.filter((part) => orderOf(part) !== undefined).length;
    if (values > 0) return orders > values;
    if (isConcrete(sentence)) return true;
    // "Make sure to apply this from now on" insists on the rule beside it.
    return !leansBack(sentence) && (orders > 0 || isStandingRule(sentence));
  });
}
