// Reads the text of a log, whatever wrote it: bullets of a day, or lines that say who speaks. Only whole lines count.
// Pure; never decides what is worth keeping, and trusts no line about who wrote it but those engramd knows as its own.
import type { TimeZone } from "../../domain/calendar.ts";
import type { Instant } from "../../domain/records.ts";
import { shortHash } from "../../system/ids.ts";
import { findSecrets } from "../secrets/scanner.ts";
import { linesOfLog } from "./daily-log.ts";
import type { LogFile } from "./log-folder.ts";
import type { OwnBullet, OwnBullets } from "./own-bullets.ts";
import { lineHash } from "./own-bullets.ts";

/** `log`: an agent's own note, or a line nobody can vouch for. */
export type LogVoice = "user" | "assistant" | "tool" | "log";

export interface LogEntry {
  /** Derived from the file and the words: the same line has the same id. */
  readonly id: string;
  readonly by: LogVoice;
  /** As written; not masked. */
  readonly text: string;
  readonly at: Instant;
  /** Offset in the file just after its last line. */
  readonly endOffset: number;
  /** What engramd noted when it wrote the line; undefined for a line of somebody else. */
  readonly own: OwnBullet | undefined;
}

export interface LogText extends Pick<LogFile, "path" | "date" | "session"> {
  /** The whole file, or the whole lines of it that count. */
  readonly content: Buffer;
  readonly timeZone: TimeZone;
  readonly own: OwnBullets;
}

/** Bytes up to and with the last line end. */
export function wholeLines(content: Buffer): Buffer {
  return content.subarray(0, content.lastIndexOf(LINE_FEED) + 1);
}

const LINE_FEED = 0x0a;
/** `> 09:15 text`: who speaks, perhaps when, and the words. */
const SPOKEN = /^([><.])[ \t]+([^\n]*)$/u;
const BULLET = /^[ \t]{0,3}[-*+][ \t]+([^\n]*)$/u;
const HEADING = /^(?:#{1,6}[ \t]|-{3,}\s*$|\*{3,}\s*$|={3,}\s*$)/u;
const STAMP =
  /^\[?\*{0,2}(?:(\d{4}-\d{2}-\d{2})[T ])?(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?\*{0,2}\]?(?:[ \t]*[-–—:][ \t]+|[ \t]+)/u;

interface Line {
  readonly text: string;
  readonly endOffset: number;
}

interface Draft {
  readonly by: LogVoice;
  readonly words: string[];
  readonly at: Instant;
  readonly own: OwnBullet | undefined;
  /** The lines as they stand there. */
  readonly raw: string[];
  endOffset: number;
}

/** In the order they stand there. */
export function parseLog(log: LogText): LogEntry[] {
  const lines = linesOf(log.content);
  const reading = { log, isSpoken: log.session !== undefined || lines.some(({ text }) => OTHERS.test(text)) };
  const drafts: Draft[] = [];
  let at = noonOf(log);
  /** The entry a line without a mark goes on with. */
  let open: Draft | undefined;
  for (const line of lines) {
    if (line.text.trim() === "" || HEADING.test(line.text)) {
      open = undefined;
      continue;
    }
    const follows = drafts.length === 0 || open?.raw.length === 1;
    const draft = draftOf(line, { ...reading, at, follows });
    if (draft === undefined && open !== undefined && open.own === undefined) {
      open.words.push(line.text.trim());
      open.raw.push(line.text);
      open.endOffset = line.endOffset;
      continue;
    }
    open = draft ?? draftFrom(line, { by: "log", said: { text: line.text.trim(), at } });
    drafts.push(open);
    at = open.at;
  }
  return drafts.map((draft) => entryOf(draft, log));
}

/** What only a log of several voices has. */
const OTHERS = /^[<.][ \t]/u;

interface Around {
  readonly log: LogText;
  /** Its lines say who speaks; a list in such a log is part of an answer. */
  readonly isSpoken: boolean;
  /** When the entry before was said. */
  readonly at: Instant;
  /** Right after an entry of one line, or the first of all. */
  readonly follows: boolean;
}

interface Stamped {
  readonly text: string;
  readonly at: Instant;
}

/** Undefined for a line without a mark. */
function draftOf(line: Line, around: Around): Draft | undefined {
  const { log, isSpoken, follows } = around;
  const bullet = BULLET.exec(line.text)?.[1];
  const own = log.own.get(lineHash(log.date, line.text));
  if (bullet !== undefined && own !== undefined) {
    return draftFrom(line, { by: own.by, said: stamped(bullet, around), own });
  }
  if (!isSpoken) {
    return bullet === undefined ? undefined : draftFrom(line, { by: "log", said: stamped(bullet, around) });
  }
  const [, mark, words] = SPOKEN.exec(line.text) ?? [];
  if (mark === undefined || words === undefined) return undefined;
  return draftFrom(line, { by: voiceOf(mark, follows), said: stamped(words, around) });
}

function draftFrom(
  { text, endOffset }: Line,
  { by, said, own }: { readonly by: LogVoice; readonly said: Stamped; readonly own?: OwnBullet },
): Draft {
  return { by, words: [said.text], at: said.at, own, raw: [text], endOffset };
}

/**
 * A quotation in a longer answer begins like a line of the person's: what comes after a blank line, a heading or a line
 * without a mark is nobody's word for sure.
 */
function voiceOf(mark: string, follows: boolean): LogVoice {
  if (mark === "<") return "assistant";
  if (mark === ".") return "tool";
  return mark === ">" && follows ? "user" : "log";
}

/** The words without their time, and that time where it lies in the day of the file. */
function stamped(words: string, { log, at }: Around): Stamped {
  const [whole, date, hour = "", minute = "", offset] = STAMP.exec(words) ?? [];
  if (whole === undefined || Number(hour) > 23 || Number(minute) > 59) return { text: words.trim(), at };
  const text = words.slice(whole.length).trim();
  if (date !== undefined && date !== log.date) return { text, at };
  return { text, at: instantOf(`${hour.padStart(2, "0")}:${minute}`, { log, offset }) };
}

function instantOf(
  time: string,
  { log, offset }: { readonly log: LogText; readonly offset: string | undefined },
): Instant {
  const zone = offset?.replace(/^([+-]\d{2})(\d{2})$/u, "$1:$2");
  const at = zone === undefined ? Number.NaN : Date.parse(`${log.date}T${time}:00${zone}`);
  return Number.isNaN(at) ? localInstant(Date.parse(`${log.date}T${time}:00Z`), log.timeZone) : at;
}

function noonOf({ date, timeZone }: LogText): Instant {
  return localInstant(Date.parse(`${date}T12:00:00Z`), timeZone);
}

/** What a clock on the wall shows, given as if it were UTC, as an instant. */
function localInstant(shown: number, timeZone: TimeZone): Instant {
  const near = shown - timeZone.offsetMs(shown);
  return shown - timeZone.offsetMs(near);
}

function entryOf({ by, words, at, endOffset, raw, own }: Draft, { path, date }: LogText): LogEntry {
  const hash = shortHash(`${path}\n${by}\n${raw.join("\n")}`, ID_CHARS);
  return { id: `log-${date.replaceAll("-", "")}-${hash}`, by, text: words.join(" / "), at, endOffset, own };
}

/** Of a day's lines no two meet in forty bits. */
const ID_CHARS = 10;

/** A secret that runs over several lines goes as a whole; each line stays a line. */
function linesOf(content: Buffer): Line[] {
  const raw = content.toString("utf8");
  const texts = linesOfLog(withoutLongSecrets(raw));
  const ends = lineEndsOf(content);
  return ends.map((endOffset, index) => ({ text: texts[index] ?? "", endOffset }));
}

/** In bytes of the file: what is no text has another length once it is read as text. */
function lineEndsOf(content: Buffer): number[] {
  const ends: number[] = [];
  for (let at = content.indexOf(LINE_FEED); at !== -1; at = content.indexOf(LINE_FEED, at + 1)) {
    ends.push(at + 1);
  }
  return ends;
}

function withoutLongSecrets(text: string): string {
  let open = "";
  let from = 0;
  for (const { start, end } of findSecrets(text)) {
    const secret = text.slice(start, end);
    if (start < from || !secret.includes("\n")) continue;
    open += text.slice(from, start) + secret.replace(/[^\n]+/gu, "");
    from = end;
  }
  return open + text.slice(from);
}
