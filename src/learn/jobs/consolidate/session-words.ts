// What was said in the sessions of a project since its last dream, read once, when a dream first asks. Typed words and
// the assistant's text only; never of scripts, sub-agents, our own runs, ignored or off-the-record sessions.
import type { Evidence } from "../../../domain/changes.ts";
import { systemCode } from "../../../domain/errors.ts";
import { DREAM_LIMITS } from "../../../domain/limits.ts";
import type { Memory } from "../../../domain/memories.ts";
import { isOwnSession } from "../../../domain/own-sessions.ts";
import type { AssistantText, Injected, Instant, UserText } from "../../../domain/records.ts";
import type { ProjectRef, SessionRef } from "../../../domain/sessions.ts";
import { readTurns } from "../../../intake/transcripts/turns.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import { createBreather } from "../../../system/breather.ts";
import { hasUrgentCue } from "../../offline/extract.ts";
import { holdsWords, releaseRecords } from "../../offline/privacy.ts";
import { trustedAt } from "../local-time.ts";
import type { DreamDeps } from "./contract.ts";

/** One message, as it was said. */
export interface Words {
  readonly recordId: string;
  readonly session: SessionRef;
  readonly by: Extract<Evidence["by"], "user" | "assistant">;
  readonly at: Instant | undefined;
  readonly text: string;
  /** It asks to remember something. */
  readonly insists: boolean;
}

export interface WordsAsk {
  readonly projects: readonly ProjectRef[];
  /** Only what was said then or later. */
  readonly since: Instant;
  readonly signal: AbortSignal;
}

export type WordsDeps = Pick<DreamDeps, "catalog" | "clock" | "isIgnored" | "mayRead">;

/** Sessions that may hold something new, newest first; nothing is opened. */
export function sessionsSince({ projects, since }: WordsAsk, deps: WordsDeps): readonly CatalogEntry[] {
  return projects
    .flatMap((project) => deps.catalog.entriesOf(project.id))
    .filter(({ source, state }) => source.role === "session" && state.mtimeMs >= since && !state.offRecord)
    .filter(({ state }) => !isOwnSession(state.sessionId))
    .filter(({ source, state }) => !deps.isIgnored([state.sessionId, source.sessionId]))
    .filter(({ source }) => deps.mayRead(source.agent))
    .toSorted((a, b) => b.state.mtimeMs - a.state.mtimeMs);
}

/** Of each session in the order it was said, the newest session first; each message once. */
export async function readWords(ask: WordsAsk, deps: WordsDeps): Promise<readonly Words[]> {
  const all: Words[] = [];
  const known = new Set<string>();
  let bytes = 0;
  let chars = 0;
  for (const entry of sessionsSince(ask, deps)) {
    bytes += entry.state.bytes;
    if (bytes > DREAM_LIMITS.searchBytesMax) break;
    const words = await wordsOf(entry, ask, deps);
    chars += words.reduce((sum, { text }) => sum + text.length, 0);
    if (chars > DREAM_LIMITS.wordsCharsMax) break;
    for (const one of words) {
      // A forked session holds its parent's messages too.
      if (known.has(one.recordId)) continue;
      known.add(one.recordId);
      all.push(one);
    }
  }
  return all;
}

/** Records a memory rests on in which the person asked to remember it, as far as its session is still there. */
export async function readInsisted(
  { originSessionId, evidence }: Pick<Memory, "originSessionId" | "evidence">,
  ask: WordsAsk,
  deps: WordsDeps,
): Promise<readonly string[]> {
  const entry = sessionsSince(ask, deps).find(({ state }) => state.sessionId === originSessionId);
  const words = entry === undefined ? [] : await wordsOf(entry, ask, deps);
  return words.flatMap(({ recordId, insists }) => (insists && evidence.includes(recordId) ? [recordId] : []));
}

type Spoken = UserText | AssistantText | Injected;

/** Nothing of a session that is too long: what the person wished at its end would not be known. */
async function wordsOf(
  entry: CatalogEntry,
  { since, signal }: WordsAsk,
  deps: WordsDeps,
): Promise<readonly Words[]> {
  const { format, source, state } = entry;
  const spoken: Spoken[] = [];
  let chars = 0;
  try {
    const pause = createBreather(deps.clock);
    for await (const { records } of readTurns({ format, source, from: undefined, signal, pause })) {
      for (const record of records) {
        if (record.kind !== "user-text" && record.kind !== "assistant-text" && record.kind !== "injected")
          continue;
        if (record.origin !== "user") continue;
        spoken.push(record);
        chars += record.kind === "injected" ? 0 : record.text.length;
      }
      if (chars > DREAM_LIMITS.sessionCharsMax) return [];
    }
  } catch (error) {
    if (systemCode(error) !== "source-gone") throw error;
    return [];
  }
  const { records, silenced } = releaseRecords(spoken);
  if (silenced) return [];
  const session = { agent: source.agent, id: state.sessionId, projectId: entry.project?.id };
  const now = deps.clock.now();
  return records.flatMap((record): Words[] => {
    if (record.kind !== "user-text" && record.kind !== "assistant-text") return [];
    if (record.at === undefined || record.at < since) return [];
    if (record.kind === "user-text" && !holdsWords(record)) return [];
    const by = record.kind === "user-text" ? "user" : "assistant";
    const insists = by === "user" && hasUrgentCue(record.text);
    const { recordId, text } = record;
    return [{ recordId, session, by, at: trustedAt(record.at, now), text, insists }];
  });
}
