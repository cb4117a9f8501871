// One run of a model over one piece: a stage, the run, and the commit of what the gate accepted.
import type { Candidate, ChangeSet, Evidence, MemoryChange } from "../../../domain/changes.ts";
import { AppError } from "../../../domain/errors.ts";
import type { SessionRef } from "../../../domain/sessions.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import { runModel, type RunOutcome, type RunResult } from "../../runs/run.ts";
import { createStage, type Quote } from "../../runs/stage.ts";
import { MEMORY_TOOLS } from "../../runs/tools/registry.ts";
import type { ModelReader } from "./model-contract.ts";
import { type Learning, noteCommit } from "./pass.ts";
import type { Piece } from "./pieces.ts";
import { partsOf } from "./plan.ts";
import { systemPrompt, taskPrompt } from "./prompt.ts";
import type { RenderedWindow } from "./window.ts";

export interface ModelLearning extends Learning {
  readonly reader: ModelReader;
}

/** The folder as it is now, as the gate will see it. */
export function folderFacts({ pass, request, deps }: Learning): ProposalFacts {
  const set = { project: pass.project, producer: "model", memoryDir: request.memoryDir } as const;
  return deps.preview({ set, today: deps.today(), sharedFolder: request.projects.length > 1 });
}

/** A run that breaks leaves nothing. True when the folder is another one now. */
export async function learnPiece(
  { window }: Piece,
  folder: ProposalFacts,
  learning: ModelLearning,
): Promise<boolean> {
  const { request, reader, cost } = learning;
  const { shown, heard, text } = window;
  const facts = { ...folder, heard, recordText: (recordId: string) => shown.get(recordId)?.text };
  const session = sessionOf(learning);
  const stage = createStage({ facts, resolve: (quote) => evidenceOf(quote, { window, session }) });
  const result = await runModel({
    client: reader.client,
    request: { model: reader.model, system: systemPrompt(), prompt: taskText(learning, { folder, text }) },
    tools: MEMORY_TOOLS,
    stage,
    limits: {
      turnsMax: reader.turnsMax,
      inputTokensMax: reader.inputTokensMax,
      spentTokens: cost.sum().inputTokens,
    },
    signal: request.signal,
    onUsage: (usage) => cost.add(usage, reader.usdOf(usage)),
  });
  if (result.requests === 0 && cost.sum().requests === 0) throw tooSmall(reader);
  for (const verdict of stage.refused()) {
    if (verdict.accepted) continue;
    learning.pass.refused.push({ file: verdict.change.file, reason: verdict.reason });
  }
  tell(result, learning);
  return MAY_COMMIT[result.outcome] ? keep(result.changes, { window, learning }) : false;
}

/** A run at its bound has said what it could; one that was cut or refused may have said half of it. */
const MAY_COMMIT: Readonly<Record<RunOutcome, boolean>> = {
  finished: true,
  "turn-limit": true,
  "token-limit": true,
  length: false,
  refused: false,
};

function tell({ outcome, requests, inputTokens, denied }: RunResult, { request, deps }: Learning): void {
  deps.emitter.emit("run:ended", { run: request.run, outcome, requests, inputTokens });
  for (const { tool, why } of denied) deps.emitter.emit("tool:denied", { run: request.run, tool, why });
}

async function keep(
  changes: readonly MemoryChange[],
  { window, learning }: { readonly window: RenderedWindow; readonly learning: ModelLearning },
): Promise<boolean> {
  const { pass, request, deps } = learning;
  if (deps.settings(pass.project).proposeOnly) {
    pass.candidates += deps.keepCandidates(pass.project, changes.flatMap(asCandidate));
    return false;
  }
  const evidenceTexts = new Map([...window.shown].map(([recordId, { text }]) => [recordId, text]));
  const options = { evidenceTexts, heard: window.heard, sharedFolder: request.projects.length > 1 };
  const { run, trigger, memoryDir } = request;
  for (const part of partsOf(changes)) {
    const { project } = pass;
    const set: ChangeSet = {
      run,
      kind: "extract",
      trigger,
      project,
      memoryDir,
      changes: part,
      producer: "model",
    };
    noteCommit(pass, await deps.commit(set, options));
  }
  return changes.length > 0;
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

interface Task {
  readonly folder: ProposalFacts;
  readonly text: string;
}

/** What is said to the model beside the system text. */
export function taskText({ pass, deps }: Learning, { folder, text }: Task): string {
  const { origin, memories } = folder;
  return taskPrompt({
    now: deps.clock.now(),
    timeZone: folder.timeZone,
    memories: memories.filter((memory) => origin === undefined || memory.origin === origin),
    pending: deps.pendingOf(pass.project),
    window: text,
  });
}

/** Where everything waits for a person, so does this. */
function asCandidate(change: MemoryChange): Candidate[] {
  const [evidence] = change.evidence;
  return "memory" in change && evidence !== undefined
    ? [{ memory: change.memory, evidence, cue: "model" }]
    : [];
}
