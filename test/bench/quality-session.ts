// One conversation through the rules and the gate, as the extraction job does it but without a disk: what would be
// written to a memory folder, what waits as a candidate, what the gate refuses.
import { extractOffline, type OfflineResult } from "../../src/learn/offline/extract.ts";
import { planChanges } from "../../src/learn/jobs/plan.ts";
import { judgeProposal } from "../../src/memory/gate/gate.ts";
import { renderText } from "../../src/memory/secrets/render.ts";
import type { Evidence, MemoryChange } from "../../src/domain/changes.ts";
import type { Memory, MemoryDraft } from "../../src/domain/memories.ts";
import type { TranscriptRecord } from "../../src/domain/records.ts";
import { zoneNamed } from "../helpers/time-zone.ts";
import type { TimeZone } from "../../src/domain/calendar.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface Saved {
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
  readonly cue: string;
}

/** What one class of cues brought: items, and those about something that was to be kept. */
export interface ClassScore {
  saved: number;
  savedRight: number;
  kept: number;
  keptRight: number;
}
export type Classes = Record<string, ClassScore>;

/** Counts an item under its cue. */
export function tallyClass(
  classes: Classes,
  item: Saved,
  as: { is: "saved" | "kept"; right: boolean },
): void {
  const score = (classes[item.cue] ??= { saved: 0, savedRight: 0, kept: 0, keptRight: 0 });
  score[as.is]++;
  if (as.right) score[as.is === "saved" ? "savedRight" : "keptRight"]++;
}

export interface Learned {
  readonly saves: readonly Saved[];
  readonly candidates: readonly Saved[];
  readonly refused: readonly { readonly saved: Saved; readonly reason: string; readonly message: string }[];
}

export interface Session {
  readonly id: string;
  readonly turns: readonly Turn[];
  /** When the first turn was said; each further one a minute later. */
  readonly startMs: number;
  readonly timeZone: TimeZone;
}

const MINUTE_MS = 60_000;

/** What one session teaches; refused proposals are no saves. */
export async function learn(session: Session): Promise<Learned> {
  const records = session.turns.map((turn, index) => toRecord(turn, { session, index }));
  const now = session.startMs + (session.turns.length + 10) * MINUTE_MS;
  const found: OfflineResult = await extractOffline({
    records,
    isNew: () => true,
    session: { agent: "claude-code", id: session.id, projectId: "bench" },
    now,
    timeZone: session.timeZone,
  });
  const texts = new Map(
    records.flatMap((record) => ("text" in record ? [[record.recordId, record.text]] : [])),
  );
  const saves: Saved[] = [];
  const refused: { saved: Saved; reason: string; message: string }[] = [];
  for (const saved of found.saves) {
    const verdict = judge(saved, { texts, session });
    if (verdict === undefined) saves.push(saved);
    else refused.push({ saved, ...verdict });
  }
  const candidates = found.candidates.map(({ memory, evidence, cue }) => ({
    memory,
    evidence,
    cue,
  }));
  return { saves, candidates, refused };
}

function judge(
  { memory, evidence }: Saved,
  { texts, session }: { readonly texts: ReadonlyMap<string, string>; readonly session: Session },
): { readonly reason: string; readonly message: string } | undefined {
  const change: MemoryChange = { op: "create", file: `${memory.type}_bench.md`, memory, evidence };
  const verdict = judgeProposal(change, {
    producer: "offline",
    memories: [],
    otherNames: [],
    recordText: (recordId) => texts.get(recordId),
    recordedIds: new Set(),
    removed: { recordIds: new Set(), textHashes: new Map() },
    saidAt: new Map(),
    timeZone: session.timeZone,
    today: new Date(session.startMs).toISOString().slice(0, 10),
  });
  return verdict.accepted ? undefined : { reason: verdict.reason, message: verdict.message };
}

function toRecord(
  { role, text }: Turn,
  { session, index }: { readonly session: Session; readonly index: number },
): TranscriptRecord {
  return {
    kind: role === "user" ? "user-text" : "assistant-text",
    recordId: `${session.id}-${index}`,
    sessionId: session.id,
    agent: "claude-code",
    at: session.startMs + index * MINUTE_MS,
    cwd: undefined,
    origin: "user",
    endOffset: index,
    text: renderText(text),
  };
}

/** A memory folder that lives in memory only: the job's own plan decides what becomes of a saved item. */
export function createFolder(onUpdate?: (before: Memory, after: Memory) => void): Folder {
  const memories = new Map<string, Memory>();
  return {
    memories: () => [...memories.values()],
    keep(saves) {
      const changes = planChanges(saves, {
        memories: [...memories.values()],
        taken: new Set(memories.keys()),
        today: "2026-01-01",
        timeZone: zoneNamed("UTC"),
        origin: undefined,
      });
      for (const change of changes) {
        if (change.op === "delete") memories.delete(change.file);
        if (!("memory" in change)) continue;
        const before = memories.get(change.file);
        const after = toMemory(change);
        if (before !== undefined) onUpdate?.(before, after);
        memories.set(change.file, after);
      }
    },
  };
}

export interface Folder {
  keep(saves: readonly Saved[]): void;
  memories(): readonly Memory[];
}

function toMemory(change: MemoryChange & { readonly memory: MemoryDraft }): Memory {
  return {
    ...change.memory,
    file: change.file,
    frontmatter: "ok",
    hash: change.file,
    mtimeMs: 0,
    confirmed: dayOf(change.evidence),
    modified: undefined,
    originSessionId: undefined,
    evidence: change.evidence.map(({ recordId }) => recordId),
    origin: undefined,
    links: [],
  };
}

function dayOf(evidence: readonly Evidence[]): string | undefined {
  const at = evidence.find(({ by }) => by === "user")?.at;
  return at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
}

/** The statement itself; the lines below it hold our words as well. */
export function statementOf(memory: Pick<MemoryDraft, "description" | "body">): string {
  return `${memory.description}\n${memory.body.split("**Why:**", 1)[0] ?? ""}`.toLowerCase();
}
