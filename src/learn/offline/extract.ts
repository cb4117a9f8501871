// The extractor that needs no model: the person's own sentences through filter, gates and cues. Saves only what
// was asked for in so many words or set as a standing rule; everything weaker is a candidate.
import type { Candidate, Evidence } from "../../domain/changes.ts";
import type { MemoryDraft, MemoryType } from "../../domain/memories.ts";
import type { AssistantText, Instant, TranscriptRecord, UserText } from "../../domain/records.ts";
import type { SessionRef } from "../../domain/sessions.ts";
import { rememberCue } from "./cues/remember.ts";
import { isStandingRule, pointsBack } from "./cues/standing.ts";
import { weakCue } from "./cues/weak.ts";
import { absoluteDates, localDay } from "./dates.ts";
import { draftOf } from "./draft.ts";
import { closedGate } from "./gates.ts";
import { optOutOf } from "./opt-out.ts";
import type { Statement } from "./statements.ts";
import { statementsOf } from "./statements.ts";

export interface OfflineInput {
  /** One session's window in order, context included. */
  readonly records: readonly TranscriptRecord[];
  /** Only these messages may teach. */
  isNew(recordId: string): boolean;
  readonly session: SessionRef;
  readonly now: Instant;
  readonly timeZone: string;
}

export interface OfflineFinding {
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
  readonly cue: string;
}

export interface OfflineResult {
  readonly saves: readonly OfflineFinding[];
  readonly candidates: readonly Candidate[];
  /** Records the person asked not to be kept. */
  readonly optedOut: readonly string[];
}

/** Whether typed words ask to remember something: no need to wait for quiet. Fast; no dates are read. */
export function hasUrgentCue(text: string): boolean {
  return statementsOf(text).some(
    (statement) => rememberCue(statement.plain) !== undefined && closedGate(statement) === undefined,
  );
}

/** Deterministic; never throws for any text. */
export async function extractOffline(input: OfflineInput): Promise<OfflineResult> {
  const found: { saves: OfflineFinding[]; candidates: Candidate[]; optedOut: string[] } = {
    saves: [],
    candidates: [],
    optedOut: [],
  };
  let proposal: AssistantText | undefined;
  for (const record of input.records) {
    if (record.kind === "assistant-text") proposal = record;
    if (record.kind !== "user-text") continue;
    const heard = listen(record);
    if (heard.ends) {
      found.optedOut.push(record.recordId);
      break;
    }
    if (input.isNew(record.recordId)) {
      for (const remark of remarksOf(heard.statements, proposal)) {
        const finding = await findingOf(remark, { record, proposal, input });
        if (finding === undefined) continue;
        if (remark.weak) found.candidates.push(...candidateOf(finding));
        else found.saves.push(finding);
      }
      if (heard.dropped) found.optedOut.push(record.recordId);
    }
    proposal = undefined;
  }
  return found;
}

interface Heard {
  readonly statements: readonly Statement[];
  /** Something was said that must not be kept. */
  readonly dropped: boolean;
  /** Nothing from here on is to be kept. */
  readonly ends: boolean;
}

/** "Don't remember this" takes the sentence it stands with, and the one before it. */
function listen(record: UserText): Heard {
  const statements = statementsOf(record.text);
  const kept: Statement[] = [];
  let dropped = false;
  for (const statement of statements) {
    const wish = optOutOf(statement.plain);
    if (wish === "session") return { statements: [], dropped: true, ends: true };
    if (wish === "statement") {
      kept.pop();
      dropped = true;
    } else kept.push(statement);
  }
  return { statements: kept, dropped, ends: false };
}

interface Remark {
  /** The words that make the memory. */
  readonly text: string;
  readonly quote: Statement;
  /** The sentence the quote points back to, in the same message. */
  readonly before: Statement | undefined;
  /** The rule itself is the assistant's proposal, which the person affirmed. */
  readonly affirms: boolean;
  readonly cue: string;
  readonly type: MemoryType | undefined;
  readonly weak: boolean;
}

function remarksOf(statements: readonly Statement[], proposal: AssistantText | undefined): Remark[] {
  const remarks: Remark[] = [];
  let used: Statement | undefined;
  for (const [index, statement] of statements.entries()) {
    if (closedGate(statement) !== undefined) continue;
    const before = usable(statements[index - 1]);
    const remark = remarkOf(statement, { before, hasProposal: proposal !== undefined });
    if (remark === undefined) continue;
    // The sentence pointed back to was judged by itself a moment ago; one memory is enough.
    if (remark.before !== undefined && remark.before === used) remarks.pop();
    remarks.push(remark);
    used = statement;
  }
  return remarks;
}

function usable(statement: Statement | undefined): Statement | undefined {
  return statement === undefined || closedGate(statement) !== undefined ? undefined : statement;
}

interface Around {
  readonly before: Statement | undefined;
  readonly hasProposal: boolean;
}

function remarkOf(statement: Statement, { before, hasProposal }: Around): Remark | undefined {
  const base = { quote: statement, before: undefined, affirms: false, type: undefined, weak: false } as const;
  const remember = rememberCue(statement.plain);
  if (remember !== undefined) {
    if (remember.content !== "") return { ...base, text: tail(statement, remember.content), cue: "remember" };
    if (before !== undefined) return { ...base, text: before.text, before, cue: "remember" };
    return hasProposal ? { ...base, text: "", affirms: true, cue: "remember" } : undefined;
  }
  if (pointsBack(statement.plain)) {
    if (before !== undefined && isStandingRule(statement.plain))
      return { ...base, text: before.text, before, cue: "standing" };
    return hasProposal && isStandingRule(statement.plain)
      ? { ...base, text: "", affirms: true, cue: "affirmed" }
      : undefined;
  }
  if (isStandingRule(statement.plain)) return { ...base, text: statement.text, cue: "standing" };
  const weak = weakCue(statement.plain);
  return weak === undefined
    ? undefined
    : { ...base, text: statement.text, cue: weak.cue, type: weak.type, weak: true };
}

/** The cue was found in the sentence with quotations blanked; the memory keeps the person's letters. */
function tail(statement: Statement, content: string): string {
  const at = statement.plain.indexOf(content);
  return at < 0 ? statement.text : statement.text.slice(at, at + content.length);
}

interface Scene {
  readonly record: UserText;
  readonly proposal: AssistantText | undefined;
  readonly input: OfflineInput;
}

/** A question that offers something ("Biome; shall I use it from now on?"): the sentence before the question. */
function offerOf(proposal: AssistantText): Statement | undefined {
  const sentences = statementsOf(proposal.text);
  return sentences.findLast((sentence) => !sentence.isQuestion) ?? sentences.at(-1);
}

async function findingOf(
  remark: Remark,
  { record, proposal, input }: Scene,
): Promise<OfflineFinding | undefined> {
  const { session, timeZone, now } = input;
  const offer = remark.affirms && proposal !== undefined ? offerOf(proposal) : undefined;
  if (remark.affirms && offer === undefined) return undefined;
  const saidAt = record.at ?? now;
  const text = await absoluteDates(offer?.text ?? remark.text, { saidAt, now, timeZone });
  if (text === undefined || !hasSubstance(text)) return undefined;
  const own: Evidence[] = [remark.before, remark.quote].flatMap((statement) =>
    statement === undefined
      ? []
      : [{ session, recordId: record.recordId, by: "user" as const, quote: statement.text, at: record.at }],
  );
  const theirs: Evidence[] =
    offer === undefined || proposal === undefined
      ? []
      : [{ session, recordId: proposal.recordId, by: "assistant", quote: offer.text, at: proposal.at }];
  const type = remark.type ?? typeOf(text);
  const memory = draftOf({ text, type, saidOn: localDay(saidAt, timeZone) });
  return { memory, evidence: [...own, ...theirs], cue: remark.cue };
}

/** Orders about how to work are feedback; what is asked to be remembered as a fact is about the project. */
const FACT =
  /^(?:(?:that|the|our|we|it|there|all|every|staging|production|\w+ is)\b(?!.*\b(?:always|never|must|don'?t)\b)|.*\b(?:is|are|runs?|lives?|stands?|means|starts? with)\b(?!.*\b(?:always|never|must|don'?t)\b))/iu;
const SELF = /^(?:i(?:'m| am| work| have| know)\b|my (?:role|background|job)\b|我是|私は|ich bin\b|soy\b)/iu;
const POINTER = /https?:\/\/|\b[\w-]+\.(?:internal|corp|lan)\b/iu;

function typeOf(text: string): MemoryType {
  if (SELF.test(text)) return "user";
  if (POINTER.test(text)) return "reference";
  return FACT.test(text) ? "project" : "feedback";
}

/** A statement of one or two words cannot stand by itself. */
function hasSubstance(text: string): boolean {
  const words = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].filter(
    (each) => each.isWordLike,
  );
  return words.length >= 3;
}

function candidateOf({ memory, evidence, cue }: OfflineFinding): Candidate[] {
  const [first] = evidence;
  return first === undefined ? [] : [{ memory, evidence: first, cue }];
}
