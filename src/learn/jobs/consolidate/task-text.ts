// The task of one dream: the memories, the rules beside them, and how much was said since. All of it bounded, masked and
// in lines nobody can forge. Pure.
import { localDate, offsetText } from "../../../domain/calendar.ts";
import { DREAM_LIMITS, MEMORY_LIMITS } from "../../../domain/limits.ts";
import type { Memory } from "../../../domain/memories.ts";
import { displayText } from "../../../domain/printable.ts";
import type { Instant } from "../../../domain/records.ts";
import { estimateTokens } from "../../../domain/tokens.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import { cutPrivate } from "../../../memory/secrets/private-words.ts";
import { renderText } from "../../../memory/secrets/render.ts";
import { shownMemory } from "../../runs/rendering.ts";
import { localTimeIn } from "../local-time.ts";
import { CODE_CHARS, codeFor, hostLine } from "../marks.ts";
import { saidAtOf } from "./said.ts";

export interface TaskFacts {
  readonly now: Instant;
  readonly facts: ProposalFacts;
  /** Those the model may see, in the order of their names. */
  readonly memories: readonly Memory[];
  /** Sessions the search may look into. */
  readonly sessions: number;
  readonly turnsMax: number;
}

export interface Task {
  readonly text: string;
  /** Files whose whole text stands in it. */
  readonly shown: readonly string[];
}

interface Part {
  readonly header: string;
  readonly text: string;
}

/** One description of a file that is only listed. */
const DESCRIPTION_CHARS = 160;
const ANY_CODE = "0".repeat(CODE_CHARS);

export function taskOf({ now, facts, memories, sessions, turnsMax }: TaskFacts): Task {
  const time = localTimeIn(facts.timeZone);
  const { parts, shown, rest } = partsOf(memories, facts);
  const rules = rulesOf(facts);
  const all = [...parts, ...rules];
  const code = codeFor([...all.map(({ text }) => text), ...rest].join("\n"));
  const lines = all.flatMap(({ header, text }) => [hostLine(code, header), text]);
  const listed = rest.length === 0 ? [] : [hostLine(code, "more files, not shown; read them first"), ...rest];
  const said =
    sessions === 0
      ? "No session to search since the last dream."
      : `${sessions} sessions since the last dream can be searched.`;
  const text = [
    `Today is ${time.day(now)}, ${offsetText(now, facts.timeZone)}. ${memories.length} memories. ${said} At most ${turnsMax} answers.`,
    "",
    ...lines,
    ...listed,
    hostLine(code, "end of the task"),
  ].join("\n");
  return { text, shown };
}

interface Parts {
  readonly parts: readonly Part[];
  readonly shown: readonly string[];
  /** One line for each file there was no room for. */
  readonly rest: readonly string[];
}

function partsOf(memories: readonly Memory[], facts: ProposalFacts): Parts {
  const parts: Part[] = [];
  const shown: string[] = [];
  const rest: string[] = [];
  let room: number = DREAM_LIMITS.shownTokensMax;
  for (const memory of memories) {
    const { text, whole } = shownMemory(memory);
    const header = headerOf(memory, facts);
    const tokens = estimateTokens(`${hostLine(ANY_CODE, header)}\n${text}\n`);
    if (whole && tokens <= room) {
      room -= tokens;
      parts.push({ header, text });
      shown.push(memory.file);
    } else if (rest.length < MEMORY_LIMITS.scannedFilesMax) {
      rest.push(`- ${header}: ${oneLine(memory.description ?? "").slice(0, DESCRIPTION_CHARS)}`);
    }
  }
  return { parts, shown, rest };
}

function headerOf(memory: Memory, facts: ProposalFacts): string {
  const said = saidAtOf(memory, facts);
  const when = said === undefined ? "nobody knows when" : localDate(said, facts.timeZone);
  return `${oneLine(memory.file)}, ${memory.type ?? "no type"}, said ${when}`;
}

/** Of the files the agent reads by itself. */
function rulesOf(facts: ProposalFacts): readonly Part[] {
  const time = localTimeIn(facts.timeZone);
  let room: number = DREAM_LIMITS.rulesTokensMax;
  return (facts.instructions?.() ?? [])
    .filter(({ isLoaded, rules }) => isLoaded && rules.length > 0)
    .map(({ name, changedAt, rules }) => {
      const lines = rules.map(oneLine).filter((line) => (room -= estimateTokens(`${line}\n`)) > 0);
      const when = changedAt === undefined ? "" : `, changed ${time.day(changedAt)}`;
      return { header: `rules of ${name}${when}`, text: lines.join("\n") };
    });
}

function oneLine(text: string): string {
  return renderText(displayText(cutPrivate(text)));
}
