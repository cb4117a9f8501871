// `why NAME`: which words taught a memory, and what was done to it by whom. Writes nothing.
import type { ChangedBy, MemoryStory, WhyEvidence } from "../../domain/account.ts";
import type { Memory } from "../../domain/memories.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import { entriesCalled, isLogEntryId } from "../../memory/files/log-lookup.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import { type RecordedQuote, UNDO_KIND, type WrittenOp } from "../../memory/journal/entries.ts";
import type { EvidenceLine } from "../../memory/journal/evidence.ts";
import { changesByFile, type FileChange, isByHand, type Trail } from "../../memory/journal/trail.ts";
import { cutPrivate } from "../../memory/secrets/private-words.ts";
import { renderText } from "../../memory/secrets/render.ts";
import type { Files } from "../../system/files.ts";
import { findWords, quoteIn, type SaidWords, type SaidWordsDeps } from "./said-words.ts";
import { shortText } from "./why-session.ts";

export interface WhyMemoryDeps extends SaidWordsDeps {
  readonly writer: Pick<MemoryWriter, "ownBullets" | "trail">;
  readonly files: Files;
  readonly places: Places;
}

export interface MemoryAsk {
  readonly project: ProjectRef;
  readonly file: string;
  /** Undefined: it is not there any more. */
  readonly memory: Memory | undefined;
  readonly trail: Trail;
}

/** Lines of evidence, and of changes, that are shown: the newest. */
const SHOWN_MAX = 40;
/** Session id of what `engramd remember` was told. */
const REMEMBERED = "engramd-remember";

export async function storyOfMemory(ask: MemoryAsk, deps: WhyMemoryDeps): Promise<MemoryStory> {
  const { project, file, memory, trail } = ask;
  const changes = sinceCreation(changesByFile(trail.entries()).get(file) ?? [], memory);
  const quotes = quotesOf(trail.evidence, file);
  const shown = quotes.slice(-SHOWN_MAX);
  const words = await findWords(
    shown.map(({ quote }) => quote).filter(({ id, session }) => session !== REMEMBERED && !isLogEntryId(id)),
    deps,
  );
  const noted = wordsInLogs(shown, ask, deps);
  const made = madeBy(changes, quotes);
  return {
    v: 1,
    about: "memory",
    name: memory?.name ?? file.replace(/\.md$/u, ""),
    file,
    project: memory?.origin ?? project.root,
    type: memory?.type ?? null,
    gone: memory === undefined,
    made,
    message: messageOf({ made, ask, changes, quotes }),
    evidence: shown.map((said) => evidenceOf(said, { ...words, noted })),
    changes: changes.slice(-SHOWN_MAX).map(({ at, run, kind, trigger, producer, op }) => {
      const what = op.withdrawn === undefined || kind === UNDO_KIND ? op.op : "evidence withdrawn";
      return { at, run, kind, op: what, by: changedBy(producer), trigger };
    }),
    more: Math.max(0, quotes.length - SHOWN_MAX) + Math.max(0, changes.length - SHOWN_MAX),
  };
}

/** The file that is there now; one that is gone has its last life. */
function sinceCreation(changes: readonly FileChange[], memory: Memory | undefined): readonly FileChange[] {
  // What an undo brings back has the life it had.
  const made = changes.findLastIndex(({ op, kind }) => op.op === "created" && kind !== UNDO_KIND);
  const isReplaced = memory !== undefined && changes.at(-1)?.op.after === null;
  if (isReplaced) return [];
  return made === -1 ? changes : changes.slice(made);
}

interface Said {
  readonly quote: RecordedQuote;
  readonly op: WrittenOp;
  readonly run: string;
}

/** What a file was taught by since it was made; also what was taken back with it. */
function quotesOf(lines: readonly EvidenceLine[], file: string): Said[] {
  let said: Said[] = [];
  for (const { file: of, op, run, records, withdrawn = [] } of lines) {
    if (of !== file || op === "deleted") continue;
    if (op === "created") said = [];
    said = said.filter(({ quote }) => !withdrawn.includes(quote.id));
    const read = records.filter(({ by }) => by !== "memory" && by !== "instruction");
    said.push(...read.map((quote) => ({ quote, op, run })));
  }
  return said;
}

/** By record id; without what is private, and masked. */
function wordsInLogs(
  shown: readonly Said[],
  { project }: MemoryAsk,
  { writer, files, places, clock }: WhyMemoryDeps,
): ReadonlyMap<string, string> {
  const { memoryDir } = places.placeOf(project);
  const own = () => writer.ownBullets(memoryDir);
  const ids = shown.map(({ quote }) => quote.id);
  const found = entriesCalled(ids, { files, memoryDir, timeZone: clock.timeZone(), own });
  return new Map([...found].map(([id, { text }]) => [id, renderText(cutPrivate(text, " "))]));
}

interface Words extends SaidWords {
  readonly noted: ReadonlyMap<string, string>;
}

function evidenceOf({ quote, op, run }: Said, { textOf, goneSessions, noted }: Words): WhyEvidence {
  const { id: record, session, by, said } = quote;
  const text = isLogEntryId(record) ? noted.get(record) : textOf(quote);
  const missing = whyMissing(quote, goneSessions);
  return {
    record,
    session,
    by,
    at: said === null ? null : new Date(said).toISOString(),
    quote: text === undefined ? null : shortText(quoteIn(text, quote)),
    missing: text === undefined ? missing : null,
    op,
    run,
  };
}

function whyMissing({ id, session }: RecordedQuote, goneSessions: ReadonlySet<string>): string {
  if (session === REMEMBERED) return "you told engramd with engramd remember";
  if (isLogEntryId(id)) return "that line of the daily log is gone";
  return goneSessions.has(session) ? "its transcript is gone" : "not found in its transcript";
}

function madeBy(changes: readonly FileChange[], quotes: readonly Said[]): MemoryStory["made"] {
  const made = changes.find(({ op, kind }) => op.op === "created" && kind !== UNDO_KIND);
  // A file renamed by hand brought along what it was made from.
  const isRenamed = quotes.some(({ op }) => op === "created");
  if (made?.producer === "hand") return isRenamed ? "from-sessions" : "by-hand";
  if (made?.kind === "remember") return "on-request";
  if (made !== undefined) return "from-sessions";
  return quotes.length > 0 ? "from-sessions" : "by-hand";
}

interface Sentence {
  readonly made: MemoryStory["made"];
  readonly ask: MemoryAsk;
  readonly changes: readonly FileChange[];
  readonly quotes: readonly Said[];
}

function messageOf({ made, ask, changes, quotes }: Sentence): string {
  const { memory, trail } = ask;
  const origin = {
    "from-sessions": `learned from ${sourcesOf(quotes)}`,
    "on-request": "saved because you asked for it with engramd remember",
    "by-hand": "written by hand, by you or by the agent; engramd did not make it",
  }[made];
  if (memory === undefined) return `${origin}; not there any more`;
  const isEdited = made !== "by-hand" && isByHand(memory, { changes, image: trail.image });
  return isEdited ? `${origin}, and edited by hand since` : origin;
}

function sourcesOf(quotes: readonly Said[]): string {
  const typed = quotes.filter(({ quote }) => !isLogEntryId(quote.id));
  const sessions = new Set(typed.map(({ quote }) => quote.session)).size;
  const inLog = typed.length < quotes.length ? ["the daily log"] : [];
  const inSessions = `what you typed in ${sessions} ${sessions === 1 ? "session" : "sessions"}`;
  return [...(sessions === 0 && inLog.length > 0 ? [] : [inSessions]), ...inLog].join(" and ");
}

const BY: Readonly<Record<string, ChangedBy>> = {
  offline: "rules",
  model: "model",
  person: "person",
  hand: "hand",
};

export function changedBy(producer: string): ChangedBy {
  return (Object.hasOwn(BY, producer) ? BY[producer] : undefined) ?? "engramd";
}
