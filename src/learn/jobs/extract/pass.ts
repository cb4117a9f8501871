// What one session gathers while a job reads it, shared by the steps. Holds counts and outcomes, never decides.
import type { Verdict } from "../../../domain/changes.ts";
import type { SkipReason } from "../../../domain/jobs.ts";
import type { TranscriptRecord, UserText } from "../../../domain/records.ts";
import type { ProjectRef } from "../../../domain/sessions.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import type { Account } from "../../models/budget.ts";
import type { CommitResult } from "../../../memory/journal/commit.ts";
import type { ExtractDeps, ExtractRequest, RefusedProposal, SessionReport } from "./contract.ts";
import { heardIn, offsetOf, type Progress } from "./progress.ts";

export interface SessionPass extends Progress {
  readonly project: ProjectRef;
  /** Messages of turns in which the agent wrote the memory itself. */
  agentWrote: number;
  /** What waits for a person or a second sighting. */
  candidates: number;
  /** Of these, what the gate refused. */
  quarantined: number;
  secretsMasked: number;
  readonly written: SessionReport["written"][number][];
  readonly refused: RefusedProposal[];
  /** How often a piece turned out to be longer than the model reads. */
  halvings: number;
  /** Why a model's run was cut short, the last time; undefined while none was. */
  unfinished: Extract<SkipReason, "model-refused" | "answer-cut"> | undefined;
}

/** One stretch of a session's records, with what stood right before it. */
export interface Stretch {
  readonly context: readonly TranscriptRecord[];
  readonly records: readonly TranscriptRecord[];
}

export interface Learning {
  readonly pass: SessionPass;
  readonly request: ExtractRequest;
  readonly deps: ExtractDeps;
  readonly cost: Account;
}

/** The same before anything is spent: what is new, and how it would be asked about. */
export type Asking = Omit<Learning, "cost">;

/** Typed messages that may teach, by record id. */
export type Fresh = ReadonlyMap<string, UserText>;

export function openPass(entry: CatalogEntry, project: ProjectRef, deps: ExtractDeps): SessionPass {
  return {
    entry,
    project,
    seen: deps.seenOf(project.id),
    position: offsetOf(entry.state),
    readBy: "rules",
    rulesOnlyUntil: 0,
    typed: 0,
    again: 0,
    saved: 0,
    counted: 0,
    headlessTyped: 0,
    inPrivate: entry.state.inPrivate,
    closedTo: [],
    agentWrote: 0,
    candidates: 0,
    quarantined: 0,
    secretsMasked: 0,
    written: [],
    refused: [],
    halvings: 0,
    unfinished: undefined,
  };
}

/** Notes what a commit did. */
export function noteCommit(pass: SessionPass, { written, verdicts, waiting = 0 }: CommitResult): void {
  pass.written.push(...written);
  pass.candidates += waiting;
  for (const verdict of verdicts) if (!verdict.accepted) noteRefusal(pass, verdict);
}

export function noteRefusal(
  pass: SessionPass,
  { change, reason }: Extract<Verdict, { accepted: false }>,
): void {
  const read = change.evidence.filter(({ by }) => by !== "memory");
  pass.refused.push({
    file: change.file,
    reason,
    records: [...new Set(read.map(({ recordId }) => recordId))],
  });
}

/** Whether a person took the session back; its words are then counted, marked as read and passed on to nobody. */
export function isIgnored({ source, state }: CatalogEntry, deps: Pick<ExtractDeps, "isIgnored">): boolean {
  return deps.isIgnored([state.sessionId, source.sessionId]);
}

export function skipReason(pass: SessionPass): SkipReason | undefined {
  if (pass.written.length > 0 || pass.refused.length > 0) return undefined;
  if (pass.agentWrote > 0 && pass.agentWrote === heardIn(pass)) return "agent-already-wrote";
  if (pass.unfinished !== undefined) return pass.unfinished;
  if (heardIn(pass) > 0) return undefined;
  return pass.headlessTyped > 0 ? "headless" : "nothing-new";
}

export function reportOf(
  pass: SessionPass | undefined,
  entry: CatalogEntry,
  skip: SkipReason | undefined,
): SessionReport {
  return {
    session: entry.state.sessionId,
    agent: entry.source.agent,
    skip,
    records: 0,
    lines: 0,
    damaged: 0,
    typed: pass === undefined ? 0 : heardIn(pass),
    candidates: pass?.candidates ?? 0,
    quarantined: pass?.quarantined ?? 0,
    secretsMasked: pass?.secretsMasked ?? 0,
    written: pass?.written ?? [],
    refused: pass?.refused ?? [],
  };
}
