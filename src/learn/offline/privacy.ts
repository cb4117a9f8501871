// The person's wishes about their own words, applied before anybody reads them: `<private>` is cut, "don't remember
// this" takes its sentence, "off the record" ends the session. Pure; positions move, so quotes are taken afterwards.
import type { TranscriptRecord, UserText } from "../../domain/records.ts";
import {
  behindEnd,
  closesPrivate,
  CUT,
  cutPrivate,
  opensPrivate,
} from "../../memory/secrets/private-words.ts";
import { endsOpen, optOutOf } from "./opt-out.ts";
import { statementsOf } from "./statements.ts";

/** Where an agent takes it for a command of its own, it is no typed message. */
export const OFF_RECORD_COMMAND = "/private";

export interface Released {
  readonly records: readonly TranscriptRecord[];
  /** The person said that nothing from here on is to be kept. */
  readonly silenced: boolean;
  /** Stretches of the source inside a `<private>` that was not closed in its own message. */
  readonly closedTo: readonly ClosedStretch[];
}

/** From the record that opens it to the one that closes it, as offsets behind them; without an end: infinite. */
export interface ClosedStretch {
  readonly from: number;
  readonly to: number;
}

/** What of a session's records, in order, may be shown and learnt from. `inPrivate`: a `<private>` is open before them. */
export function releaseRecords(records: readonly TranscriptRecord[], inPrivate = false): Released {
  const { open, closedTo } = withoutPrivate(records, inPrivate);
  const kept: TranscriptRecord[] = [];
  let previous: number | undefined;
  for (const record of open) {
    if (record.kind === "injected" && record.command === OFF_RECORD_COMMAND)
      return { records: kept, silenced: true, closedTo };
    if (record.kind !== "user-text") {
      kept.push(record);
      continue;
    }
    const { text, ends, retracts } = withoutOptOuts(record.text);
    if (ends) return { records: kept, silenced: true, closedTo };
    if (retracts && previous !== undefined) kept.splice(previous, 1, blanked(kept[previous]));
    previous = kept.push({ ...record, text }) - 1;
  }
  return { records: kept, silenced: false, closedTo };
}

/** False for a message of which nothing is left. */
export function holdsWords({ text }: UserText): boolean {
  return text.replaceAll(CUT, "").trim() !== "";
}

/** Cuts inside each record, and over records where the person left a `<private>` open; only typed words open and close. */
function withoutPrivate(records: readonly TranscriptRecord[], inPrivate: boolean) {
  const closedTo: ClosedStretch[] = [];
  let from: number | undefined = inPrivate ? 0 : undefined;
  const open = records.map((record) => {
    const typed = record.kind === "user-text" && record.origin !== "subagent" && record.origin !== "ours";
    const closes = typed && closesPrivate(record.text);
    const whole = from === undefined && !closes ? record : closed(record, closes);
    if (typed) {
      if (from !== undefined && closes) {
        closedTo.push({ from, to: record.endOffset });
        from = undefined;
      }
      if (from === undefined && opensPrivate(record.text)) from = record.endOffset;
    }
    return cutIn(whole);
  });
  if (from !== undefined) closedTo.push({ from, to: Number.POSITIVE_INFINITY });
  return { open, closedTo };
}

/** A record while a `<private>` is open: nothing of it, or what stands behind the end. */
function closed(record: TranscriptRecord, closes: boolean): TranscriptRecord {
  switch (record.kind) {
    case "user-text":
      return { ...record, text: closes ? `${CUT}${behindEnd(record.text)}` : CUT };
    case "assistant-text":
      return { ...record, text: CUT };
    case "tool-call":
    case "tool-result":
      return { ...record, preview: "" };
    case "injected":
    case "turn-end":
      return record;
  }
}

function cutIn(record: TranscriptRecord): TranscriptRecord {
  switch (record.kind) {
    case "user-text":
    case "assistant-text":
      return { ...record, text: cutPrivate(record.text) };
    case "tool-call":
    case "tool-result":
      return { ...record, preview: cutPrivate(record.preview) };
    case "injected":
    case "turn-end":
      return record;
  }
}

interface Heard {
  readonly text: string;
  readonly ends: boolean;
  /** The wish stands alone, so it is about the message before. */
  readonly retracts: boolean;
}

/** "Don't remember this" takes the sentence it stands with and the one before it; "don't remember this:" what it says. */
function withoutOptOuts(message: string): Heard {
  const statements = statementsOf(message);
  const wishes = statements.map(({ plain }) => optOutOf(plain));
  if (wishes.includes("session")) return { text: message, ends: true, retracts: false };
  if (wishes.every((wish) => wish === undefined)) return { text: message, ends: false, retracts: false };
  // What is announced and not said in the same sentence is all that follows, prose or not.
  const open = statements.find(({ plain }, at) => wishes[at] === "own-words" && endsOpen(plain));
  const end = open?.start ?? message.length;
  const gone = statements.filter(
    (statement, at) => statement.end <= end && (wishes[at] !== undefined || wishes[at + 1] === "statement"),
  );
  let text = open === undefined ? message : `${message.slice(0, end)}${CUT}`;
  for (const { start, end: to } of gone.toReversed()) text = `${text.slice(0, start)}${CUT}${text.slice(to)}`;
  return { text, ends: false, retracts: statements.length === 1 && wishes[0] === "statement" };
}

function blanked(record: TranscriptRecord | undefined): UserText {
  if (record?.kind !== "user-text") throw new Error("only a typed message can be taken back");
  return { ...record, text: CUT };
}
