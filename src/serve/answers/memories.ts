// `list`, `show`: what is remembered, straight from the files. Writes nothing.
import type { Memory } from "../../domain/memories.ts";
import type { MemoriesRequest, MemoryItem, MemoryList } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { AppError } from "../../domain/errors.ts";
import type { Places } from "../../intake/projects/places.ts";
import { ageDays } from "../../memory/files/freshness.ts";
import { memoriesNamed } from "../../memory/gate/person.ts";
import type { Clock } from "../../system/clock.ts";
import type { FolderViews } from "./folder-view.ts";

export interface MemoriesDeps {
  readonly places: Places;
  readonly views: FolderViews;
  readonly clock: Clock;
  /** The project a path belongs to. Throws `unknown-project` for ignored folders. */
  projectAt(path: string): ProjectRef;
}

/** Memories of one list; far above any genuine number. */
const LISTED_MAX = 20_000;

export function answerMemories(request: MemoriesRequest, deps: MemoriesDeps): MemoryList {
  const memories: MemoryItem[] = [];
  const notMemories: { file: string; project: string; why: string }[] = [];
  for (const { memoryDir, project } of foldersOf(request, deps)) {
    const view = request.all === true ? deps.views.oneOfMany(memoryDir) : deps.views.view(memoryDir);
    if (view === undefined) continue;
    if ("unreadable" in view) {
      notMemories.push({ file: memoryDir, project, why: `it cannot be read (${view.unreadable})` });
      continue;
    }
    const wanted = request.name === undefined ? view.memories : memoriesNamed(view.memories, request.name);
    for (const memory of wanted) {
      if (memories.length < LISTED_MAX)
        memories.push(itemOf(memory, { project, withBody: request.name !== undefined, deps }));
    }
    for (const file of view.conflictCopies) notMemories.push({ file, project, why: "conflict copy" });
    for (const { file, why } of view.notMemories) notMemories.push({ file, project, why });
  }
  return { v: 1, memories, notMemories };
}

/** The memory folders a request is about, each with its project. */
export function foldersOf(
  request: MemoriesRequest,
  deps: MemoriesDeps,
): { memoryDir: string; project: string }[] {
  if (request.all !== true) {
    if (request.project === undefined) throw projectMissing();
    const project = deps.projectAt(request.project);
    return [{ memoryDir: deps.places.placeOf(project).memoryDir, project: project.root }];
  }
  const folders = new Map<string, string>();
  for (const project of deps.places.known())
    folders.set(deps.places.placeOf(project).memoryDir, project.root);
  return [...folders].map(([memoryDir, project]) => ({ memoryDir, project }));
}

function projectMissing(): AppError {
  return new AppError({
    code: "project-missing",
    message: "no project was named",
    fix: "give --project PATH or --all",
  });
}

export interface ItemContext {
  readonly project: string;
  readonly withBody: boolean;
  readonly deps: MemoriesDeps;
}

/** A memory as every list shows it. */
export function itemOf(memory: Memory, { project, withBody, deps }: ItemContext): MemoryItem {
  const { clock } = deps;
  return {
    name: memory.name ?? memory.file.replace(/\.md$/, ""),
    file: memory.file,
    type: memory.type ?? null,
    description: memory.description ?? null,
    project: memory.origin ?? project,
    modified: memory.modified ?? new Date(memory.mtimeMs).toISOString(),
    confirmed: memory.confirmed ?? null,
    ageDays: ageDays(memory, { now: clock.now(), timeZone: clock.timeZone() }),
    links: memory.links,
    evidence: memory.evidence,
    score: null,
    ...(withBody ? { body: memory.body } : {}),
  };
}
