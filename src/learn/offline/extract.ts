// The extractor that needs no model: the person's own sentences through filter, gates and cues. Saves only what
// was asked for in so many words or set as a standing rule; everything weaker is a candidate.
import type { TimeZone } from "../../domain/calendar.ts";
import { localDate } from "../../domain/calendar.ts";
import type { Candidate, Evidence } from "../../domain/changes.ts";
import type { MemoryDraft } from "../../domain/memories.ts";
import type { AssistantText, Instant, TranscriptRecord, UserText } from "../../domain/records.ts";
import type { SessionRef } from "../../domain/sessions.ts";
import { absoluteDates } from "./dates.ts";
import { draftOf } from "./draft.ts";
import { kindOf } from "./kind.ts";
import { isPassedOn, offerOf, type Offer } from "./offer.ts";
import { endsOpen, optOutOf } from "./opt-out.ts";
import { asksToRemember, remarksOf, type Remark } from "./remarks.ts";
import { statementsOf, type Statement } from "./statements.ts";

export interface OfflineInput {
  /** One session's window in order, context included. */
  readonly records: readonly TranscriptRecord[];
  /** Only these messages may teach. */
  isNew(recordId: string): boolean;
  readonly session: SessionRef;
  readonly now: Instant;
  readonly timeZone: TimeZone;
  /** Lets other work go on between messages. */
  pause?(): Promise<void>;
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
  return statementsOf(text).some(asksToRemember);
}

/** Of what tools answered so much is remembered, newest last: an offer is about what was just read. */
const TOOL_TEXT_CHARS = 8_000;

/** Deterministic; never throws for any text. */
export async function extractOffline(input: OfflineInput): Promise<OfflineResult> {
  const found: Found = {
    saves: [],
    candidates: [],
    optedOut: [],
  };
  let proposal: AssistantText | undefined;
  let previous: UserText | undefined;
  let toolText = "";
  for (const record of input.records) {
    if (record.kind === "assistant-text") proposal = record;
    if (record.kind === "tool-result") toolText = `${toolText}\n${record.preview}`.slice(-TOOL_TEXT_CHARS);
    if (record.kind !== "user-text") continue;
    await input.pause?.();
    const heard = listen(record);
    if (heard.ends) {
      found.optedOut.push(record.recordId);
      break;
    }
    if (heard.retracts && previous !== undefined) retract(found, previous.recordId);
    previous = record;
    if (input.isNew(record.recordId)) {
      const offered = proposal === undefined ? undefined : offerOf(proposal.text);
      const offer = offered === undefined || isPassedOn(offered, toolText) ? undefined : offered;
      for (const remark of remarksOf(heard.statements, offer)) {
        const finding = await findingOf(remark, { record, proposal, offer, input });
        if (finding === undefined) continue;
        if (remark.weak) found.candidates.push(finding);
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
  /** The wish stands alone, so it is about the message before. */
  readonly retracts: boolean;
  /** Nothing from here on is to be kept. */
  readonly ends: boolean;
}

/** "Don't remember this" takes the sentence it stands with, and the one before it unless it says itself what it means. */
function listen(record: UserText): Heard {
  const kept: Statement[] = [];
  let dropped = false;
  let retracts = false;
  const statements = statementsOf(record.text);
  for (const statement of statements) {
    const wish = optOutOf(statement.plain);
    if (wish === "session") return { statements: [], dropped: true, retracts: false, ends: true };
    if (wish === undefined) kept.push(statement);
    else {
      if (wish === "statement") kept.pop();
      dropped = true;
    }
    retracts = wish === "statement" && statements.length === 1;
    // What is announced and not said in the same sentence is what follows.
    if (wish === "own-words" && endsOpen(statement.plain)) break;
  }
  return { statements: kept, dropped, retracts, ends: false };
}

interface Found {
  saves: OfflineFinding[];
  candidates: Candidate[];
  optedOut: string[];
}

/** Takes back what a message taught earlier in this window; what an earlier run saved is `forget`'s business. */
function retract(found: Found, recordId: string): void {
  const isOther = ({ evidence }: OfflineFinding) => evidence.every((item) => item.recordId !== recordId);
  found.saves = found.saves.filter(isOther);
  found.candidates = found.candidates.filter(isOther);
  if (!found.optedOut.includes(recordId)) found.optedOut.push(recordId);
}

interface Scene {
  readonly record: UserText;
  readonly proposal: AssistantText | undefined;
  readonly offer: Offer | undefined;
  readonly input: OfflineInput;
}

async function findingOf(remark: Remark, scene: Scene): Promise<OfflineFinding | undefined> {
  const { session, timeZone, now } = scene.input;
  const { record } = scene;
  const agreed = remark.text === "" ? agreedTo(scene) : undefined;
  const words = agreed?.text ?? remark.text;
  const saidAt = record.at ?? now;
  const dated = { saidAt, now, timeZone };
  const text = await absoluteDates(words, dated);
  if (text === undefined || !hasSubstance(text)) return undefined;
  const own: Evidence[] = remark.quotes.map(({ text: quote }) => ({
    session,
    recordId: record.recordId,
    by: "user",
    quote,
    at: record.at,
  }));
  const rule = remark.rule === undefined ? undefined : await absoluteDates(remark.rule, dated);
  const memory = draftOf({
    text,
    rule: rule?.trim(),
    type: remark.type ?? kindOf(text),
    saidOn: localDate(saidAt, timeZone),
  });
  return { memory, evidence: agreed === undefined ? own : [...own, agreed.evidence], cue: remark.cue };
}

function agreedTo({ proposal, offer, input }: Scene): { text: string; evidence: Evidence } | undefined {
  if (proposal === undefined || offer === undefined) return undefined;
  return {
    text: offer.text,
    evidence: {
      session: input.session,
      recordId: proposal.recordId,
      by: "assistant",
      quote: offer.quote,
      at: proposal.at,
    },
  };
}

/** A statement of one or two words cannot stand by itself. */
const WORDS_MIN = 3;

function hasSubstance(text: string): boolean {
  const words = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
  return words.filter((each) => each.isWordLike).length >= WORDS_MIN;
}
