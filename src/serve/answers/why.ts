// `why`: finds out what a person asks about - a session or a memory - and has its story told.
import type { WhyReply, WhyRequest } from "../../domain/account.ts";
import { AppError, systemCode } from "../../domain/errors.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { memoriesNamed } from "../../memory/gate/person.ts";
import { goneFilesCalled } from "../../memory/journal/trail.ts";
import type { FolderViews } from "./folder-view.ts";
import { sessionCalled } from "./sessions.ts";
import { storyOfMemory, type WhyMemoryDeps } from "./why-memory.ts";
import { storyOfSession, type WhySessionDeps } from "./why-session.ts";

export interface WhyDeps extends WhySessionDeps, WhyMemoryDeps {
  readonly views: FolderViews;
  readonly writer: WhySessionDeps["writer"] & WhyMemoryDeps["writer"];
  projectAt(path: string): ProjectRef;
}

/** Throws `unknown-name`, `ambiguous-name`, `ambiguous-session` or `transcript-gone`. */
export async function answerWhy({ what, project: path }: WhyRequest, deps: WhyDeps): Promise<WhyReply> {
  const isPath = what.startsWith("/");
  // The working folder may belong to no project; a session is asked about from anywhere.
  const named = isPath ? undefined : memoryCalled(what, path, deps);
  if (named !== undefined) return storyOfMemory(named, deps);
  const session = sessionCalled(what, deps.catalog);
  if (session === undefined) throw unknown(what);
  try {
    return await storyOfSession(session, deps);
  } catch (error) {
    if (systemCode(error) !== "source-gone") throw error;
    throw new AppError({
      code: "transcript-gone",
      message: `the transcript of ${session.session} is gone`,
      fix: "ask about the memory instead: engramd why NAME",
      cause: error,
    });
  }
}

type Named = Parameters<typeof storyOfMemory>[0];

function memoryCalled(what: string, path: string, deps: WhyDeps): Named | undefined {
  const project = projectOrNone(path, deps);
  if (project === undefined) return undefined;
  const { memoryDir } = deps.places.placeOf(project);
  const live = deps.views.view(memoryDir)?.memories ?? [];
  const found = memoriesNamed(live, what);
  if (found.length > 1)
    throw ambiguous(
      what,
      found.map(({ file }) => file),
    );
  const trail = deps.writer.trail(memoryDir);
  const [memory] = found;
  if (memory !== undefined) return { project, file: memory.file, memory, trail };
  const byFile = [what, `${what}.md`].filter((name) => trail.evidence.some((line) => line.file === name));
  const gone = byFile.length > 0 ? byFile.slice(0, 1) : goneFilesCalled(what, { ...trail, live });
  if (gone.length > 1) throw ambiguous(what, gone);
  const [file] = gone;
  return file === undefined ? undefined : { project, file, memory: undefined, trail };
}

function projectOrNone(path: string, { projectAt }: WhyDeps): ProjectRef | undefined {
  try {
    return projectAt(path);
  } catch (error) {
    if (systemCode(error) === "no-project") return undefined;
    throw error;
  }
}

function ambiguous(what: string, files: readonly string[]): AppError {
  return new AppError({
    code: "ambiguous-name",
    message: `${JSON.stringify(what)} names ${files.length} memories`,
    fix: `name one of ${files.join(", ")}`,
  });
}

function unknown(what: string): AppError {
  return new AppError({
    code: "unknown-name",
    message: `${JSON.stringify(what)} is no memory of this project and no session engramd knows`,
    fix: "give the name of a memory (engramd list), a session id, or the path of a transcript",
  });
}
