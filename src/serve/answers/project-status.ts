// The status of each project: what is in its memory, what it waits for, when what is due.
import { CONSOLIDATION_KINDS, WAIT_REASONS } from "../../domain/consolidation.ts";
import type { ConsolidationKind, GateAnswer, GateReason } from "../../domain/consolidation.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { ProjectStatus } from "../../domain/status.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { JobDescription } from "../../intake/queue/queue.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import { EXTRACT } from "../../learn/jobs/extract/index.ts";
import type { Budget } from "../../learn/models/budget.ts";
import type { Activity } from "./activity.ts";
import type { FolderViews } from "./folder-view.ts";

export interface ProjectStatusDeps {
  readonly catalog: Catalog;
  readonly places: Places;
  readonly views: FolderViews;
  readonly activity: Activity;
  readonly budget: Budget;
  /** What a dream or a distillation waited for when it was last considered. */
  lastGate(kind: ConsolidationKind, memoryDir: string): GateAnswer | undefined;
}

/** What is known at one moment. */
export interface Moment {
  readonly live: {
    /** When the folder's debounce ends. */
    dueAt(memoryDir: string): number | undefined;
  };
  readonly jobs: readonly JobDescription[];
}

/** A folder somebody only asked about is no project worth a line. */
export function projectsOf(deps: ProjectStatusDeps, { live, jobs }: Moment): ProjectStatus[] {
  // Where several kinds have a job in a folder, what is read there is what a person waits for.
  const byLane = new Map(
    jobs
      .toSorted((a, b) => Number(a.kind === EXTRACT) - Number(b.kind === EXTRACT))
      .map((job) => [job.lane, job]),
  );
  return deps.places
    .known()
    .filter((project) => deps.catalog.hasSources(project.id) || hasMemories(project, deps))
    .map((project) =>
      projectStatus(project, { deps, live, job: byLane.get(deps.places.placeOf(project).memoryDir) }),
    );
}

function hasMemories(project: ProjectRef, { places, views }: ProjectStatusDeps): boolean {
  return views.summary(places.placeOf(project).memoryDir).memories > 0;
}

function dueText(gate: GateAnswer | undefined): string | null {
  return gate?.open === false && gate.dueAt !== undefined ? new Date(gate.dueAt).toISOString() : null;
}

function reasonText(gate: GateAnswer | undefined): GateReason | null {
  return gate?.open === false ? gate.reason : null;
}

interface Waits {
  readonly gates: Readonly<Record<ConsolidationKind, GateAnswer | undefined>>;
  /** Of the folder's job in the queue. */
  readonly retryAt: string | null;
}

/** When what failed is tried again: the queue knows for what it retries, the gate for what waits for hours. */
function againAt(kind: string | undefined, { gates, retryAt }: Waits): string | null {
  const reworking = CONSOLIDATION_KINDS.find((each) => each === kind);
  if (reworking === undefined) return retryAt;
  const gate = gates[reworking];
  return WAIT_REASONS.some((wait) => wait === reasonText(gate)) ? dueText(gate) : null;
}

interface ProjectContext {
  readonly deps: ProjectStatusDeps;
  readonly live: Moment["live"];
  readonly job: JobDescription | undefined;
}

/** Where words were left unread for one of these, they wait for its end, whoever is quiet. */
const LEFT_FOR: ReadonlySet<string> = new Set(["over-budget", "resting", "too-little-new"]);

function waitsFor(lastSkip: ProjectStatus["lastSkip"]): string {
  return lastSkip !== null && LEFT_FOR.has(lastSkip.reason) ? lastSkip.reason : "quiet";
}

function projectStatus(project: ProjectRef, { deps, live, job }: ProjectContext): ProjectStatus {
  const { memoryDir, mode, off, parked } = deps.places.placeOf(project);
  const { memories, index } = deps.views.summary(memoryDir);
  const due = live.dueAt(memoryDir);
  const { lastRun, lastSkip, lastError } = deps.activity.of(memoryDir);
  const gates = { dream: deps.lastGate("dream", memoryDir), distill: deps.lastGate("distill", memoryDir) };
  const retryAt = job?.dueAt === undefined ? null : new Date(job.dueAt).toISOString();
  return {
    key: project.key,
    root: project.root,
    memoryDir,
    mode,
    memories,
    index,
    waitingFor:
      off ?? parked ?? job?.reason ?? (due === undefined ? (job?.state ?? null) : waitsFor(lastSkip)),
    lastRun,
    lastSkip,
    lastError:
      lastError === null ? null : { ...lastError, retryAt: againAt(lastError.kind, { gates, retryAt }) },
    nextDue: {
      extract: due === undefined ? retryAt : new Date(due).toISOString(),
      dream: dueText(gates.dream),
      distill: dueText(gates.distill),
    },
    gates: { dream: reasonText(gates.dream), distill: reasonText(gates.distill) },
    spentUsdToday: deps.budget.usdTodayIn(memoryDir),
  };
}
