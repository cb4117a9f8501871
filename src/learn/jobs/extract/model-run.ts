// One run of a model over one piece: a stage, the run, and the commit of what the gate accepted.
import type { Candidate, Evidence, MemoryChange, RefusalCode, Verdict } from "../../../domain/changes.ts";
import { AppError } from "../../../domain/errors.ts";
import type { SessionRef } from "../../../domain/sessions.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import { runModel, type RunOutcome, type RunResult } from "../../runs/run.ts";
import { createStage, type Quote } from "../../runs/stage.ts";
import type { ModelReader } from "./model-contract.ts";
import { type Asking, isIgnored, type Learning, noteRefusal, type SessionPass } from "./pass.ts";
import type { Piece } from "./pieces.ts";
import { partsOf } from "./plan.ts";
import { offsetOf } from "./progress.ts";
import { PREFIX } from "./prefix.ts";
import { taskPrompt } from "./prompt.ts";
import type { RenderedWindow } from "./window.ts";

export interface ModelLearning extends Learning {
  readonly reader: ModelReader;
}

/** What a model is told and judged by, beside the words of a piece. */
export interface Ground {
  readonly folder: ProposalFacts;
  /** The task up to its window. */
  readonly task: string;
}

/** The folder as it is now, as the gate will see it, and what waits for the person. */
export function groundOf(asking: Asking): Ground {
  const { pass, request, deps } = asking;
  const set = { project: pass.project, producer: "model", memoryDir: request.memoryDir } as const;
  const folder = deps.preview({ set, today: deps.today(), sharedFolder: request.projects.length > 1 });
  return { folder, task: taskBefore(folder, asking) };
}

export interface PieceEnd {
  /** The folder is another one now. */
  readonly changed: boolean;
  /** Accepted during the run and refused at the commit: somebody changed the folder meanwhile. */
  readonly stale: readonly MemoryChange[];
  /** The next request was not allowed: nothing of the piece is kept, its words stay unread. */
  readonly stopped: boolean;
}

/** A run that breaks leaves nothing. */
export async function learnPiece(
  { window }: Piece,
  { folder, task }: Ground,
  learning: ModelLearning,
): Promise<PieceEnd> {
  const { request, reader, cost, pass } = learning;
  const { shown, heard, text } = window;
  const facts = { ...folder, heard, recordText: (recordId: string) => shown.get(recordId)?.text };
  const session = sessionOf(learning);
  const stage = createStage({ facts, resolve: (quote) => evidenceOf(quote, { window, session }) });
  const result = await runModel({
    client: reader.client,
    request: { model: reader.model, system: PREFIX.system, prompt: task + text },
    tools: PREFIX.tools,
    prefix: PREFIX.size,
    stage,
    limits: {
      turnsMax: reader.turnsMax,
      inputTokensMax: reader.inputTokensMax,
      spentTokens: cost.sum().inputTokens,
    },
    signal: request.signal,
    allow: () => isAllowed(learning),
    onUsage: (usage) => cost.add(usage, reader.usdOf(usage)),
  });
  tell(result, learning);
  if (result.outcome === "not-allowed") return { ...NOTHING_KEPT, stopped: true };
  if (result.requests === 0 && cost.sum().requests === 0) throw tooSmall(reader);
  pass.unfinished = UNFINISHED[result.outcome] ?? pass.unfinished;
  keepRefused(stage.refused(), learning);
  return MAY_COMMIT[result.outcome] ? commitAll(result.changes, { window, learning }) : NOTHING_KEPT;
}

const NOTHING_KEPT: PieceEnd = { changed: false, stale: [], stopped: false };

/** Asked before each request: the person may have taken the model away, and other jobs spend as well. */
function isAllowed({ pass, deps, reader, cost }: ModelLearning): boolean {
  return isStillReader(pass, deps, reader) && cost.closed() === undefined;
}

/** What was there before a model was allowed is read by rules, and so is what is only counted: a model may want it. */
export function readerOf({ pass: { entry, project }, deps }: Asking): ModelReader | undefined {
  const isOld = offsetOf(entry.state) < entry.state.rulesUntil;
  return isOld || !deps.settings(project).learns ? undefined : deps.readerFor(entry.source.agent);
}

/** Whether the person still lets this model read these words, and the project still learns. */
export function isStillReader(
  { entry, project }: SessionPass,
  deps: Learning["deps"],
  reader: ModelReader,
): boolean {
  const isReader = deps.readerFor(entry.source.agent)?.client === reader.client;
  return isReader && deps.settings(project).learns && !isIgnored(entry, deps);
}

/** A run at its bound has said what it could; one that was cut or refused may have said half of it. */
const MAY_COMMIT: Readonly<Record<RunOutcome, boolean>> = {
  finished: true,
  "turn-limit": true,
  "token-limit": true,
  length: false,
  refused: false,
  "not-allowed": false,
};

const UNFINISHED: Readonly<Partial<Record<RunOutcome, SessionPass["unfinished"]>>> = {
  length: "answer-cut",
  refused: "model-refused",
};

function tell({ outcome, requests, inputTokens, denied }: RunResult, { request, deps }: Learning): void {
  deps.emitter.emit("run:ended", { run: request.run, outcome, requests, inputTokens });
  for (const { tool, why } of denied) deps.emitter.emit("tool:denied", { run: request.run, tool, why });
}

/** Refusals that a person may overrule: the words are there, the gate could not check enough of them. */
const MAY_BE_OVERRULED: ReadonlySet<RefusalCode> = new Set(["unsupported", "no-evidence", "excluded-kind"]);

function keepRefused(verdicts: readonly Verdict[], { pass, deps }: Learning): void {
  const overrulable: Candidate[] = [];
  for (const verdict of verdicts) {
    if (verdict.accepted) continue;
    noteRefusal(pass, verdict);
    if (MAY_BE_OVERRULED.has(verdict.reason)) overrulable.push(...asCandidate(verdict.change));
  }
  pass.candidates += deps.keepCandidates(pass.project, overrulable);
}

/** For what could not be committed twice: it waits for the person. */
export function keepForPerson(changes: readonly MemoryChange[], { pass, deps }: Learning): void {
  pass.candidates += deps.keepCandidates(pass.project, changes.flatMap(asCandidate));
}

function waitForPerson(verdict: Extract<Verdict, { accepted: false }>, learning: ModelLearning): void {
  noteRefusal(learning.pass, verdict);
  keepForPerson([verdict.change], learning);
}

async function commitAll(
  changes: readonly MemoryChange[],
  { window, learning }: { readonly window: RenderedWindow; readonly learning: ModelLearning },
): Promise<PieceEnd> {
  const { pass, request, deps } = learning;
  if (deps.settings(pass.project).proposeOnly) {
    keepForPerson(changes, learning);
    return NOTHING_KEPT;
  }
  const evidenceTexts = new Map([...window.shown].map(([recordId, { text }]) => [recordId, text]));
  const options = { evidenceTexts, heard: window.heard, sharedFolder: request.projects.length > 1 };
  const { run, trigger, memoryDir } = request;
  const { project } = pass;
  const set = { run, kind: "extract", trigger, project, memoryDir, producer: "model" } as const;
  const stale: MemoryChange[] = [];
  for (const part of partsOf(changes)) {
    const result = await deps.commit({ ...set, changes: part }, options);
    pass.written.push(...result.written);
    for (const verdict of result.verdicts) {
      if (verdict.accepted) continue;
      // Asked once more, the model would take away as much again.
      if (verdict.reason === "loss") waitForPerson(verdict, learning);
      else stale.push(verdict.change);
    }
  }
  return { changed: changes.length > 0, stale, stopped: false };
}

function tooSmall({ inputTokensMax }: ModelReader): AppError {
  return new AppError({
    code: "input-limit-too-small",
    message: `a request does not fit into ${inputTokensMax} input tokens`,
    fix: "raise extract.maxInputTokens",
    disposition: "give-up",
  });
}

/** Whose words a quote is; undefined for a record that was not shown. */
function evidenceOf(
  { recordId, quote }: Quote,
  { window, session }: { readonly window: RenderedWindow; readonly session: SessionRef },
): Evidence | undefined {
  const shown = window.shown.get(recordId);
  return shown === undefined ? undefined : { session, recordId, by: shown.by, quote, at: shown.at };
}

function sessionOf({ pass }: Learning): SessionRef {
  const { source, state } = pass.entry;
  return { agent: source.agent, id: state.sessionId, projectId: pass.project.id };
}

/** What is said to the model beside the system text, up to the window. */
function taskBefore({ origin, memories, timeZone }: ProposalFacts, { pass, deps }: Asking): string {
  return taskPrompt({
    now: deps.clock.now(),
    timeZone,
    memories: memories.filter((memory) => origin === undefined || memory.origin === origin),
    // Words typed to an agent that no model may read stay here, whoever's session is read.
    pending: deps
      .pendingOf(pass.project)
      .filter(({ evidence }) => deps.readerFor(evidence.session.agent) !== undefined),
  });
}

/** Where everything waits for a person, so does this. */
function asCandidate(change: MemoryChange): Candidate[] {
  const [evidence] = change.evidence;
  return "memory" in change && evidence !== undefined
    ? [{ memory: change.memory, evidence, cue: "model" }]
    : [];
}
