// The person's wishes about their own words, applied before anybody reads them: `<private>` is cut, "don't remember
// this" takes its sentence, "off the record" ends the session. Pure; positions move, so quotes are taken afterwards.
import type { TranscriptRecord, UserText } from "../../domain/records.ts";
import { CUT, cutPrivate } from "../../memory/secrets/private-words.ts";
import { endsOpen, optOutOf } from "./opt-out.ts";
import { statementsOf } from "./statements.ts";

export interface Released {
  readonly records: readonly TranscriptRecord[];
  /** The person said that nothing from here on is to be kept. */
  readonly silenced: boolean;
}

/** What of a session's records, in order, may be shown and learnt from. */
export function releaseRecords(records: readonly TranscriptRecord[]): Released {
  const kept: TranscriptRecord[] = [];
  let previous: number | undefined;
  for (const record of records) {
    const open = withoutPrivate(record);
    if (open.kind !== "user-text") {
      kept.push(open);
      continue;
    }
    const { text, ends, retracts } = withoutOptOuts(open.text);
    if (ends) return { records: kept, silenced: true };
    if (retracts && previous !== undefined) kept.splice(previous, 1, blanked(kept[previous]));
    previous = kept.push({ ...open, text }) - 1;
  }
  return { records: kept, silenced: false };
}

/** False for a message of which nothing is left. */
export function holdsWords({ text }: UserText): boolean {
  return text.replaceAll(CUT, "").trim() !== "";
}

function withoutPrivate(record: TranscriptRecord): TranscriptRecord {
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
