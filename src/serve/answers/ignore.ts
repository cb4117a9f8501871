// `ignore SESSION`: takes back what a session taught and never learns from it again. Marked first, removed after: if it
// is broken off, the same command goes on where it stopped. Every file goes through the gate, as with `forget`.
import type { IgnoreReply, IgnoreRequest, IgnoredFile, Reason } from "../../domain/account.ts";
import type { ChangeSet } from "../../domain/changes.ts";
import { AppError } from "../../domain/errors.ts";
import { JOB_LIMITS, MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { IgnoredSessions } from "../../intake/transcripts/ignored.ts";
import type { Catalog, CatalogEntry } from "../../intake/watch/catalog.ts";
import type { Inbox } from "../../memory/inbox/inbox.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "../../memory/journal/commit.ts";
import type { Clock } from "../../system/clock.ts";
import type { FolderViews } from "./folder-view.ts";
import { sessionCalled, unknownSession } from "./sessions.ts";
import { byProject, fileOf, type Kept, keptAs, planTakeBack } from "./take-back.ts";

export interface IgnoreDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly places: Places;
  readonly views: FolderViews;
  readonly writer: Pick<MemoryWriter, "trail" | "upkeep">;
  readonly inbox: Inbox;
  readonly ignored: IgnoredSessions;
  newRun(): string;
  /** Commits and notes the run in the ledger. */
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
  /** Breaks off what runs for a folder; false when it has not ended in time. */
  halt(memoryDir: string): Promise<boolean>;
  /** Has a folder read once it is quiet. */
  readLater(memoryDir: string): void;
}

/** What agents name a session they have not told us of: a whole UUID, so that a typing error is none. */
const WHOLE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu;

/** Throws `unknown-session`, `ambiguous-session`, or `still-running` (retry). */
export async function answerIgnore({ session: what }: IgnoreRequest, deps: IgnoreDeps): Promise<IgnoreReply> {
  const found = sessionCalled(what, deps.catalog);
  if (found === undefined && !WHOLE_ID.test(what)) throw unknownSession(what);
  const { session, entries } = found ?? { session: what, entries: [] };
  const isNew = deps.ignored.add(session, new Date(deps.clock.now()).toISOString());
  const folders = foldersOf(deps);
  await haltAll(entries, deps);
  const removed: IgnoredFile[] = [];
  const kept: Kept[] = [];
  for (const [memoryDir, projects] of folders) {
    const outcome = await takeBack(memoryDir, { session, projects, deps });
    removed.push(...outcome.removed);
    kept.push(...outcome.kept);
  }
  const known = [...folders.values()].flat();
  const candidates = known.reduce((sum, { id }) => sum + deps.inbox.forgetSession(id, session), 0);
  readAgain(entries, deps);
  const agent = entries[0]?.source.agent ?? null;
  const outcome = isNew ? "ignored" : "already-ignored";
  const message = messageOf({ agent, removed: removed.length, kept: kept.length, candidates });
  return { v: 1, outcome, session, agent, removed, kept, candidates, message };
}

function foldersOf({ places }: IgnoreDeps): Map<string, readonly ProjectRef[]> {
  const folders = new Map<string, ProjectRef[]>();
  for (const project of places.known()) {
    const { memoryDir } = places.placeOf(project);
    const there = folders.get(memoryDir);
    if (there === undefined) folders.set(memoryDir, [project]);
    else there.push(project);
  }
  return folders;
}

/** A run that reads the session now has not heard that it must not. */
async function haltAll(entries: readonly CatalogEntry[], deps: IgnoreDeps): Promise<void> {
  for (const memoryDir of memoryDirsOf(entries, deps)) {
    if (await deps.halt(memoryDir)) continue;
    throw new AppError({
      code: "still-running",
      message: `a run over ${memoryDir} has not ended within ${JOB_LIMITS.abortMs / 1000} s`,
      fix: "ask again in a moment",
      disposition: "retry",
    });
  }
}

function memoryDirsOf(entries: readonly CatalogEntry[], { places }: IgnoreDeps): Set<string> {
  const projects = entries.flatMap(({ project }) => project ?? []);
  return new Set(projects.map((project) => places.placeOf(project).memoryDir));
}

/** Its words are marked as read by everybody, so that no copy of them in another session teaches. */
function readAgain(entries: readonly CatalogEntry[], deps: IgnoreDeps): void {
  for (const { source, project } of entries)
    if (project !== undefined) deps.catalog.reopen(source.path, "model");
  deps.catalog.flush();
  for (const memoryDir of memoryDirsOf(entries, deps)) deps.readLater(memoryDir);
}

interface TakeBackAsk {
  readonly session: string;
  /** Whose memories lie in the folder. */
  readonly projects: readonly ProjectRef[];
  readonly deps: IgnoreDeps;
}

interface Outcome {
  readonly removed: readonly IgnoredFile[];
  readonly kept: readonly Kept[];
}

async function takeBack(memoryDir: string, { session, projects, deps }: TakeBackAsk): Promise<Outcome> {
  const { evidence } = deps.writer.trail(memoryDir);
  if (!evidence.some(({ records }) => records.some((record) => record.session === session))) return NONE;
  const [owner] = projects;
  // A file renamed while nobody watched is known by its old name until then.
  if (owner !== undefined) await deps.writer.upkeep(memoryDir, owner);
  const trail = deps.writer.trail(memoryDir);
  const memories = deps.views.view(memoryDir)?.memories ?? [];
  const plan = planTakeBack(memories, { session, trail });
  const removed: IgnoredFile[] = [];
  const kept: Kept[] = plan.byHand.map((memory) => keptAs(memory, { projects, reason: BY_HAND }));
  for (const [project, changes] of byProject(plan.changes, { memories, projects })) {
    for (let from = 0; from < changes.length; from += MEMORY_LIMITS.changesMax) {
      const part = changes.slice(from, from + MEMORY_LIMITS.changesMax);
      const set = { kind: "ignore", trigger: "person", producer: "person", project, memoryDir } as const;
      const options = { evidenceTexts: new Map<string, string>(), sharedFolder: projects.length > 1 };
      const { verdicts } = await deps.commit({ ...set, run: deps.newRun(), changes: part }, options);
      for (const verdict of verdicts) {
        const memory = memories.find(({ file }) => file === verdict.change.file);
        if (memory === undefined) continue;
        if (!verdict.accepted) {
          const { reason: code, message } = verdict;
          kept.push(keptAs(memory, { projects, reason: { code, message } }));
        } else if (verdict.change.op === "delete") removed.push(fileOf(memory, projects));
        else kept.push(keptAs(memory, { projects, reason: OTHER_EVIDENCE }));
      }
    }
  }
  return { removed, kept };
}

const NONE: Outcome = { removed: [], kept: [] };

const OTHER_EVIDENCE: Reason = {
  code: "other-evidence",
  message: "other sessions or files carry it too; it no longer rests on this one",
};
const BY_HAND: Reason = { code: "edited-by-hand", message: "its text was written or edited by hand" };

interface Sums {
  readonly agent: string | null;
  readonly removed: number;
  readonly kept: number;
  readonly candidates: number;
}

function messageOf({ agent, removed, kept, candidates }: Sums): string {
  if (agent === null && removed + kept + candidates === 0) {
    return "engramd has not met this session; it will learn nothing from it";
  }
  return `${removed} removed, ${kept} kept, ${candidates} candidates dropped; nothing more is learnt from it`;
}
