// Whether a model has enough to read: a request costs the same for ten words as for a thousand, so a session that grew
// by little waits for more, within bounds; and whether its model may be asked at all. Rules read at once. Reads
// transcripts, changes nothing.
import { systemCode } from "../../../domain/errors.ts";
import type { Instant, TranscriptRecord } from "../../../domain/records.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import { readTurns } from "../../../intake/transcripts/turns.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import { newTokens } from "./blocks.ts";
import { ASKED_FOR } from "../../models/breaker.ts";
import type { ExtractDeps, ExtractRequest } from "./contract.ts";
import type { AgentId } from "../../../domain/sessions.ts";
import type { Held } from "../../models/provider-gate.ts";
import { isIgnored } from "./pass.ts";
import { isReadByRules } from "./progress.ts";

export interface Ready {
  readonly entries: readonly CatalogEntry[];
  /** When the sessions left out are due at the latest; undefined when none was. */
  readonly restDueAt: Instant | undefined;
  /** Why they were left out. */
  readonly why: "too-little-new" | "resting";
}

/** Only a job that quiet alone has started waits; whoever asks, or a wait at its end, is served. */
export async function readyEntries(
  entries: readonly CatalogEntry[],
  request: ExtractRequest,
  deps: ExtractDeps,
): Promise<Ready> {
  const everything: Ready = { entries, restDueAt: undefined, why: "too-little-new" };
  const restsUntil = restOf(entries, request, deps);
  if (restsUntil !== undefined) {
    const byRules = entries.filter(({ source }) => deps.readerFor(source.agent) === undefined);
    return { entries: byRules, restDueAt: restsUntil, why: "resting" };
  }
  if (request.trigger !== "quiet") return everything;
  const now = deps.clock.now();
  let found = 0;
  let wanted = 0;
  let firstDueAt = Number.POSITIVE_INFINITY;
  const thin = new Set<CatalogEntry>();
  for (const entry of entries) {
    const reader = deps.readerFor(entry.source.agent);
    if (reader === undefined || isIgnored(entry, deps)) continue;
    wanted = Math.max(wanted, reader.newTokensMin);
    thin.add(entry);
    if (isUrgent(entry)) return everything;
    const { tokens, oldestAt } = await measure(entry, { request, deps, enough: wanted - found });
    found += tokens;
    firstDueAt = Math.min(firstDueAt, (oldestAt ?? 0) + reader.maxWaitMs);
    if (found >= wanted || firstDueAt <= now) return everything;
  }
  return thin.size === 0
    ? everything
    : { ...everything, entries: entries.filter((entry) => !thin.has(entry)), restDueAt: firstDueAt };
}

/** Who asks for it, or types "remember", wakes a model that rests. */
function restOf(
  entries: readonly CatalogEntry[],
  { trigger, memoryDir }: ExtractRequest,
  deps: ExtractDeps,
): Instant | undefined {
  const until = trigger === ASKED_FOR ? undefined : deps.restsUntil(memoryDir);
  if (until === undefined) return undefined;
  const read = entries.filter(({ source }) => deps.readerFor(source.agent) !== undefined);
  return read.length === 0 || read.some((entry) => asksToRemember(entry)) ? undefined : until;
}

function asksToRemember({ format, source, state }: CatalogEntry): boolean {
  return format.peek(source, positionOf(state)?.offset ?? 0)?.urgent === true;
}

/** An ended session gets no more text, and who says "remember" waits for nothing. */
function isUrgent({ format, source, state }: CatalogEntry): boolean {
  const peek = format.peek(source, positionOf(state)?.offset ?? 0);
  return peek?.urgent === true || peek?.sessionEnded === true;
}

interface Measure {
  readonly request: ExtractRequest;
  readonly deps: ExtractDeps;
  /** Tokens after which nobody needs to know more. */
  readonly enough: number;
}

async function measure(
  { format, source, state }: CatalogEntry,
  { request: { signal }, deps, enough }: Measure,
): Promise<{ readonly tokens: number; readonly oldestAt: Instant | undefined }> {
  const { yield: pause } = deps.clock;
  const turns = readTurns({ format, source, from: positionOf(state), signal, pause });
  let tokens = 0;
  let oldestAt: Instant | undefined;
  try {
    for await (const { records } of turns) {
      tokens += newTokens(records);
      oldestAt ??= firstTypedAt(records);
      if (tokens >= enough) break;
    }
  } catch (error) {
    // The job itself finds it gone and says so.
    if (systemCode(error) !== "source-gone") throw error;
  }
  return { tokens, oldestAt };
}

function firstTypedAt(records: readonly TranscriptRecord[]): Instant | undefined {
  return records.find((record) => record.kind === "user-text")?.at;
}

/** Words of a program that a model would read unasked: programs have a share of the ceilings, and tire only themselves. */
export function isShared(
  { source, state, project }: CatalogEntry,
  { request, deps }: { readonly request: ExtractRequest; readonly deps: ExtractDeps },
): boolean {
  if (!state.scripted || request.trigger === ASKED_FOR || project === undefined) return false;
  const isRead = deps.settings(project).headless && !isReadByRules(state);
  return isRead && deps.readerFor(source.agent) !== undefined;
}

/** Sessions whose reader may be asked now, and what the others wait for. */
export function withoutHeld(
  entries: readonly CatalogEntry[],
  deps: ExtractDeps,
): { readonly open: readonly CatalogEntry[]; readonly held: Held | undefined } {
  const holds = new Map<AgentId, Held | undefined>();
  const heldOf = ({ source: { agent }, state }: CatalogEntry) => {
    if (!holds.has(agent)) holds.set(agent, deps.readerFor(agent)?.held());
    return isReadByRules(state) ? undefined : holds.get(agent);
  };
  const open = entries.filter((entry) => heldOf(entry) === undefined);
  const held = [...holds.values()].find((each) => each !== undefined);
  return { open, held: open.length === entries.length ? undefined : held };
}
