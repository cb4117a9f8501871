// What a model is told about the memories there are and about what waits for the person: one line each, bounded.
// Foreign text: a line can never look like anything but a line of its list. Pure.
import type { TimeZone } from "../../domain/calendar.ts";
import type { Candidate } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Memory } from "../../domain/memories.ts";
import { displayText } from "../../domain/printable.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { lastStated } from "../../memory/files/freshness.ts";
import { cutPrivate } from "../../memory/secrets/private-words.ts";
import { renderText } from "../../memory/secrets/render.ts";
import { keepStart } from "./shorten.ts";

/** The 200 lines of a full folder at an ordinary length; both requests of a run carry them. */
const MANIFEST_TOKENS_MAX = 6_000;
/** One description; longer ones are cut by every reader. */
const DESCRIPTION_TOKENS_MAX = 60;
/** A hint, not a task: the newest few. */
const PENDING_MAX = 20;
const PENDING_TOKENS_MAX = 1_000;

/** Lines, the newest first; "" when there is no memory. */
export function manifestText(memories: readonly Memory[], timeZone: TimeZone): string {
  const dated = memories
    .map((memory) => ({ memory, date: lastStated(memory, timeZone) }))
    .toSorted((a, b) => compare(b.date, a.date) || compare(a.memory.file, b.memory.file));
  return listed(
    dated.map(({ memory, date }) => manifestLine(memory, date)),
    {
      linesMax: MEMORY_LIMITS.scannedFilesMax,
      tokensMax: MANIFEST_TOKENS_MAX,
      rest: "older files, not listed; use grep",
    },
  );
}

/** A statement that waits for the person. */
export type Pending = Pick<Candidate, "memory">;

/** Lines, the newest first; "" when nothing waits. What a person refused or removed must not be handed in. */
export function pendingText(pending: readonly Pending[]): string {
  const lines = pending.toReversed().map(({ memory }) => `- [${memory.type}] ${oneLine(memory.description)}`);
  return listed(
    // Said in two sessions it is still one statement.
    [...new Set(lines)],
    { linesMax: PENDING_MAX, tokensMax: PENDING_TOKENS_MAX, rest: "older ones" },
  );
}

function manifestLine({ file, type, description, confirmed }: Memory, date: string): string {
  const what = description === undefined ? "(no description)" : oneLine(description);
  const when = confirmed === undefined ? `changed ${date}` : `confirmed ${date}`;
  return `- [${type ?? "no type"}] ${displayText(file)}: ${what} (${when})`;
}

function oneLine(text: string): string {
  return keepStart(renderText(displayText(cutPrivate(text))), DESCRIPTION_TOKENS_MAX).text;
}

interface ListBounds {
  readonly linesMax: number;
  readonly tokensMax: number;
  readonly rest: string;
}

function listed(lines: readonly string[], { linesMax, tokensMax, rest }: ListBounds): string {
  const shown: string[] = [];
  let room = tokensMax;
  for (const line of lines.slice(0, linesMax)) {
    room -= estimateTokens(`${line}\n`);
    if (room < 0) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`(and ${left} ${rest})`] : [])].join("\n");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
