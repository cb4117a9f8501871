// What `why` says: the messages of a session with what became of each, or the words behind a memory.
import type {
  MemoryStory,
  MessageOutcome,
  MessageStory,
  SessionStory,
  WhyEvidence,
  WhyReply,
} from "../../domain/account.ts";
import type { Line, Page, Tone } from "./line.ts";
import { EMPTY_LINE, wrap } from "./line.ts";
import { bytesText, counted } from "./numbers.ts";
import { clockTime, relativeTime } from "./time.ts";

export function whyLines(story: WhyReply, page: Page): Line[] {
  return story.about === "session" ? sessionLines(story, page) : memoryStoryLines(story, page);
}

const TONES: Readonly<Record<MessageOutcome, Tone>> = {
  saved: "good",
  updated: "good",
  confirmed: "good",
  "taken-back": "warn",
  candidate: "plain",
  refused: "warn",
  skipped: "faint",
  waiting: "plain",
  nothing: "faint",
};

function sessionLines(story: SessionStory, page: Page): Line[] {
  const { session, agent, project, ignored, messages, more, unseenBytes } = story;
  const where = project === null ? "no project" : project;
  return [
    ...wrap(`${session} (${agent}, ${where})`, { ...page, tone: "strong" }),
    ...(ignored ? wrap("you took this session back; it teaches nothing", { ...page, tone: "warn" }) : []),
    ...(unseenBytes > 0 ? wrap(`the first ${bytesText(unseenBytes)} were not looked at`, page) : []),
    ...(more > 0 ? wrap(`${counted(more, "older message")} not shown`, page) : []),
    ...(messages.length === 0 ? wrap("no typed message in it", page) : []),
    ...messages.flatMap((message) => messageLines(message, page)),
  ];
}

function messageLines({ at, text, outcome, reason, until, memories }: MessageStory, page: Page): Line[] {
  const when = at === null ? "" : `${clockTime(at, page.now)} `;
  const shown = text === "" ? "(not shown)" : text;
  const end =
    until === null ? "" : `, until ${clockTime(until, page.now)} (${relativeTime(until, page.now)})`;
  const files = memories.map(({ file, gone }) => `${file}${gone ? " (gone)" : ""}`);
  const named = files.length === 0 ? "" : `: ${[...new Set(files)].join(", ")}`;
  // What came of it is often all there is to know of why.
  const code = reason === null || reason.code === outcome ? "" : ` (${reason.code})`;
  const why = reason === null ? "" : `${code}: ${reason.message}`;
  return [
    EMPTY_LINE,
    ...wrap(`${when}${shown}`, page),
    ...wrap(`${outcome}${why}${end}${named}`, {
      ...page,
      tone: TONES[outcome] ?? "plain",
      firstIndent: 2,
      indent: 4,
    }),
  ];
}

function memoryStoryLines(story: MemoryStory, page: Page): Line[] {
  const { file, project, message, evidence, changes, more } = story;
  const nested = { ...page, firstIndent: 2, indent: 4 };
  return [
    ...wrap(`${file} (${project})`, { ...page, tone: "strong" }),
    ...wrap(message, page),
    ...evidence.flatMap((item) => evidenceLines(item, page)),
    ...(changes.length === 0 ? [] : [EMPTY_LINE]),
    ...changes.flatMap(({ at, op, by, kind, run }) =>
      wrap(`${clockTime(at, page.now)} ${op} by ${by} (${kind}, run ${run})`, { ...nested, tone: "faint" }),
    ),
    ...(more > 0 ? wrap(`and ${more} older ones`, nested) : []),
  ];
}

/** The id of an entry of a daily log names its day. */
const LOG_ENTRY = /^log-(\d{4})(\d{2})(\d{2})-/u;

function evidenceLines({ record, session, by, at, quote, missing }: WhyEvidence, page: Page): Line[] {
  const when = at === null ? "" : `${clockTime(at, page.now)}, `;
  const who = by === "user" ? "you" : `the ${by}`;
  const day = LOG_ENTRY.exec(record)?.slice(1).join("-");
  const where = day === undefined ? `session ${session}` : `in the daily log of ${day}`;
  return [
    EMPTY_LINE,
    ...wrap(quote === null ? `(${missing ?? "no words"})` : `"${quote}"`, page),
    ...wrap(`${who}, ${when}${where}`, { ...page, tone: "faint", firstIndent: 2 }),
  ];
}
