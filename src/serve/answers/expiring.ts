// Sessions their agent deletes before anybody has read them. Counts only.
import type { Warning } from "../../domain/status.ts";
import { unreadBytes } from "../../intake/transcripts/cursors.ts";
import type { CatalogEntry } from "../../intake/watch/catalog.ts";
import type { Retention } from "../../intake/watch/retention.ts";
import { EXPIRES_NOW_MS, EXPIRES_SOON_MS, isUnheard } from "../../intake/watch/retention.ts";

export interface ExpiringDeps {
  readonly retention: Retention;
}

export interface Expiring {
  /** Paths of sources that go within 7 days. */
  readonly soon: ReadonlySet<string>;
  /** Sessions that wait to be read and go within 24 hours; what a person does not want read is none. */
  readonly now: number;
}

export function expiringOf(entries: Iterable<CatalogEntry>, retention: Retention): Expiring {
  const soon = new Set<string>();
  const now = new Set<string>();
  for (const entry of entries) {
    const { state } = entry;
    if (!isUnheard(state) || isNobodys(entry)) continue;
    const leftMs = retention.leftMs(entry);
    if (leftMs <= EXPIRES_SOON_MS) soon.add(state.path);
    if (leftMs <= EXPIRES_NOW_MS && unreadBytes(state) > 0) now.add(state.sessionId);
  }
  return { soon, now: now.size };
}

/** Our own folders and ignored ones: nobody will ever read them. */
function isNobodys({ state, project }: CatalogEntry): boolean {
  return state.cwd !== undefined && project === undefined;
}

export function expiryWarnings({ now }: Expiring): Warning[] {
  if (now === 0) return [];
  const message = `${now} unread ${now === 1 ? "session" : "sessions"} will be deleted by the agent within 24 hours`;
  return [{ code: "sessions-expiring", message, fix: "engramd sync" }];
}

/** Distinct sessions among sources that expire soon; one may live in more than one file. */
export function expiringSessions(entries: Iterable<CatalogEntry>, { soon }: Expiring): number {
  const sessions = new Set<string>();
  for (const { state } of entries) if (soon.has(state.path)) sessions.add(state.sessionId);
  return sessions.size;
}
