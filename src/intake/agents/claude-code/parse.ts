// Turns the picked lines of one slice into records. Never throws for content: odd values are absent, unknown types
// are counted. Keeps only what later lines of the slice inherit (working directory, who runs the session, the turn).
import type { Fields } from "../../../domain/json.ts";
import { fieldsOf } from "../../../domain/json.ts";
import { isOwnSession } from "../../../domain/own-sessions.ts";
import { isAbsolute, relative } from "node:path";
import { READ_LIMITS } from "../../../domain/limits.ts";
import type { Origin, RecordCommon, TranscriptRecord } from "../../../domain/records.ts";
import type { Source } from "../../transcripts/format.ts";
import { cutText } from "../../transcripts/json-text.ts";
import { derivedId, injected, isModelOutput, toolCall, toolResult } from "./entries.ts";
import { instantOf, itemsOf, textOf } from "./fields.ts";
import type { Speech } from "./speech.ts";
import { commandIn, queuedSpeechOf, speechOf, spokenIn } from "./speech.ts";
import { refusalReason } from "./refusal.ts";
import type { TurnOutcome, TurnSign, TurnState, TurnTracker } from "./turn.ts";
import { createTurnTracker } from "./turn.ts";
import { isNoise, isSpoken } from "./wanted.ts";

export interface Parser {
  /** Takes one line's picked value; false when it is no record of this format. */
  add(value: unknown, endOffset: number): boolean;
  /** To be called once, after the last line. */
  finish(): ParsedRecords;
}

export interface ParsedRecords {
  readonly records: readonly TranscriptRecord[];
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly turn: TurnState;
  readonly sessionEnded: boolean;
  /** The first named by a record that matters. */
  readonly cwd: string | undefined;
  readonly sessionId: string | undefined;
}

/** Characters kept of an unknown type's name; it is shown in the status. */
const TYPE_CHARS = 64;
const FINAL_STOPS = new Set(["end_turn", "stop_sequence", "max_tokens", "refusal"]);
/** System lines that close a turn. */
const TURN_CLOSERS = new Set(["turn_duration", "stop_hook_summary"]);

/** What the lines read so far leave behind. */
interface Reading {
  readonly source: Source;
  readonly oursUnder: readonly string[];
  readonly records: TranscriptRecord[];
  readonly unknown: Map<string, number>;
  readonly turn: TurnTracker;
  cwd: string | undefined;
  firstCwd: string | undefined;
  firstSessionId: string | undefined;
  headless: boolean;
  lastAnswer: RecordCommon | undefined;
  /** Where in `records` the last answer ends; its turn's end is noted there, however late it is known. */
  answerEnd: number;
}

export function createParser(source: Source, oursUnder: readonly string[]): Parser {
  const reading: Reading = {
    source,
    oursUnder,
    records: [],
    unknown: new Map(),
    turn: createTurnTracker(),
    cwd: undefined,
    firstCwd: undefined,
    firstSessionId: undefined,
    headless: false,
    lastAnswer: undefined,
    answerEnd: 0,
  };
  return {
    add(value, endOffset) {
      const fields = fieldsOf(value);
      const type = textOf(fields?.["type"]);
      if (fields === undefined || type === undefined) return false;
      remember(reading, fields);
      const common: RecordCommon = {
        recordId: textOf(fields["uuid"]) ?? derivedId(fields),
        sessionId: textOf(fields["sessionId"]) ?? source.sessionId,
        agent: "claude-code",
        at: instantOf(fields["timestamp"]),
        cwd: reading.cwd,
        origin: originOf(reading, fields["isSidechain"] === true),
        endOffset,
      };
      addLine(reading, type, { fields, common });
      return true;
    },
    finish() {
      noteAnsweredTurn(reading, reading.turn.finish());
      return {
        records: reading.records,
        unknownTypes: Object.assign(Object.create(null), Object.fromEntries(reading.unknown)),
        turn: reading.turn.state(),
        sessionEnded: reading.turn.sessionEnded(),
        cwd: reading.firstCwd,
        sessionId: reading.firstSessionId,
      };
    },
  };
}

/** One line: its members, and what every record made of it carries. */
interface TypedLine {
  readonly fields: Fields;
  readonly common: RecordCommon;
}

function addLine(reading: Reading, type: string, line: TypedLine): void {
  const { fields, common } = line;
  switch (type) {
    case "user":
      return addUser(reading, line);
    case "assistant":
      return addAssistant(reading, line);
    case "attachment": {
      const attachment = fieldsOf(fields["attachment"]);
      if (attachment === undefined || !isSpoken(attachment["type"])) return;
      return addSpeech(reading, { speech: queuedSpeechOf(attachment), common, wakes: "work" });
    }
    case "system":
      return addSystem(reading, line);
    case "queue-operation": {
      const kind = fields["operation"] === "enqueue" ? "queued" : "unqueued";
      return sign(reading, { kind, common });
    }
    case "cost-state":
      return sign(reading, { kind: "closed", common });
    default:
      if (!isNoise(type)) tally(reading.unknown, type);
  }
}

function remember(reading: Reading, fields: Fields): void {
  reading.cwd = textOf(fields["cwd"]) ?? reading.cwd;
  reading.firstCwd ??= reading.cwd;
  reading.firstSessionId ??= textOf(fields["sessionId"]);
  reading.headless = isHeadless(fields) ?? reading.headless;
}

function originOf(reading: Reading, isSidechain: boolean): Origin {
  const { cwd, oursUnder, source, headless, firstSessionId } = reading;
  if (isOwnSession(firstSessionId) || isOwnSession(source.sessionId)) return "ours";
  if (cwd !== undefined && oursUnder.some((folder) => isUnder(folder, cwd))) return "ours";
  if (isSidechain || source.role === "subagent") return "subagent";
  return headless ? "headless" : "user";
}

/** A record says itself that a script runs the session; undefined where it says nothing. */
function isHeadless(fields: Fields): boolean | undefined {
  if (fields["promptSource"] === "sdk") return true;
  return textOf(fields["entrypoint"])?.startsWith("sdk-");
}

function sign(reading: Reading, next: TurnSign & { readonly common: RecordCommon }): void {
  const outcome = reading.turn.take(next);
  if (outcome === "ends-here") reading.records.push({ kind: "turn-end", ...next.common });
  else noteAnsweredTurn(reading, outcome);
}

function noteAnsweredTurn({ records, lastAnswer, answerEnd }: Reading, outcome: TurnOutcome): void {
  if (outcome === "ended-before" && lastAnswer !== undefined)
    records.splice(answerEnd, 0, { kind: "turn-end", ...lastAnswer });
}

function addUser(reading: Reading, { fields, common }: TypedLine): void {
  const blocks = itemsOf(fieldsOf(fields["message"])?.["content"]);
  const results = blocks.filter((block) => block["type"] === "tool_result");
  if (results.length === 0) return addSpeech(reading, { speech: speechOf(fields), common, wakes: "prompt" });
  // Text beside a result is the client's, not the person's; a reason inside a refusal is theirs.
  sign(reading, { kind: "work", common });
  for (const block of results) {
    const result = toolResult(block, common);
    reading.records.push(result);
    const reason = results.length === 1 ? refusalReason(fields, result) : undefined;
    if (reason !== undefined) addSpeech(reading, { speech: spokenIn(reason), common, wakes: "work" });
  }
}

interface Spoken {
  readonly speech: Speech;
  readonly common: RecordCommon;
  /** A prompt shows that the turn before it is over; one typed in mid-turn does not. */
  readonly wakes: "prompt" | "work";
}

function addSpeech(reading: Reading, { speech, common, wakes }: Spoken): void {
  switch (speech.kind) {
    case "typed":
      sign(reading, { kind: wakes, common });
      reading.records.push({ kind: "user-text", text: speech.text, ...common });
      return;
    case "injected":
      // Only a notification makes the agent go on; commands and reminders come with turns or without.
      if (speech.what === "notification") sign(reading, { kind: wakes, common });
      reading.records.push(injected(speech, common));
      return;
    case "interrupt":
      return sign(reading, { kind: "over", common });
    case "nothing":
      return;
  }
}

function addAssistant(reading: Reading, { fields, common }: TypedLine): void {
  const message = fieldsOf(fields["message"]) ?? {};
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : itemsOf(content);
  const calls = blocks.filter((block) => block["type"] === "tool_use");
  const stop = textOf(message["stop_reason"]);
  if (calls.length > 0 || stop === "tool_use" || fields["isAbortedMidStream"] === true) {
    sign(reading, { kind: "work", common });
  } else if (blocks.length > 0) {
    const final = stop !== undefined && FINAL_STOPS.has(stop);
    const messageId = textOf(message["id"]);
    sign(reading, { kind: "answer", messageId, stop: final ? "final" : "plain", common });
    reading.lastAnswer = common;
  }
  if (isModelOutput(fields, message)) {
    for (const block of blocks) {
      const text = block["type"] === "text" ? textOf(block["text"]) : undefined;
      if (text !== undefined) reading.records.push({ kind: "assistant-text", text, ...common });
    }
    for (const block of calls) reading.records.push(toolCall(block, common));
  }
  if (reading.lastAnswer === common) reading.answerEnd = reading.records.length;
}

function addSystem(reading: Reading, { fields, common }: TypedLine): void {
  const subtype = textOf(fields["subtype"]) ?? "";
  if (TURN_CLOSERS.has(subtype)) sign(reading, { kind: "over", common });
  else if (subtype === "compact_boundary")
    reading.records.push({ kind: "injected", what: "compaction", ...common });
  else if (subtype === "local_command")
    addSpeech(reading, { speech: commandIn(textOf(fields["content"]) ?? ""), common, wakes: "prompt" });
}

function tally(counts: Map<string, number>, type: string): void {
  const name = cutText(type, TYPE_CHARS);
  if (counts.has(name) || counts.size < READ_LIMITS.unknownTypesMax)
    counts.set(name, (counts.get(name) ?? 0) + 1);
}

function isUnder(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}
