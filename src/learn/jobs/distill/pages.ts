// The pages a model reads of the logs: one line an entry, each begun by us, so that no text can pass for another entry.
// What may be quoted is exactly what is shown. Pure.
import type { TimeZone } from "../../../domain/calendar.ts";
import type { Evidence } from "../../../domain/changes.ts";
import type { ProjectId } from "../../../domain/sessions.ts";
import { estimateTokens } from "../../../domain/tokens.ts";
import type { HeardRecord } from "../../../memory/gate/facts.ts";
import { normalise } from "../../../memory/gate/words.ts";
import { ownProse } from "../../offline/human-text.ts";
import type { Quote } from "../../runs/stage.ts";
import { localTimeIn } from "../local-time.ts";
import { codeFor, hostLine } from "../marks.ts";
import type { NewEntry } from "./gather.ts";
import { sessionIdOf } from "./gather.ts";

export interface Page {
  readonly entries: readonly NewEntry[];
  readonly text: string;
  readonly tokens: number;
}

const VOICES: Readonly<Record<NewEntry["by"], string>> = {
  user: "person",
  assistant: "assistant",
  tool: "tool",
  log: "agent's note",
};

/** A head of ours and its line end. */
const HEAD_TOKENS = 24;

/** Neighbouring entries as long as they fit, each page within `tokensMax`; one entry fits in any case. */
export function pagesOf(
  entries: readonly NewEntry[],
  { tokensMax, timeZone }: { readonly tokensMax: number; readonly timeZone: TimeZone },
): Page[] {
  const pages: NewEntry[][] = [];
  let used = Number.POSITIVE_INFINITY;
  let path = "";
  for (const entry of entries) {
    const head = entry.log.path === path ? 0 : HEAD_TOKENS;
    const tokens = estimateTokens(`${lineOf(entry, timeZone)}\n`) + head;
    if (used + tokens > tokensMax) {
      pages.push([]);
      used = 2 * HEAD_TOKENS;
    }
    pages.at(-1)?.push(entry);
    used += tokens;
    path = entry.log.path;
  }
  return pages.map((each) => pageOf(each, timeZone));
}

export function pageOf(entries: readonly NewEntry[], timeZone: TimeZone): Page {
  const time = localTimeIn(timeZone);
  const code = codeFor(entries.map(({ text }) => text).join("\n"));
  const lines: string[] = [];
  let path = "";
  for (const entry of entries) {
    const { log } = entry;
    if (log.path !== path) {
      const what = log.session === undefined ? "log" : "log of one session";
      lines.push(
        hostLine(
          code,
          `${what}, ${time.day(Date.parse(`${log.date}T12:00:00Z`) - timeZone.offsetMs(entry.at))}`,
        ),
      );
    }
    path = log.path;
    lines.push(lineOf(entry, timeZone));
  }
  const text = [...lines, hostLine(code, "end of the logs")].join("\n");
  return { entries, text, tokens: estimateTokens(text) };
}

function lineOf({ id, at, by, text }: NewEntry, timeZone: TimeZone): string {
  return `${id} ${localTimeIn(timeZone).clock(at)} ${VOICES[by]}: ${text}`;
}

/** Whether a page holds anything a memory could be made of: what an assistant and its tools say alone proves nothing. */
export function mayTeach({ entries }: Pick<Page, "entries">): boolean {
  return entries.some(({ by }) => by === "user" || by === "log");
}

export function textsOf(entries: readonly NewEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ id, text }) => [id, text]));
}

/** In the order they were said. */
export function heardIn(entries: readonly NewEntry[]): HeardRecord[] {
  return entries.map(({ id, by }) => ({ recordId: id, by: by === "log" ? "tool" : by }));
}

/** Whose words a quote is; undefined for a line that was not shown. A paste in typed words is somebody else's text. */
export function evidenceOf(
  { recordId, quote }: Quote,
  { shown, projectId }: { readonly shown: ReadonlyMap<string, NewEntry>; readonly projectId: ProjectId },
): Evidence | undefined {
  const entry = shown.get(recordId);
  if (entry === undefined) return undefined;
  const { text, at, agent, log } = entry;
  const isTyped = entry.by !== "user" || normalise(ownProse(text)).includes(normalise(quote));
  const session = { agent, id: sessionIdOf(log), projectId };
  return { session, recordId, by: isTyped ? entry.by : "tool", quote, at };
}
