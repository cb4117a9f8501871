// A candidate that the person types again in another session is saved: once may be chance, twice is meant. Only typed
// words count, and a session that goes on from the first one is not another one. Saves nothing itself.
import type { Candidate, Evidence } from "../../../domain/changes.ts";
import type { Memory, MemoryDraft } from "../../../domain/memories.ts";
import { systemCode } from "../../../domain/errors.ts";
import { readTurns } from "../../../intake/transcripts/turns.ts";
import { createComparer, evidenceIn, type InboxItem, statementsIn } from "../../../memory/inbox/items.ts";
import type { Asking } from "./pass.ts";
import { type Finding, isSame } from "../plan.ts";
import { restates } from "../replace.ts";

export interface Sightings {
  /** With the words of every session. */
  readonly again: readonly Finding[];
  readonly others: readonly Candidate[];
}

export async function secondSightings(candidates: readonly Candidate[], asking: Asking): Promise<Sightings> {
  const again: Finding[] = [];
  const others: Candidate[] = [];
  if (candidates.length === 0) return { again, others };
  const { sameStatement } = createComparer();
  const ours = memoriesOf(asking);
  const waiting = asking.deps.pendingOf(asking.pass.project).filter(({ kind }) => kind === "candidate");
  for (const candidate of candidates) {
    const { memory } = candidate;
    // A memory says it: that counts as the first time, and is confirmed.
    if (isTyped(candidate.evidence) && ours.some((known) => isSame(memory, known))) {
      again.push(candidate);
      continue;
    }
    const says = (other: MemoryDraft) => sameStatement(memory, other) || restates(memory, other);
    const same = waiting.filter((item) => statementsIn(item).some(says));
    const earlier = await earlierWords(candidate, same, asking);
    if (earlier.length === 0) others.push(candidate);
    else again.push({ memory, evidence: [...candidate.evidence, ...earlier] });
  }
  return { again, others };
}

/** Where projects share a folder, the memories of another one are not ours. */
function memoriesOf({ pass, request, deps }: Asking): readonly Memory[] {
  const { memories } = deps.viewOf(request.memoryDir);
  return request.projects.length > 1
    ? memories.filter(({ origin }) => origin === pass.project.root)
    : memories;
}

/** What the person typed of it in sessions this one does not go on from; empty when it was never said there. */
async function earlierWords(
  { evidence }: Candidate,
  same: readonly InboxItem[],
  asking: Asking,
): Promise<readonly Evidence[]> {
  if (!isTyped(evidence)) return [];
  const said = same.map(evidenceIn).filter(isTyped).flat();
  const elsewhere = said.filter((item) =>
    evidence.every((own) => own.session.id !== item.session.id && !isCopy(own, item)),
  );
  if (elsewhere.length === 0) return [];
  const copied = await recordsHeldHere(elsewhere, asking);
  const continued = new Set(elsewhere.filter(({ recordId }) => copied.has(recordId)).map(sessionOf));
  return elsewhere.filter((item) => !continued.has(sessionOf(item)));
}

/** A yes to what an assistant proposed is not the person's own wording. */
function isTyped(evidence: readonly Evidence[]): boolean {
  return evidence.length > 0 && evidence.every(({ by }) => by === "user");
}

/** A copy of a record may carry a fresh id, but not a fresh time. */
function isCopy(a: Evidence, b: Evidence): boolean {
  return a.recordId === b.recordId || (a.at !== undefined && a.at === b.at);
}

function sessionOf({ session }: Evidence): string {
  return session.id;
}

/** Which of these records stand in this session's transcript too: a fork or a resumed session repeats its parent's. */
async function recordsHeldHere(
  said: readonly Evidence[],
  { pass, request, deps }: Asking,
): Promise<Set<string>> {
  const { format, source } = pass.entry;
  const held = new Set<string>();
  const turns = readTurns({
    format,
    source,
    from: undefined,
    signal: request.signal,
    pause: deps.clock.yield,
  });
  try {
    for await (const { records } of turns) {
      for (const record of records) {
        if (record.kind !== "user-text") continue;
        const { recordId, at, text } = record;
        const isHeld = (item: Evidence) =>
          item.recordId === recordId || (at !== undefined && item.at === at && text.includes(item.quote));
        for (const item of said) if (isHeld(item)) held.add(item.recordId);
      }
    }
  } catch (error) {
    // Whoever reads the rest of it notices as well; without it nothing speaks against another session.
    if (systemCode(error) !== "source-gone") throw error;
  }
  return held;
}
