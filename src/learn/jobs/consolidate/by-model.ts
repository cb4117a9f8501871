// One run of a model over a folder: what it may see, its tools, and what of its proposals may be committed. Commits
// nothing; a run that breaks, or meets one of its bounds, proposes nothing.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { ConsolidationNote } from "../../../domain/consolidation.ts";
import type { Memory } from "../../../domain/memories.ts";
import { displayText } from "../../../domain/printable.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import type { CommitOptions } from "../../../memory/journal/commit.ts";
import { type Allowance, dearest, runModel, type RunResult } from "../../runs/run.ts";
import { createStage, type Stage } from "../../runs/stage.ts";
import type { Dreaming, ModelDreaming } from "./contract.ts";
import { createDreamTools } from "./dream-tools.ts";
import { PREFIX } from "./prompt.ts";
import { quoteOfFile } from "./said.ts";
import { taskOf } from "./task-text.ts";
import { withoutHalves } from "./whole.ts";

export interface Proposed {
  readonly changes: readonly MemoryChange[];
  readonly options: Omit<CommitOptions, "today">;
  readonly noted: readonly ConsolidationNote[];
}

/** Why nothing is proposed; printed as stored. */
export interface Failed {
  readonly failed: string;
}

export async function dreamByModel(dreaming: ModelDreaming): Promise<Proposed | Failed> {
  const { ask, deps, reader, account, progress, signal } = dreaming;
  const folder = groundOf(dreaming);
  const tools = createDreamTools(dreaming, folder);
  const { search } = tools;
  const facts: ProposalFacts = {
    ...folder,
    recordText: search.recordText,
    heard: search.heard,
    insisted: search.insisted,
  };
  const turnsMax = reader.turnsMax - account.sum().requests;
  const memories = folder.memories.filter((memory) => isVisible(memory, folder));
  const task = taskOf({ now: deps.clock.now(), facts, memories, sessions: tools.sessions, turnsMax });
  const stage = createStage({
    facts,
    shown: task.shown,
    resolve: (quote) => quoteOfFile(quote, facts) ?? search.evidenceOf(quote),
  });
  const result = await runModel({
    client: reader.client,
    request: { model: reader.model, system: PREFIX.system, prompt: task.text },
    tools: progress.watched(tools.all),
    prefix: PREFIX.size,
    stage,
    limits: { turnsMax, inputTokensMax: reader.inputTokensMax, spentTokens: account.sum().inputTokens },
    signal,
    allow: (next) => isAllowed(next, dreaming),
    onUsage: (usage) => account.add(usage, reader.usdOf(usage)),
  });
  tell(result, dreaming);
  const failed = failureOf(result, { stage, isSpoilt: tools.isSpoilt, dreaming });
  if (failed !== undefined) return { failed };
  const { changes, left } = withoutHalves(result.changes, {
    refused: stage.refused(),
    failed: tools.failed(),
    facts,
  });
  const options = {
    evidenceTexts: search.shownTexts(),
    heard: search.heard,
    insisted: search.insisted,
    sharedFolder: ask.projects.length > 1,
    whole: true,
  };
  return { changes, options, noted: [...tools.noted(), ...left.map(asNote)] };
}

/** The folder as the gate will see it, without the exact duplicates that go anyway. */
function groundOf({ ask, project, deps }: Dreaming): ProposalFacts {
  const { memoryDir, projects } = ask;
  const set = { project, producer: "model", memoryDir } as const;
  const facts = deps.preview({ set, today: deps.today(), sharedFolder: projects.length > 1 });
  const doubles = deps.tidying.doubles(memoryDir);
  return {
    ...facts,
    memories: facts.memories.filter(({ file }) => !doubles.has(file)),
    otherNames: [...facts.otherNames, ...doubles],
  };
}

function isVisible({ origin }: Memory, facts: ProposalFacts): boolean {
  return facts.origin === undefined || origin === facts.origin;
}

/** Asked before each request: the person may have taken the model away, and other jobs spend as well. */
function isAllowed(next: Allowance, { ask, deps, reader, account }: ModelDreaming): boolean {
  const isReader = deps.modelFor(ask.memoryDir)?.client === reader.client;
  return isReader && account.closed(dearest(next, reader)) === undefined;
}

interface Ended {
  readonly stage: Stage;
  readonly isSpoilt: (refused: ReturnType<Stage["refused"]>) => boolean;
  readonly dreaming: ModelDreaming;
}

/** A bound that was met, or a model that does not do its work; undefined for neither. */
function failureOf({ outcome }: RunResult, { stage, isSpoilt, dreaming }: Ended): string | undefined {
  if (outcome === "not-allowed") {
    return dreaming.account.stoppedBy() === undefined ? "withdrawn" : "over-budget";
  }
  if (outcome !== "finished") return outcome;
  const refused = stage.refused();
  if (isSpoilt(refused)) return "empty";
  return refused.some((verdict) => !verdict.accepted && verdict.reason === "loss") ? "loss" : undefined;
}

function tell({ outcome, requests, inputTokens, denied }: RunResult, { ask, deps }: Dreaming): void {
  deps.emitter.emit("run:ended", { run: ask.run, outcome, requests, inputTokens });
  for (const { tool, why } of denied) deps.emitter.emit("tool:denied", { run: ask.run, tool, why });
}

function asNote({ file }: MemoryChange): ConsolidationNote {
  return {
    code: "left-alone",
    file: displayText(file),
    message: "a change was left out because it would lose something, or one it belongs to was refused",
  };
}
