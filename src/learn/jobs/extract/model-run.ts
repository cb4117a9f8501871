// One run of a model over one piece: a stage, the run, and the commit of what the gate accepted.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { SessionRef } from "../../../domain/sessions.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import {
  type Allowance,
  dearest,
  MAY_COMMIT,
  runModel,
  type RunOutcome,
  type RunResult,
} from "../../runs/run.ts";
import { createStage } from "../../runs/stage.ts";
import type { ModelReader } from "../model-reader.ts";
import { type Asking, type Learning, noteRefusal, type SessionPass } from "./pass.ts";
import type { Piece } from "./pieces.ts";
import { partsOf } from "../plan.ts";
import { PREFIX } from "./prefix.ts";
import { keepRefused } from "./quarantine.ts";
import { isStillReader, tooSmall } from "./reader.ts";
import { taskBefore } from "./task-text.ts";
import { evidenceOf } from "./voices.ts";

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
    allow: (next) => isAllowed(next, learning),
    onUsage: (usage) => cost.add(usage, reader.usdOf(usage)),
  });
  tell(result, learning);
  if (result.outcome === "not-allowed") return { ...NOTHING_KEPT, stopped: true };
  if (result.requests === 0 && cost.sum().requests === 0) throw tooSmall(reader);
  pass.unfinished = UNFINISHED[result.outcome] ?? pass.unfinished;
  const refused = stage.refused();
  for (const verdict of refused) if (!verdict.accepted) noteRefusal(pass, verdict);
  keepRefused({ verdicts: refused, producer: "model" }, learning);
  return MAY_COMMIT[result.outcome] ? commitAll(result.changes, { window, learning }) : NOTHING_KEPT;
}

const NOTHING_KEPT: PieceEnd = { changed: false, stale: [], stopped: false };

/** Asked before each request: the person may have taken the model away, and other jobs spend as well. */
function isAllowed(next: Allowance, { pass, deps, reader, cost }: ModelLearning): boolean {
  return isStillReader(pass, deps, reader) && cost.closed(dearest(next, reader)) === undefined;
}

const UNFINISHED: Readonly<Partial<Record<RunOutcome, SessionPass["unfinished"]>>> = {
  length: "answer-cut",
  refused: "model-refused",
};

function tell({ outcome, requests, inputTokens, denied }: RunResult, { request, deps }: Learning): void {
  deps.emitter.emit("run:ended", { run: request.run, outcome, requests, inputTokens });
  for (const { tool, why } of denied) deps.emitter.emit("tool:denied", { run: request.run, tool, why });
}

async function commitAll(
  changes: readonly MemoryChange[],
  { window, learning }: { readonly window: Piece["window"]; readonly learning: ModelLearning },
): Promise<PieceEnd> {
  const { pass, request, deps } = learning;
  const evidenceTexts = new Map([...window.shown].map(([recordId, { text }]) => [recordId, text]));
  const options = { evidenceTexts, heard: window.heard, sharedFolder: request.projects.length > 1 };
  const { run, trigger, memoryDir } = request;
  const { project } = pass;
  const set = { run, kind: "extract", trigger, project, memoryDir, producer: "model" } as const;
  const stale: MemoryChange[] = [];
  for (const part of partsOf(changes)) {
    const result = await deps.commit({ ...set, changes: part }, options);
    pass.written.push(...result.written);
    pass.candidates += result.waiting ?? 0;
    const refused = result.verdicts.flatMap((verdict) => (verdict.accepted ? [] : [verdict]));
    // Asked once more, the model would take away as much again.
    const lossy = refused.filter(({ reason }) => reason === "loss");
    for (const verdict of lossy) noteRefusal(pass, verdict);
    keepRefused({ verdicts: lossy, producer: "model" }, learning);
    stale.push(...refused.filter((verdict) => !lossy.includes(verdict)).map(({ change }) => change));
  }
  return { changed: changes.length > 0, stale, stopped: false };
}

function sessionOf({ pass }: Learning): SessionRef {
  const { source, state } = pass.entry;
  return { agent: source.agent, id: state.sessionId, projectId: pass.project.id };
}
