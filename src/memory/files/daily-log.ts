// A daily log: where the bullet of a moment belongs, and what it looks like. Makes texts and names; writes nothing.
import type { TimeZone } from "../../domain/calendar.ts";
import { localMoment, offsetText } from "../../domain/calendar.ts";
import { DAILY_LOG_LIMITS } from "../../domain/limits.ts";
import { displayText } from "../../domain/printable.ts";
import type { Instant } from "../../domain/records.ts";
import { renderText } from "../secrets/render.ts";

/** Below a memory folder. */
export const LOGS_FOLDER = "logs";

export interface LogPlace {
  /** From the memory folder down: `logs`, `2026`, `03`. */
  readonly folders: readonly string[];
  /** `2026-03-29.md` */
  readonly file: string;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
}

/** The log of the local day a moment lies in. */
export function logPlaceAt(at: Instant, timeZone: TimeZone): LogPlace {
  const { date } = localMoment(at, timeZone);
  const [year = "", month = ""] = date.split("-");
  return { folders: [LOGS_FOLDER, year, month], file: `${date}.md`, date };
}

/** `- 2026-03-29T23:59+02:00 text`, one line without its end; the text must be one line already. */
export function bulletOf(text: string, at: Instant, timeZone: TimeZone): string {
  const { date, time } = localMoment(at, timeZone);
  return `- ${date}T${time}${offsetText(at, timeZone).slice("UTC".length)} ${text}`;
}

/** Its lines without their ends, whatever editor saved it last: a mark of the encoding and CRLF are no text. */
export function linesOfLog(text: string): string[] {
  return text.replace(/^\uFEFF/u, "").split(/\r?\n/u);
}

const CUT = " …";

/** Any text as the text of a bullet: one line, no control character, secrets masked, bounded. */
export function bulletText(text: string): string {
  const lines = renderText(text).split("\n");
  const line = lines
    .map((each) => displayText(each).trim())
    .filter((each) => each !== "")
    .join(" / ");
  return cutTo(line, DAILY_LOG_LIMITS.bulletCharsMax);
}

/** Whole characters only: half of a pair is no text. */
function cutTo(line: string, charsMax: number): string {
  if (line.length <= charsMax) return line;
  return `${line.slice(0, charsMax - CUT.length).replace(/[\uD800-\uDBFF]$/u, "")}${CUT}`;
}
