// `remember`: what a person asks for directly, through the same gate as everything else.
import type { ChangeSet, MemoryChange, RunId } from "../../domain/changes.ts";
import type { RememberReply, RememberRequest } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { absoluteDates } from "../../learn/offline/dates.ts";
import { draftOf } from "../../learn/offline/draft.ts";
import { kindOf } from "../../learn/offline/kind.ts";
import type { CommitOptions, CommitResult } from "../../memory/journal/commit.ts";
import { planChanges } from "../../learn/jobs/plan.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { Clock } from "../../system/clock.ts";
import { newRunId } from "../../system/ids.ts";
import type { FolderViews } from "./folder-view.ts";
import { toldWords } from "./told-words.ts";

export interface PersonDeps {
  readonly places: Places;
  readonly views: FolderViews;
  readonly clock: Clock;
  /** Local calendar date. */
  today(): string;
  projectAt(path: string): ProjectRef;
  /** Commits and notes the run in the ledger. */
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
}

export async function answerRemember(request: RememberRequest, deps: PersonDeps): Promise<RememberReply> {
  const project = deps.projectAt(request.project);
  const { memoryDir } = deps.places.placeOf(project);
  const shared = deps.places.projectsAt(memoryDir).length > 1;
  const told = toldWords(request.text);
  if (told.refused !== undefined) {
    return { v: 1, outcome: "refused", file: null, path: null, ...told.refused };
  }
  const { text } = told;
  const now = deps.clock.now();
  const run = newRunId(now);
  const recordId = `remember-${run}`;
  // What was asked for in so many words is kept also where its day cannot be told.
  const dated = (await absoluteDates(text, { saidAt: now, now, timeZone: deps.clock.timeZone() })) ?? text;
  const view = deps.views.view(memoryDir);
  const finding = {
    memory: draftOf({ text: dated, type: request.type ?? kindOf(text), saidOn: deps.today() }),
    evidence: [
      {
        session: { agent: "claude-code", id: "engramd-remember", projectId: project.id },
        recordId,
        by: "user",
        quote: text,
        at: now,
      },
    ],
  } as const;
  const changes = planChanges([finding], {
    memories: view?.memories ?? [],
    taken: new Set([...(view?.memories ?? []).map((memory) => memory.file), ...(view?.unavailable ?? [])]),
    today: deps.today(),
    timeZone: deps.clock.timeZone(),
    origin: shared ? project.root : undefined,
  });
  const set = setOf(changes, { run, kind: "remember", project, memoryDir });
  const result = await deps.commit(set, {
    evidenceTexts: new Map([[recordId, text]]),
    sharedFolder: shared,
    keep: request.keep === true,
  });
  return rememberReply(result, memoryDir);
}

function rememberReply(result: CommitResult, memoryDir: string): RememberReply {
  const [verdict] = result.verdicts;
  const [written] = result.written;
  if (verdict !== undefined && !verdict.accepted) {
    const { reason, message } = verdict;
    return { v: 1, outcome: "refused", file: null, path: null, reason, message };
  }
  if (written === undefined || written.op === "deleted") {
    return {
      v: 1,
      outcome: "confirmed",
      file: null,
      path: null,
      reason: null,
      message: "already remembered",
    };
  }
  const path = `${memoryDir}/${written.file}`;
  return {
    v: 1,
    outcome: written.op,
    file: written.file,
    path,
    reason: null,
    message: `${written.op} ${path}`,
  };
}

export interface SetContext {
  readonly run: RunId;
  readonly kind: string;
  readonly project: ProjectRef;
  readonly memoryDir: string;
}

export function setOf(changes: readonly MemoryChange[], context: SetContext): ChangeSet {
  return { ...context, trigger: "person", changes, producer: "person" };
}
