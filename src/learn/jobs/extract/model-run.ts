// One run of a model over one piece: a stage, the run, and the commit of what the gate accepted.
import type { Candidate, ChangeSet, Evidence, MemoryChange } from "../../../domain/changes.ts";
import { AppError } from "../../../domain/errors.ts";
import type { SessionRef } from "../../../domain/sessions.ts";
import { runModel } from "../../runs/run.ts";
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

/** A run that breaks leaves nothing. */
export async function learnPiece({ window }: Piece, learning: ModelLearning): Promise<void> {
  const { pass, request, deps, reader, cost } = learning;
  const evidenceTexts = new Map([...window.shown].map(([recordId, { text }]) => [recordId, text]));
  const sharedFolder = request.projects.length > 1;
  const set = { project: pass.project, producer: "model", memoryDir: request.memoryDir } as const;
  const facts = deps.preview({ set, evidenceTexts, today: deps.today(), sharedFolder });
  const session = sessionOf(learning);
  const stage = createStage({ facts, resolve: (quote) => evidenceOf(quote, { window, session }) });
  const result = await runModel({
    client: reader.client,
    request: {
      model: reader.model,
      system: systemPrompt(),
      prompt: taskText(learning, window.text),
    },
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
    if (!verdict.accepted) pass.refused.push({ file: verdict.change.file, reason: verdict.reason });
  }
  if (deps.settings(pass.project).proposeOnly) {
    pass.candidates += deps.keepCandidates(pass.project, result.changes.flatMap(asCandidate));
    return;
  }
  for (const changes of partsOf(result.changes)) {
    const part: ChangeSet = { ...set, run: request.run, kind: "extract", trigger: request.trigger, changes };
    noteCommit(pass, await deps.commit(part, { evidenceTexts, sharedFolder }));
  }
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

/** What is said to the model beside the system text. */
export function taskText({ pass, request, deps }: Learning, window: string): string {
  const origin = request.projects.length > 1 ? pass.project.root : undefined;
  const { memories } = deps.viewOf(request.memoryDir);
  return taskPrompt({
    now: deps.clock.now(),
    timeZone: deps.clock.timeZone(),
    memories: memories.filter((memory) => origin === undefined || memory.origin === origin),
    pending: deps.pendingOf(pass.project),
    window,
  });
}

/** Where everything waits for a person, so does this. */
function asCandidate(change: MemoryChange): Candidate[] {
  const [evidence] = change.evidence;
  return "memory" in change && evidence !== undefined
    ? [{ memory: change.memory, evidence, cue: "model" }]
    : [];
}
