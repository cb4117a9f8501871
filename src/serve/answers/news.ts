// `news`: what was learned, changed and removed since a person last looked, from the journal. Changes nothing but when
// that was, and only when a person looks.
import type { NewsItem, NewsReply, NewsRequest } from "../../domain/account.ts";
import type { Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Places } from "../../intake/projects/places.ts";
import { parseTopicFile } from "../../memory/files/topic-file.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import { changesByFile, type FileChange, type Trail } from "../../memory/journal/trail.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import type { FolderViews } from "./folder-view.ts";
import { loadLooks, looksAfter, saveLooks } from "./looks.ts";
import { changedBy } from "./why-memory.ts";

export interface NewsDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly stateDir: string;
  readonly places: Places;
  readonly views: FolderViews;
  readonly writer: Pick<MemoryWriter, "trail">;
  projectAt(path: string): ProjectRef;
}

/** What a first look tells about. */
const FIRST_MS = 7 * 86_400_000;
/** A run commits under the time it began; none takes so long. */
const RUN_MS = 3_600_000;
/** Items of one project that are told; a person reads the newest. */
const ITEMS_MAX = 200;

export async function answerNews(
  { looked = false, project: path }: NewsRequest,
  deps: NewsDeps,
): Promise<NewsReply> {
  const { places, clock } = deps;
  const now = clock.now();
  const known = loadLooks(now, deps);
  const only = path === undefined ? undefined : deps.projectAt(path);
  const folders = new Map<string, ProjectRef>();
  for (const project of only === undefined ? places.known() : [only]) {
    const { memoryDir } = places.placeOf(project);
    if (!folders.has(memoryDir)) folders.set(memoryDir, project);
  }
  const sinceOf = (project: ProjectRef) => known.projects[project.id] ?? known.all ?? now - FIRST_MS;
  const notShown: Item<NewsReply["notShown"]>[] = [];
  const unseen: Record<string, Instant> = {};
  const projects = [...folders].flatMap(([memoryDir, project]) => {
    const news = newsOf(memoryDir, {
      since: sinceOf(project),
      root: project.root,
      isOnly: only !== undefined,
      deps,
    });
    if ("unreadable" in news) {
      notShown.push({ memoryDir, project: project.root, why: `it cannot be read (${news.unreadable})` });
      unseen[project.id] = sinceOf(project);
      return [];
    }
    const isEmpty = news.items.length === 0 && news.confirmed === 0;
    return isEmpty ? [] : [{ project: project.root, memoryDir, ...news }];
  });
  const first = only === undefined ? known.all === undefined : known.projects[only.id] === undefined;
  const since = only === undefined ? (known.all ?? now - FIRST_MS) : sinceOf(only);
  if (looked) saveLooks(deps, looksAfter(known, { only, unseen, now }));
  return {
    v: 1,
    since: iso(since),
    first: first && known.all === undefined,
    projects,
    ...(notShown.length === 0 ? {} : { notShown }),
  };
}

type Item<T> = NonNullable<T> extends readonly (infer I)[] ? I : never;

interface Folder {
  readonly since: Instant;
  /** The project, or one of those that share the folder. */
  readonly root: string;
  /** Nobody asked for any other: that it cannot be read is the answer. */
  readonly isOnly: boolean;
  readonly deps: NewsDeps;
}

function newsOf(
  memoryDir: string,
  { since, root, isOnly, deps }: Folder,
):
  | Pick<NewsReply["projects"][number], "since" | "items" | "confirmed" | "more">
  | { readonly unreadable: string } {
  const trail = deps.writer.trail(memoryDir);
  const entries = trail.entries(since - RUN_MS).filter(({ at }) => Date.parse(at) > since);
  if (entries.length === 0) return { since: iso(since), items: [], confirmed: 0, more: 0 };
  const view = isOnly ? deps.views.view(memoryDir) : deps.views.oneOfMany(memoryDir);
  if (view !== undefined && "unreadable" in view) return view;
  const memories = new Map((view?.memories ?? []).map((each) => [each.file, each]));
  const items: NewsItem[] = [];
  let confirmed = 0;
  for (const [file, changes] of changesByFile(entries)) {
    const item = itemOf(changes, { memory: memories.get(file), root, trail });
    if (item !== undefined) items.push(item);
    else if (changes.some(({ op }) => op.op === "confirmed") && memories.has(file)) confirmed += 1;
  }
  const newest = items.toSorted((a, b) => (a.at > b.at ? -1 : 1));
  const more = Math.max(0, items.length - ITEMS_MAX);
  return { since: iso(since), items: newest.slice(0, ITEMS_MAX), confirmed, more };
}

interface Now {
  /** Undefined: there is no such file now. */
  readonly memory: Memory | undefined;
  readonly root: string;
  readonly trail: Trail;
}

/** What became of one file on the whole; undefined when its text is what it was. */
function itemOf(changes: readonly FileChange[], { memory, root, trail }: Now): NewsItem | undefined {
  const first = changes[0];
  // Only bookkeeping moved: said again, or resting on less.
  const telling = changes.findLast(({ op }) => op.op !== "confirmed" && !isBookkeeping(op));
  if (first === undefined || telling === undefined) return undefined;
  const { op, at, run, producer } = telling;
  const wasThere = first.op.op !== "created";
  const what = op.op === "deleted" ? "removed" : wasThere ? "changed" : "learned";
  const isMadeOver = changes.some((change) => change !== first && MAKING_OVER.has(change.kind));
  // Came and went between two looks; what was taken out by a rule or a model is told all the same.
  if (what === "removed" && !wasThere && !isMadeOver) return undefined;
  const text = op.op === "deleted" && op.before !== null ? trail.image(op.before) : undefined;
  const topic = op.op === "deleted" ? text && parseTopicFile(text) : memory;
  const forgetting = memory === undefined ? null : forgetCommand(op.file, memory.origin ?? root);
  return {
    what,
    file: op.file,
    name: (topic ? topic.name : undefined) ?? op.file.replace(/\.md$/u, ""),
    type: (topic ? topic.type : undefined) ?? null,
    description: (topic ? topic.description : undefined) ?? null,
    at,
    by: changedBy(producer),
    run,
    // What was made of several memories is not forgotten as one of them.
    undo: what === "learned" && !isMadeOver ? forgetting : undoCommand(producer, run),
  };
}

/** Runs that go over what is there, and may make one memory of two. */
const MAKING_OVER: ReadonlySet<string> = new Set(["dream", "lint"]);

/** A memory that rests on less says what it said; an undo may put back its text as well. */
function isBookkeeping({ withdrawn, lifted }: FileChange["op"]): boolean {
  return withdrawn !== undefined && lifted === undefined;
}

/** Puts the older text back; what was done by hand is the person's own. */
function undoCommand(producer: string, run: string): string | null {
  return producer === "hand" ? null : `engramd undo ${shellWord(run)}`;
}

/** With the project: whoever reads the news of all of them stands in one, and may have a memory of the same name there. */
function forgetCommand(file: string, root: string): string {
  return `engramd forget ${shellWord(file)} --project ${shellWord(root)}`;
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}
