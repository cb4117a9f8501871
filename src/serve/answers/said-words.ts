// The words a memory rests on, as the transcripts have them now: found by record id, and by hash the very sentence.
// Bounded; writes nothing.
import { systemCode } from "../../domain/errors.ts";
import type { TranscriptRecord } from "../../domain/records.ts";
import { readTurns } from "../../intake/transcripts/turns.ts";
import type { Catalog, CatalogEntry } from "../../intake/watch/catalog.ts";
import { releaseRecords } from "../../learn/offline/privacy.ts";
import { statementsOf } from "../../learn/offline/statements.ts";
import { normalise } from "../../memory/gate/words.ts";
import type { RecordedQuote } from "../../memory/journal/entries.ts";
import { renderRecord } from "../../memory/secrets/render.ts";
import type { Clock } from "../../system/clock.ts";
import { shortHash } from "../../system/ids.ts";

export interface SaidWords {
  /** The rendered text of a record; undefined where it was not found. */
  textOf(quote: RecordedQuote): string | undefined;
  /** Sessions whose transcript is gone. */
  readonly goneSessions: ReadonlySet<string>;
}

export interface SaidWordsDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
}

/** Transcripts read for one answer, and bytes of them: a second's work. */
const SESSIONS_MAX = 8;
const BYTES_MAX = 64 * 1024 * 1024;

/** Looks in the sessions of the newest quotes first. */
export async function findWords(quotes: readonly RecordedQuote[], deps: SaidWordsDeps): Promise<SaidWords> {
  const texts = new Map<string, string>();
  const goneSessions = new Set<string>();
  const sessions = [...new Set(quotes.map(({ session }) => session).toReversed())].slice(0, SESSIONS_MAX);
  let room = BYTES_MAX;
  for (const session of sessions) {
    const wanted = new Set(quotes.filter((quote) => quote.session === session).map(({ id }) => id));
    const sources = [...deps.catalog.states()].filter(({ sessionId }) => sessionId === session);
    let isGone = true;
    for (const { path, bytes } of sources) {
      const entry = deps.catalog.get(path);
      if (entry === undefined) continue;
      if (bytes > room) isGone = false;
      else if (await readInto(texts, { entry, wanted, deps })) {
        isGone = false;
        room -= bytes;
      }
    }
    if (isGone) goneSessions.add(session);
  }
  return { textOf: ({ id }) => texts.get(id), goneSessions };
}

interface ReadAsk {
  readonly entry: CatalogEntry;
  readonly wanted: Set<string>;
  readonly deps: SaidWordsDeps;
}

/** False when the file is gone. */
async function readInto(texts: Map<string, string>, { entry, wanted, deps }: ReadAsk): Promise<boolean> {
  const { format, source } = entry;
  const { signal } = new AbortController();
  const { yield: pause } = deps.clock;
  try {
    for await (const { records } of readTurns({ format, source, from: undefined, signal, pause })) {
      for (const record of records) if (wanted.delete(record.recordId)) keep(texts, record);
      if (wanted.size === 0) break;
    }
    return true;
  } catch (error) {
    if (systemCode(error) !== "source-gone") throw error;
    return false;
  }
}

/** What the person marked as private stays so. */
function keep(texts: Map<string, string>, record: TranscriptRecord): void {
  const [open] = releaseRecords([record]).records;
  if (open !== undefined) texts.set(record.recordId, renderRecord(open));
}

/** The quoted sentence of a text; the whole text where its words are not found any more. */
export function quoteIn(text: string, { quote }: Pick<RecordedQuote, "quote">): string {
  const isQuote = (words: string) => shortHash(normalise(words)) === quote;
  if (isQuote(text)) return text;
  return statementsOf(text).find((statement) => isQuote(statement.text))?.text ?? text;
}
