// What of a message is worth keeping, and how sure that is: gates and cues over its sentences. Knows no dates, no
// drafts, no records.
import type { MemoryType } from "../../domain/memories.ts";
import { isReport, isWorthKeeping, rememberCue, type RememberCue } from "./cues/remember.ts";
import { isComment, isStandingRule, leansBack, pointsBack, saysForGood } from "./cues/standing.ts";
import { weakCue } from "./cues/weak.ts";
import { closedGate, type GateReason } from "./gates.ts";
import type { Offer } from "./offer.ts";
import { rulesIn } from "./split.ts";
import type { Statement } from "./statements.ts";

export interface Remark {
  /** The words that make the memory; "" when they stand in the assistant's offer. */
  readonly text: string;
  /** The rule among them, where it leans on the sentence before it: what the memory is named by. */
  readonly rule?: string;
  /** The sentences they come from, in order. */
  readonly quotes: readonly Statement[];
  readonly cue: string;
  /** Undefined: the words themselves decide. */
  readonly type: MemoryType | undefined;
  /** Too weak to be saved by itself. */
  readonly weak: boolean;
}

interface Around {
  /** The sentence before, when it may be used. */
  readonly before: Statement | undefined;
  /** What the assistant offered right before this message. */
  readonly offer: Pick<Offer, "forGood"> | undefined;
  /** A "Remember:" earlier on the same line still holds. */
  readonly asked: boolean;
}

export function remarksOf(
  statements: readonly Statement[],
  offer: Pick<Offer, "forGood"> | undefined,
): Remark[] {
  const remarks: Remark[] = [];
  let askedLine = -1;
  for (const [index, statement] of statements.entries()) {
    const asked = askedLine === statement.line;
    if (rememberCue(statement.plain)?.force === "asked") askedLine = statement.line;
    if (closedGate(statement) !== undefined) continue;
    const before = antecedent(statements.slice(Math.max(0, index - LEANS_OVER_MAX), index));
    const remark = remarkOf(statement, { before, offer, asked });
    if (remark === undefined) continue;
    const parts = apart(remark, statement);
    if (parts.length > 1) {
      remarks.push(...parts);
      continue;
    }
    // The sentence it leans on was judged by itself a moment ago; one memory is enough.
    const leansOn = remark.quotes.length > 1 ? remark.quotes[0] : undefined;
    if (leansOn !== undefined && remarks.at(-1)?.quotes.at(-1) === leansOn) remarks.pop();
    remarks.push(remark);
  }
  return remarks;
}

/** Two rules in one sentence are two memories; they lean on nothing but each other. */
function apart(remark: Remark, { text }: Statement): Remark[] {
  if (remark.cue !== "standing" || remark.text === "") return [remark];
  const own = remark.quotes.length === 1 ? remark.text : text;
  const parts = rulesIn(own);
  if (parts.length === 1 || parts.some((part) => leansBack(part))) return [remark];
  const quotes = remark.quotes.slice(-1);
  return parts.map((part) => ({ cue: remark.cue, type: remark.type, text: part, quotes, weak: false }));
}

/** Why a sentence that sounds like a memory is none; undefined when none of them does, or one may be one. */
export function gateAgainst(statements: readonly Statement[]): GateReason | undefined {
  for (const statement of statements) {
    const gate = closedGate(statement);
    if (gate !== undefined && soundsLikeMemory(statement.plain)) return gate;
  }
  return undefined;
}

function soundsLikeMemory(plain: string): boolean {
  return rememberCue(plain) !== undefined || isStandingRule(plain) || weakCue(plain) !== undefined;
}

/** Whether the words ask for a memory outright. */
export function asksToRemember(statement: Statement): boolean {
  const cue = rememberCue(statement.plain);
  return cue !== undefined && cue.force !== "again" && closedGate(statement) === undefined;
}

/** "This makes it easier to read." between a rule and "do this from now on"; more than two and nobody can tell. */
const LEANS_OVER_MAX = 3;

/** The nearest sentence that says something by itself. */
function antecedent(earlier: readonly Statement[]): Statement | undefined {
  return earlier.findLast((statement) => closedGate(statement) === undefined && !isComment(statement.plain));
}

function remarkOf(statement: Statement, around: Around): Remark | undefined {
  const { plain } = statement;
  const remember = rememberCue(plain);
  if (remember !== undefined) return remembered(statement, { ...around, remember });
  if (pointsBack(plain)) return pointing(statement, around);
  if (isStandingRule(plain)) return rule(statement, around);
  if (around.asked && FACT.test(plain)) {
    return { text: statement.text, quotes: [statement], cue: "remember", type: undefined, weak: false };
  }
  const weak = weakCue(plain);
  return weak === undefined
    ? undefined
    : { text: statement.text, quotes: [statement], cue: weak.cue, type: weak.type, weak: true };
}

/** Goes on telling what was asked to be remembered, rather than turning to the next task. */
const FACT =
  /^(?:the |our |all |every |each )?[\p{L}\w-]+(?: [\p{L}\w-]+){0,3} (?:is|are|runs?|lives?|stands?|uses?|has|have|ist|sind|läuft|liegt|es|está|son|corre)\b|^[^，。、]{1,20}(?:是|在|跑在|位于)|^[^、。]{1,20}(?:は|が).*(?:です|ます)/iu;

function remembered(
  statement: Statement,
  { before, offer, remember }: Around & { readonly remember: RememberCue },
): Remark | undefined {
  const base = { cue: "remember", type: undefined } as const;
  if (remember.content === "") {
    if (before !== undefined)
      return { ...base, text: before.text, quotes: [before, statement], weak: remember.force === "again" };
    return offer === undefined ? undefined : { ...base, text: "", quotes: [statement], weak: false };
  }
  const content = tail(statement, remember.content);
  if (remember.force !== "again" && isStandingRule(statement.plain)) return rule(statement, { before });
  if (isStandingRule(content) && remember.force !== "again") return rule(statement, { before, content });
  const { force, step } = remember;
  if (force === "again" && isReport(content)) return undefined;
  const doubtful = (force === "told" || force === "advice") && !isWorthKeeping(content, force);
  const weak = step || force === "again" || doubtful;
  return { ...base, text: content, quotes: [statement], weak };
}

function rule(
  statement: Statement,
  { before, content }: { readonly before: Statement | undefined; readonly content?: string },
): Remark | undefined {
  const text = content ?? statement.text;
  const base = { cue: "standing", type: "feedback" } as const;
  if (!leansBack(text)) return { ...base, text, quotes: [statement], weak: false };
  if (before === undefined) return { ...base, text, quotes: [statement], weak: true };
  return {
    ...base,
    text: `${before.text} ${text}`,
    rule: text,
    quotes: [before, statement],
    type: "feedback",
    weak: false,
  };
}

/** "From now on do the same.": the sentence before is the rule; alone, it answers an offer. */
function pointing(statement: Statement, { before, offer }: Around): Remark | undefined {
  const base = { type: "feedback", weak: false } as const;
  const forGood = saysForGood(statement.plain);
  if (before !== undefined)
    return forGood ? { ...base, text: before.text, quotes: [before, statement], cue: "standing" } : undefined;
  return offer !== undefined && (forGood || offer.forGood)
    ? { ...base, text: "", quotes: [statement], cue: "affirmed" }
    : undefined;
}

/** The cue was found in the sentence with quotations blanked; the memory keeps the person's letters. */
function tail(statement: Statement, content: string): string {
  const at = statement.plain.lastIndexOf(content);
  return at < 0 ? statement.text : statement.text.slice(at, at + content.length);
}
