// Learns from one page by a model: a stage, the run, and what the gate accepted of it. A run that breaks leaves nothing.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import { type Allowance, dearest, MAY_COMMIT, runModel } from "../../runs/run.ts";
import { createStage } from "../../runs/stage.ts";
import { offsetText } from "../../../domain/calendar.ts";
import { estimateTokens } from "../../../domain/tokens.ts";
import { AppError } from "../../../domain/errors.ts";
import { localTimeIn } from "../local-time.ts";
import { manifestText } from "../manifest.ts";
import type { ModelReader } from "../model-reader.ts";
import type { Job } from "./job.ts";
import { evidenceOf, heardIn, type Page, textsOf } from "./pages.ts";
import { PREFIX } from "./prompt.ts";

/** What a model is told and judged by, beside the words of a page. */
export interface Ground {
  readonly folder: ProposalFacts;
  /** The task up to its page. */
  readonly task: string;
  /** Input tokens of each request beside the page. */
  readonly fixedTokens: number;
}

/** The folder as it is now, as the gate will see it. */
export function groundOf({ ask, deps, project, sharedFolder }: Job): Ground {
  const set = { project, producer: "model", memoryDir: ask.memoryDir } as const;
  const folder = deps.preview({ set, today: deps.today(), sharedFolder });
  const { origin, memories, timeZone } = folder;
  const now = deps.clock.now();
  const list = manifestText(
    memories.filter((memory) => origin === undefined || memory.origin === origin),
    timeZone,
  );
  const task = [
    `Today is ${localTimeIn(timeZone).day(now)}, ${offsetText(now, timeZone)}.`,
    list === "" ? "There are no memory files yet." : `Memory files, newest first:\n${list}`,
    "The logs:\n",
  ].join("\n\n");
  return { folder, task, fixedTokens: PREFIX.size.tokens + estimateTokens(task) };
}

/** `stopped`: the next request was not allowed; nothing of the page is kept. */
export type Asked =
  | { readonly stopped: true }
  | { readonly stopped: false; readonly changes: readonly MemoryChange[] };

export async function askAbout(page: Page, { ground, reader, job }: AskAbout): Promise<Asked> {
  const { ask, deps, account, project, signal } = job;
  const shown = new Map(page.entries.map((entry) => [entry.id, entry]));
  const texts = textsOf(page.entries);
  const facts = {
    ...ground.folder,
    heard: heardIn(page.entries),
    recordText: (recordId: string) => texts.get(recordId),
  };
  const stage = createStage({
    facts,
    resolve: (quote) => evidenceOf(quote, { shown, projectId: project.id }),
  });
  const result = await runModel({
    client: reader.client,
    request: { model: reader.model, system: PREFIX.system, prompt: ground.task + page.text },
    tools: PREFIX.tools,
    prefix: PREFIX.size,
    stage,
    limits: {
      turnsMax: reader.turnsMax,
      inputTokensMax: reader.inputTokensMax,
      spentTokens: account.sum().inputTokens,
    },
    signal,
    allow: (next) => isAllowed(next, { reader, job, agent: page.entries[0]?.agent }),
    onUsage: (usage) => account.add(usage, reader.usdOf(usage)),
  });
  deps.emitter.emit("run:ended", {
    run: ask.run,
    outcome: result.outcome,
    requests: result.requests,
    inputTokens: result.inputTokens,
  });
  for (const { tool, why } of result.denied) deps.emitter.emit("tool:denied", { run: ask.run, tool, why });
  if (result.outcome === "not-allowed") return { stopped: true };
  if (result.requests === 0 && account.sum().requests === 0) throw tooSmall(reader);
  job.noteRefused(stage.refused(), "model");
  return { stopped: false, changes: MAY_COMMIT[result.outcome] ? result.changes : [] };
}

export interface AskAbout {
  readonly ground: Ground;
  readonly reader: ModelReader;
  readonly job: Job;
}

interface Asker {
  readonly reader: ModelReader;
  readonly job: Job;
  readonly agent: Page["entries"][number]["agent"] | undefined;
}

/** Asked before each request: the person may have taken the model away, and other jobs spend as well. */
function isAllowed(next: Allowance, { reader, job, agent }: Asker): boolean {
  const isReader = agent !== undefined && job.deps.readerFor(agent)?.client === reader.client;
  return isReader && job.account.closed(dearest(next, reader)) === undefined;
}

function tooSmall({ inputTokensMax }: ModelReader): AppError {
  return new AppError({
    code: "input-limit-too-small",
    message: `a request does not fit into ${inputTokensMax} input tokens`,
    fix: "raise distill.maxInputTokens",
    disposition: "give-up",
  });
}
