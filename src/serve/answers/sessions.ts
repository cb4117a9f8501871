// Which session a person means, by its id, a beginning of it, or its transcript. Reads no transcript beyond a peek.
import { AppError } from "../../domain/errors.ts";
import type { Catalog, CatalogEntry } from "../../intake/watch/catalog.ts";

/** A session and the files that hold it. */
export interface FoundSession {
  readonly session: string;
  readonly entries: readonly CatalogEntry[];
}

/** Sessions named when a beginning fits more than one. */
const NAMED_MAX = 10;

/** Undefined: none is known. Throws `ambiguous-session` for a beginning of several. */
export function sessionCalled(what: string, catalog: Catalog): FoundSession | undefined {
  if (what.startsWith("/")) return sessionAt(what, catalog);
  const found = new Map<string, CatalogEntry[]>();
  for (const entry of catalog.entries()) {
    const { sessionId } = entry.state;
    if (!sessionId.startsWith(what) && entry.source.sessionId !== what) continue;
    const entries = found.get(sessionId);
    if (entries === undefined) found.set(sessionId, [entry]);
    else entries.push(entry);
  }
  const exact = found.get(what);
  if (exact !== undefined) return { session: what, entries: exact };
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  if (others.length > 0) throw ambiguous(what, [...found.keys()]);
  return { session: first[0], entries: first[1] };
}

function sessionAt(path: string, catalog: Catalog): FoundSession | undefined {
  const known = catalog.get(path);
  // Nobody has met it yet: noted as the next round would.
  if (known === undefined) catalog.lookAt(path);
  const entry = known ?? catalog.get(path);
  return entry === undefined ? undefined : { session: entry.state.sessionId, entries: [entry] };
}

function ambiguous(what: string, sessions: readonly string[]): AppError {
  const more = sessions.length > NAMED_MAX ? ` and ${sessions.length - NAMED_MAX} more` : "";
  return new AppError({
    code: "ambiguous-session",
    message: `${JSON.stringify(what)} begins ${sessions.length} sessions`,
    fix: `name one of ${sessions.slice(0, NAMED_MAX).join(", ")}${more}`,
  });
}

export function unknownSession(what: string): AppError {
  return new AppError({
    code: "unknown-session",
    message: `engramd knows no session ${JSON.stringify(what)}`,
    fix: "give its full id or the path of its transcript",
  });
}
