// The nightly distillation put together: which folders have logs, what of the night is left, and its job, loaded with the
// first one.
import { join } from "node:path";
import type { GateAnswer, GateReason } from "../domain/consolidation.ts";
import type { Instant } from "../domain/records.ts";
import type { ProjectRef } from "../domain/sessions.ts";
import type { Places } from "../intake/projects/places.ts";
import type { ConsolidationJob } from "../learn/jobs/consolidating.ts";
import type { Due } from "../learn/jobs/distill/due.ts";
import { distillDue } from "../learn/jobs/distill/due.ts";
import type { LastDone } from "../learn/jobs/distill/last-done.ts";
import type { Pause } from "../serve/answers/pause.ts";
import type { Clock } from "../system/clock.ts";
import type { Files } from "../system/files.ts";
import { readCron } from "../system/cron-pattern.ts";
import { type Schedule, scheduleOf } from "../system/schedule.ts";
import type { WakeWatch } from "../system/wake.ts";
import type { GateAsk, KindParts } from "./consolidating.ts";

export interface DistillingDeps {
  readonly clock: Clock;
  readonly files: Pick<Files, "look">;
  readonly places: Pick<Places, "known" | "placeOf">;
  readonly pause: Pick<Pause, "current">;
  readonly wake: Pick<WakeWatch, "settlesUntil">;
  readonly lastDone: LastDone;
  settings(): { readonly enabled: boolean; readonly schedule: string };
  loadJob(): Promise<ConsolidationJob>;
}

/** A folder that failed is tried again so often in one night, each time after another hour; then the next night. */
const RETRIES_MAX = 4;
const RETRY_MS = 3_600_000;

/** What of a night is not done. */
interface Night {
  readonly date: string;
  /** Failures by folder. */
  readonly left: Map<string, { readonly failures: number; readonly notBefore: Instant }>;
}

interface State extends DistillingDeps {
  schedule: { readonly text: string; readonly slots: Schedule } | undefined;
  due: Due | undefined;
  night: Night | undefined;
}

export function createDistilling(deps: DistillingDeps): KindParts {
  const state: State = { ...deps, schedule: undefined, due: undefined, night: undefined };
  let job: Promise<ConsolidationJob> | undefined;
  return {
    prepare: () => prepare(state),
    folders: () => foldersWithLogs(deps),
    gate: (memoryDir, projects, ask) => gateOf({ memoryDir, projects, ask }, state),
    job: () => (job ??= deps.loadJob()),
    ended(memoryDir, end) {
      const left = state.night?.left;
      const known = left?.get(memoryDir);
      if (left === undefined || known === undefined) return;
      const failures = known.failures + 1;
      const notBefore = retryAt(end, deps.clock.now() + failures * RETRY_MS);
      if (notBefore === undefined || failures > RETRIES_MAX) left.delete(memoryDir);
      else left.set(memoryDir, { failures, notBefore });
    },
    allDone() {
      const { night } = state;
      if (night === undefined || isLeft(night, state)) return;
      deps.lastDone.save(night.date);
      state.night = undefined;
    },
  };
}

/** A day begins: every folder with logs has its night before it. */
async function prepare(state: State): Promise<void> {
  const { clock } = state;
  const text = state.settings().schedule;
  if (state.schedule?.text !== text) {
    state.schedule = { text, slots: scheduleOf(readCron(text)) };
  }
  const { slots: schedule } = state.schedule;
  const last = state.lastDone.load();
  state.due = distillDue({ now: clock.now(), timeZone: clock.timeZone(), schedule, last });
  const { due, date } = state.due;
  if (!due || state.night?.date === date) return;
  const entries = foldersWithLogs(state).map((folder) => [folder, { failures: 0, notBefore: 0 }] as const);
  state.night = { date, left: new Map(entries) };
}

/** Undefined: done. Who found the folder taken, or a log still written to, is told when to come back. */
function retryAt(end: Parameters<KindParts["ended"]>[1], later: Instant): Instant | undefined {
  if ("error" in end || end.reply.outcome === "failed") return later;
  const { outcome, dueAt } = end.reply;
  return outcome === "skipped" && dueAt !== undefined ? Date.parse(dueAt) : undefined;
}

/** A folder that is off or away would keep the night open, and the next one would begin at midnight. */
function isLeft({ left }: Night, state: State): boolean {
  const found = state.places.known().map((project) => state.places.placeOf(project));
  return foldersWithLogs(state).some((folder) => {
    const own = found.filter(({ memoryDir }) => memoryDir === folder);
    const isReady =
      own.some(({ off }) => off === undefined) && own.every(({ parked }) => parked === undefined);
    return isReady && left.has(folder);
  });
}

function foldersWithLogs({ places, files }: Pick<DistillingDeps, "places" | "files">): readonly string[] {
  const folders = new Set(places.known().map((project) => places.placeOf(project).memoryDir));
  return [...folders].filter((memoryDir) => files.look(join(memoryDir, LOGS_FOLDER))?.kind === "folder");
}

const LOGS_FOLDER = "logs";

interface Question {
  readonly memoryDir: string;
  readonly projects: readonly ProjectRef[];
  readonly ask: GateAsk;
}

function gateOf({ memoryDir, projects, ask }: Question, state: State): GateAnswer {
  const { settings, places, pause, files, clock, due, night, wake } = state;
  const found = projects.map((project) => places.placeOf(project));
  const paused = pause.current();
  if (!settings().enabled || found.every(({ off }) => off !== undefined)) return no("switched-off");
  if (paused !== undefined) return no("paused", paused.until === null ? undefined : Date.parse(paused.until));
  if (found.some(({ parked }) => parked !== undefined)) return no("parked");
  const logs = files.look(join(memoryDir, LOGS_FOLDER))?.kind;
  // A person is told what stands in its place.
  if (logs === undefined || (logs !== "folder" && ask !== "person")) return no("nothing-new");
  if (ask === "person") return { open: true };
  if (due?.due !== true) return no("too-soon", due?.dueAt);
  const left = night?.left.get(memoryDir);
  if (left === undefined)
    return no("nothing-new", state.schedule?.slots.nextAfter(clock.now(), clock.timeZone()));
  if (left.notBefore > clock.now()) return no("backing-off", left.notBefore);
  const wokeUntil = wake.settlesUntil();
  return wokeUntil === undefined ? { open: true } : no("just-woken", wokeUntil);
}

function no(reason: GateReason, dueAt?: Instant): GateAnswer {
  return { open: false, reason, dueAt };
}
