// Which projects there are and where their memory lies; moves one to a better folder, or back. Decides; the moving
// itself is `project-move.ts`.
import { AppError } from "../../domain/errors.ts";
import type { MoveReply, MoveRequest, ProjectItem, ProjectList } from "../../domain/projects.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import { isInside } from "../../system/paths.ts";
import type { Clock } from "../../system/clock.ts";
import type { FolderViews } from "./folder-view.ts";
import type { Content, Move, MoveDeps } from "./project-move.ts";
import { abandonMove, lookAtContent, performMove } from "./project-move.ts";

export interface ProjectsDeps extends MoveDeps {
  readonly clock: Clock;
  readonly catalog: Pick<Catalog, "entriesOf">;
  readonly views: Pick<FolderViews, "summary">;
  projectAt(path: string): ProjectRef;
  /** What was learnt of the project goes on in its new folder. */
  moved(memoryDir: string): void;
}

/** Every project with sessions or memories; a folder somebody only asked about is none. */
export function listProjects(deps: Pick<ProjectsDeps, "places" | "catalog" | "views">): ProjectList {
  const projects = deps.places
    .known()
    .map((project) => ({ item: itemOf(project, deps), project }))
    // Where no daemon runs the catalog is empty, and a project that a mode keeps from being read is one all the same.
    .filter(
      ({ item, project }) => item.memories > 0 || item.agents.length > 0 || deps.places.hasSessions(project),
    )
    .map(({ item }) => item)
    .toSorted((a, b) => (a.root < b.root ? -1 : 1));
  return { v: 1, projects };
}

function itemOf(
  project: ProjectRef,
  { places, catalog, views }: Pick<ProjectsDeps, "places" | "catalog" | "views">,
): ProjectItem {
  const { memoryDir, mode } = places.placeOf(project);
  const last = places.moves.moveOf(project);
  const agents = catalog.entriesOf(project.id).map(({ source }) => source.root.agent);
  return {
    key: project.key,
    root: project.root,
    memoryDir,
    mode,
    memories: views.summary(memoryDir).memories,
    agents: [...new Set(agents)].toSorted(),
    better: places.moves.better(project) ?? null,
    movedFrom: last?.step === "done" && !last.back && last.to === memoryDir ? last.from : null,
  };
}

export async function answerMove(request: MoveRequest, deps: ProjectsDeps): Promise<MoveReply> {
  deps.places.recheck();
  const project = deps.projectAt(request.project);
  const back = request.back === true;
  const last = deps.places.moves.moveOf(project);
  if (last?.step === "copying" && last.back !== back) {
    if (request.dryRun !== true) abandonMove(deps, project, last);
    const message = `the broken off move of ${project.root} is given up; its memory is where it was`;
    return { ...replyFor(project, undefined), outcome: "nothing", message };
  }
  const move = decide(project, { ...deps, back });
  if (typeof move === "string") return { ...replyFor(project, undefined), outcome: "nothing", message: move };
  const taken = move.unfinished === undefined ? placeTaken(move, deps) : undefined;
  const isLookedAt = move.unfinished === undefined && taken === undefined;
  const content = isLookedAt ? lookAtContent(deps, move) : NOTHING_LEFT;
  const reply = replyFor(project, { move, content });
  const parked = deps.places.placeOf(project).parked;
  const why = taken ?? parked ?? sharedWith(move, deps) ?? inTheWay(content);
  if (why !== undefined) return { ...reply, outcome: "refused", message: why };
  if (request.dryRun === true)
    return { ...reply, outcome: "planned", message: `${content.files.length} files would be copied` };
  const { kept, to } = await performMove(deps, move);
  deps.moved(to);
  return { ...reply, to, outcome: "moved", kept, message: `the memory of ${project.root} is in ${to} now` };
}

const NOTHING_LEFT: Content = { files: [], conflicts: [] };

interface Wish extends Pick<ProjectsDeps, "places" | "clock" | "files"> {
  readonly back: boolean;
}

/** The move to make, or why there is none. */
function decide(project: ProjectRef, { places, clock, files, back }: Wish): Move | string {
  const last = places.moves.moveOf(project);
  const at = new Date(clock.now()).toISOString();
  if (last?.step === "switched" && last.back === back) {
    const { from, to } = last;
    return { project, from, to, at: last.at, back, unfinished: last };
  }
  if (last?.step === "switched") throw unfinished(project, last.back);
  const { memoryDir: from } = places.placeOf(project);
  const base = { project, from, at, back, unfinished: undefined };
  if (last?.step === "copying") return { ...base, to: last.to };
  if (back)
    return last === undefined || last.back || last.to !== from
      ? "no move of this project can be taken back"
      : { ...base, to: last.from };
  const better = places.moves.better(project);
  if (better === undefined) return `the memory of ${project.root} is where its agent reads it`;
  return files.follow(from) === undefined ? "there is no memory to move yet" : { ...base, to: better };
}

/** What lies where the new folder would be; one that leads to the old one would go away with it. */
function placeTaken({ from, to }: Move, { files }: Pick<ProjectsDeps, "files">): string | undefined {
  if (files.look(to) === undefined) return undefined;
  if (files.follow(to)?.kind !== "folder") return `${to} is no folder: nothing was moved`;
  const [here, there] = [files.real(from) ?? from, files.real(to) ?? to];
  if (!isInside(here, there) && !isInside(there, here)) return undefined;
  return `${to} leads to ${there}, where the memory is already: nothing was moved`;
}

/** The other project would lose its folder. */
function sharedWith({ project, from }: Move, { places }: Pick<ProjectsDeps, "places">): string | undefined {
  const others = places.projectsAt(from).filter(({ id }) => id !== project.id);
  return others.length === 0
    ? undefined
    : `${from} also holds the memory of ${others[0]?.root ?? "another project"}`;
}

/** Two are named in the sentence, all in the document. */
function inTheWay({ conflicts }: Content): string | undefined {
  const [first] = conflicts;
  if (first === undefined) return undefined;
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : "";
  return `${first.from} and ${first.to} differ${more}: nothing was moved`;
}

interface Planned {
  readonly move: Move;
  readonly content: Content;
}

function replyFor(project: ProjectRef, planned: Planned | undefined): Omit<MoveReply, "outcome" | "message"> {
  return {
    v: 1,
    root: project.root,
    from: planned?.move.from ?? null,
    to: planned?.move.to ?? null,
    files: planned?.content.files.length ?? 0,
    kept: null,
    conflicts: planned?.content.conflicts ?? [],
  };
}

function unfinished({ root }: ProjectRef, back: boolean): AppError {
  return new AppError({
    code: "project-move-unfinished",
    message: `the last move of ${root} was broken off`,
    fix: `finish it first: engramd project move${back ? " --back" : ""}`,
  });
}
