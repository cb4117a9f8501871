// What the sessions of a memory folder tell its gates: how many there were, whether anybody is at work. Asks the catalog;
// of a transcript itself it looks at no more than the end of a few.
import { systemCode } from "../../../domain/errors.ts";
import { isOwnSession } from "../../../domain/own-sessions.ts";
import type { Instant } from "../../../domain/records.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";

/** An open turn whose transcript has not moved for so long is that of an agent that was ended in it. */
const OPEN_TURN_MS_MAX = 3_600_000;
/** Sessions looked at for an open turn, newest first; nobody runs more agents in one project. */
const LOOKED_AT_MAX = 16;
/** The last records of a turn; a single longer one leaves the turn unknown, which is not open. */
const TAIL_BYTES = 65_536;

/**
 * Different sessions with words a person typed that moved since then. When the words were said is not kept, so the time of
 * the file stands for it, as in the reference; sessions of scripts and of our own have no typed words.
 */
export function countSessions(entries: Iterable<CatalogEntry>, since: Instant): number {
  const sessions = new Set<string>();
  for (const { source, state } of entries) {
    if (source.role === "subagent" || isOwnSession(state.sessionId)) continue;
    if (state.typed > 0 && state.mtimeMs > since) sessions.add(`${state.agent} ${state.sessionId}`);
  }
  return sessions.size;
}

/** When a transcript grew last, whoever wrote it. */
export function lastActivityAt(entries: Iterable<CatalogEntry>): Instant | undefined {
  let newest: Instant | undefined;
  for (const { state } of entries) newest = Math.max(newest ?? state.mtimeMs, state.mtimeMs);
  return newest;
}

/** Whether an agent is at work in one of them, as far as the ends of the newest transcripts tell. */
export function hasOpenTurn(entries: Iterable<CatalogEntry>, now: Instant): boolean {
  return [...entries]
    .filter(({ state }) => state.mtimeMs > now - OPEN_TURN_MS_MAX)
    .toSorted((a, b) => b.state.mtimeMs - a.state.mtimeMs)
    .slice(0, LOOKED_AT_MAX)
    .some(isOpen);
}

function isOpen({ format, source, state }: CatalogEntry): boolean {
  try {
    return format.peek(source, Math.max(0, state.bytes - TAIL_BYTES))?.turn === "open";
  } catch (error) {
    // One that may not be read, or killed who read it before, cannot tell.
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
