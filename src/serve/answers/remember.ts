// `remember` and `forget`: what a person asks for directly, through the same gate as everything else.
import type { ChangeSet, MemoryChange, RunId } from "../../domain/changes.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { MemoryDraft, MemoryType } from "../../domain/memories.ts";
import type { ForgetReply, ForgetRequest, RememberReply, RememberRequest } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { slugOf } from "../../memory/files/file-name.ts";
import { forgetChange, memoriesNamed } from "../../memory/gate/person.ts";
import type { CommitOptions, CommitResult } from "../../memory/journal/commit.ts";
import { planChanges } from "../../learn/jobs/extract/plan.ts";
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

const DESCRIPTION_CHARS = 120;
const NAME_WORDS = 6;

export async function answerRemember(request: RememberRequest, deps: PersonDeps): Promise<RememberReply> {
  const project = deps.projectAt(request.project);
  const { memoryDir } = deps.places.placeOf(project);
  const shared = deps.places.projectsAt(memoryDir).length > 1;
  const told = toldWords(request.text);
  if (told.refused !== undefined) {
    return { v: 1, outcome: "refused", file: null, path: null, ...told.refused };
  }
  const { text } = told;
  const run = newRunId(deps.clock.now());
  const recordId = `remember-${run}`;
  const view = deps.views.view(memoryDir);
  const finding = {
    memory: draftOf(text, { type: request.type ?? "feedback", today: deps.today() }),
    evidence: [
      {
        session: { agent: "claude-code", id: "engramd-remember", projectId: project.id },
        recordId,
        by: "user",
        quote: text,
        at: deps.clock.now(),
      },
    ],
  } as const;
  const changes = planChanges([finding], {
    memories: view?.memories ?? [],
    taken: new Set([...(view?.memories ?? []).map((memory) => memory.file), ...(view?.unavailable ?? [])]),
    today: deps.today(),
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

/** A memory out of one typed sentence; the person's words are the body, word for word. */
function draftOf(
  text: string,
  { type, today }: { readonly type: MemoryType; readonly today: string },
): MemoryDraft {
  const line = text.replace(/\s+/g, " ");
  const description =
    line.length <= DESCRIPTION_CHARS ? line : `${line.slice(0, DESCRIPTION_CHARS - 1).trimEnd()}…`;
  const explained = type === "feedback" || type === "project";
  const body = explained
    ? `${text}\n\n**Why:** asked for directly on ${today}.\n**How to apply:** wherever it fits.\n`
    : `${text}\n`;
  return { name: slugOf(line.split(" ").slice(0, NAME_WORDS).join(" ")), description, type, body };
}

interface SetContext {
  readonly run: RunId;
  readonly kind: string;
  readonly project: ProjectRef;
  readonly memoryDir: string;
}

function setOf(changes: readonly MemoryChange[], context: SetContext): ChangeSet {
  return { ...context, trigger: "person", changes, producer: "person" };
}

/** Better refused than half done: what is purged must be gone from every place. */
function purgeUnknown(): AppError {
  return new AppError({
    code: "not-supported",
    message: "this version cannot purge a memory from its history",
    fix: "forget it without --purge",
    exitCode: EXIT.usage,
  });
}

export async function answerForget(request: ForgetRequest, deps: PersonDeps): Promise<ForgetReply> {
  if (request.purge === true) throw purgeUnknown();
  const project = deps.projectAt(request.project);
  const { memoryDir } = deps.places.placeOf(project);
  const found = memoriesNamed(deps.views.view(memoryDir)?.memories ?? [], request.name);
  const matches = found.map((memory) => memory.file);
  const [memory] = found;
  if (memory === undefined) {
    return {
      v: 1,
      outcome: "not-found",
      file: null,
      message: `no memory is called ${request.name}`,
      matches,
    };
  }
  if (found.length > 1) {
    const message = `${request.name} names ${found.length} memories: ${matches.join(", ")}`;
    return { v: 1, outcome: "ambiguous", file: null, message, matches };
  }
  const run = newRunId(deps.clock.now());
  const set = setOf([forgetChange(memory)], { run, kind: "forget", project, memoryDir });
  const result = await deps.commit(set, { evidenceTexts: new Map() });
  const [verdict] = result.verdicts;
  if (verdict !== undefined && !verdict.accepted) {
    return { v: 1, outcome: "refused", file: memory.file, message: verdict.message, matches };
  }
  return { v: 1, outcome: "forgotten", file: memory.file, message: `forgot ${memory.file}`, matches };
}
