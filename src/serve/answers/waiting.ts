// What a message nobody has read yet waits for, and until when. From what the parts say of themselves; changes nothing.
import type { Reason } from "../../domain/account.ts";
import type { AgentId, ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { JobDescription, QueueDescription } from "../../intake/queue/queue.ts";
import type { Budget } from "../../learn/models/budget.ts";
import type { Activity } from "./activity.ts";
import type { Pause } from "./pause.ts";
import type { LiveFacts } from "./snapshot.ts";
import { reasonOf, type WhyCode } from "./why-words.ts";

export interface WaitDeps {
  readonly places: Places;
  readonly pause: Pause;
  readonly budget: Budget;
  readonly activity: Activity;
  queue(): QueueDescription;
  live(): LiveFacts;
  readsByModel(agent: AgentId): boolean;
}

export interface Wait {
  readonly reason: Reason;
  /** ISO time; null: nobody knows. */
  readonly until: string | null;
}

export function waitOf(
  { project, agent }: { readonly project: ProjectRef; readonly agent: AgentId },
  deps: WaitDeps,
): Wait {
  const { memoryDir, parked } = deps.places.placeOf(project);
  const paused = deps.pause.current();
  if (paused !== undefined) return { reason: reasonOf("paused"), until: paused.until };
  if (parked !== undefined) return waiting("parked", undefined);
  if (deps.live().pid === null) return waiting("not-running", undefined);
  const job = deps.queue().jobs.find(({ lane }) => lane === memoryDir);
  if (job !== undefined) return waitOfJob(job);
  const due = deps.live().dueAt(memoryDir);
  const { lastRun, lastSkip } = deps.activity.of(memoryDir);
  if (due === undefined) {
    return waiting(lastRun?.outcome === "cancelled" ? "cancelled" : "next-round", undefined);
  }
  const skipped = lastSkip?.reason;
  if (skipped === "too-little-new" || skipped === "resting") return waiting(skipped, due);
  const ceiling = deps.readsByModel(agent) ? deps.budget.exhausted() : undefined;
  if (ceiling === undefined) return waiting("quiet", due);
  // One that holds less than a single request opens at no midnight.
  return waiting("over-budget", ceiling.tooLow === true ? undefined : due);
}

function waitOfJob({ state, dueAt, reason }: JobDescription): Wait {
  if (state === "running") return waiting("running", undefined);
  if (state === "waiting") return waiting("queued", undefined);
  const { reason: told, until } = waiting(state, dueAt);
  const message = reason === undefined ? told.message : `${told.message} (${reason})`;
  return { reason: { ...told, message }, until };
}

function waiting(code: WhyCode, due: number | undefined): Wait {
  return { reason: reasonOf(code), until: due === undefined ? null : new Date(due).toISOString() };
}
