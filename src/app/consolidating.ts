// Dreams and distillations put together: whose turn it is, that one runs at a time, and what became of each. Decides
// nothing itself: gates, due checks and jobs are `learn/jobs`.
import type { ConsolidationKind, ConsolidationReply, GateAnswer } from "../domain/consolidation.ts";
import { GATE_REASONS } from "../domain/consolidation.ts";
import { AppError, systemCode } from "../domain/errors.ts";
import type { JobOutcome, SkipReason } from "../domain/jobs.ts";
import type { Instant } from "../domain/records.ts";
import type { ProjectRef } from "../domain/sessions.ts";
import type { JobContext, JobKind } from "../intake/queue/job-kind.ts";
import type { Queue } from "../intake/queue/queue.ts";
import { CANCEL_CODES, jobKey } from "../intake/queue/queue.ts";
import type { ConsolidationJob } from "../learn/jobs/consolidating.ts";
import type { RunningRuns } from "../learn/jobs/running.ts";
import type { Book } from "../serve/answers/book.ts";
import type { Clock } from "../system/clock.ts";
import type { Emitter } from "../system/emitter.ts";
import { newRunId } from "../system/ids.ts";
import type { Instance } from "./instance.ts";

export interface ConsolidationWish {
  readonly kind: ConsolidationKind;
  readonly memoryDir: string;
  /** Whatever the gates say but for the lock. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly date?: string;
}

/**
 * Who asks: the clock; the clock, about a job it was granted before and whose turn it is now; a person, who need not wait
 * for quiet or a back-off.
 */
export type GateAsk = "clock" | "granted" | "person";

/** One of the two kinds, with what decides about it. */
export interface KindParts {
  /** Before gates are asked; may read a setting or load a module. */
  prepare(): Promise<void>;
  /** Memory folders that may be worth it. */
  folders(): readonly string[];
  /** Whether it may start now. */
  gate(memoryDir: string, projects: readonly ProjectRef[], ask: GateAsk): GateAnswer;
  /** Loaded with the first run. */
  job(): Promise<ConsolidationJob>;
  /** How a run that was no dry one ended; `error` where it rejected. */
  ended(memoryDir: string, end: { readonly reply: ConsolidationReply } | { readonly error: unknown }): void;
  /** Every folder was asked and none is due. */
  allDone(): void;
}

export interface ConsolidatingDeps {
  readonly clock: Clock;
  readonly running: RunningRuns;
  readonly during: Book["during"];
  /** Only with the lock of the state folder. */
  readonly whileHeld: Instance["whileHeld"];
  readonly kinds: Readonly<Record<ConsolidationKind, KindParts>>;
  readonly emitter: Pick<Emitter, "on">;
  queue(): Pick<Queue, "push" | "describe" | "whenIdle">;
  projectsAt(memoryDir: string): readonly ProjectRef[];
  sizeOf(memoryDir: string): ConsolidationReply["before"];
}

export interface Consolidating {
  /** For the queue. */
  readonly jobKinds: ReadonlyMap<string, JobKind>;
  /** Resolves when it is over. */
  readonly consolidate: (wish: ConsolidationWish) => Promise<ConsolidationReply>;
  /** Queues the first that is due, unless one waits or runs already. Answers when what waits after a wake may begin. */
  readonly consider: () => Promise<Instant | undefined>;
  /** Calls when one is over, until the returned function is called. */
  readonly onOver: (told: () => void) => () => void;
  /** A process died over them: not by itself again for a while, since it may have died of them. */
  readonly foundUnfinished: (memoryDirs: readonly string[]) => void;
  /** What was answered when it was considered last. */
  readonly lastGate: (kind: ConsolidationKind, memoryDir: string) => GateAnswer | undefined;
}

/** As long as a distillation that failed once waits; whoever starts us again after each death stops at a few an hour. */
const AFTER_DEATH_MS = 3_600_000;

/** The nightly logs first: a dream then finds what they taught. */
const ORDER: readonly ConsolidationKind[] = ["distill", "dream"];

interface Waiting extends ConsolidationWish {
  tell(reply: ConsolidationReply): void;
  fail(error: unknown): void;
}

interface State extends ConsolidatingDeps {
  /** What a person asked for and waits for, by key of its job. */
  readonly waiting: Map<string, Waiting>;
  readonly gates: Map<string, GateAnswer>;
  /** By key of its job. */
  readonly begunAt: Map<string, Instant>;
  /** By memory folder. */
  readonly notBefore: Map<string, Instant>;
  readonly listeners: Set<() => void>;
}

export function createConsolidating(deps: ConsolidatingDeps): Consolidating {
  const state: State = {
    ...deps,
    waiting: new Map(),
    gates: new Map(),
    begunAt: new Map(),
    notBefore: new Map(),
    listeners: new Set(),
  };
  return {
    jobKinds: new Map(
      ORDER.map((kind): [string, JobKind] => [
        kind,
        {
          name: kind,
          run: (key, context) => deps.whileHeld(() => runJob(state, { kind, key, context })),
        },
      ]),
    ),
    consolidate: (wish) => askFor(state, wish),
    consider: () => consider(state),
    onOver(told) {
      state.listeners.add(told);
      return () => void state.listeners.delete(told);
    },
    foundUnfinished(memoryDirs) {
      const until = deps.clock.now() + AFTER_DEATH_MS;
      for (const memoryDir of memoryDirs) state.notBefore.set(memoryDir, until);
    },
    lastGate: (kind, memoryDir) => state.gates.get(jobKey(kind, memoryDir)),
  };
}

async function consider(state: State): Promise<Instant | undefined> {
  for (const kind of ORDER) await state.kinds[kind].prepare();
  let settledAt: Instant | undefined;
  for (const kind of ORDER) {
    const open: string[] = [];
    for (const memoryDir of state.kinds[kind].folders()) {
      // A first sight is written down, and there may be thousands.
      await state.clock.yield();
      const gate = gateOf(state, { kind, memoryDir, ask: "clock" });
      if (gate.open) open.push(memoryDir);
      else if (gate.reason === "just-woken") settledAt ??= gate.dueAt;
    }
    // Another slot may have been served while this one yielded.
    if (isBusy(state)) continue;
    const begunAt = (memoryDir: string) => state.begunAt.get(jobKey(kind, memoryDir)) ?? 0;
    // The one that has waited longest: where many are due, the first of the list must not take every turn.
    const [next] = open.toSorted((one, other) => begunAt(one) - begunAt(other));
    if (next === undefined) state.kinds[kind].allDone();
    // Behind what was just typed.
    else state.queue().push(kind, next, { priority: 0 });
  }
  return settledAt;
}

/** One waits or runs, of whatever kind. */
function isBusy(state: State): boolean {
  const { jobs } = state.queue().describe();
  return jobs.some((job) => job.state !== "dead" && ORDER.some((kind) => kind === job.kind));
}

interface GateQuestion {
  readonly kind: ConsolidationKind;
  readonly memoryDir: string;
  readonly ask: GateAsk;
}

function gateOf(state: State, { kind, memoryDir, ask }: GateQuestion): GateAnswer {
  const dueAt = ask === "person" ? 0 : (state.notBefore.get(memoryDir) ?? 0);
  const gate: GateAnswer =
    dueAt > state.clock.now()
      ? { open: false, reason: "backing-off", dueAt }
      : state.kinds[kind].gate(memoryDir, state.projectsAt(memoryDir), ask);
  state.gates.set(jobKey(kind, memoryDir), gate);
  return gate;
}

async function askFor(state: State, wish: ConsolidationWish): Promise<ConsolidationReply> {
  const key = jobKey(wish.kind, wish.memoryDir);
  await state.kinds[wish.kind].prepare();
  // Nothing is waited for from here on: of two who ask at once, one is told.
  if (state.waiting.has(key)) throw alreadyAsked(wish.kind);
  return new Promise((tell, fail) => {
    state.waiting.set(key, { ...wish, tell, fail });
    const taken = state.queue().push(wish.kind, wish.memoryDir, { now: true, priority: state.clock.now() });
    const drop = (why: NotTaken) => {
      unlisten();
      if (state.waiting.delete(key)) fail(notTaken(why));
    };
    const unlisten = state.emitter.on("job:finished", ({ key: over, outcome }) => {
      if (over === key && wasCancelled(outcome)) drop("cancelled");
    });
    if (taken === "full" || taken === "stopping") drop(taken);
    // A stop takes waiting jobs away without a word.
    else
      void state
        .queue()
        .whenIdle()
        .then(() => drop("cancelled"));
  });
}

type NotTaken = "full" | "stopping" | "cancelled";

/** With it went what waited for its end. */
function wasCancelled(outcome: JobOutcome): boolean {
  if (outcome.result !== "failed") return false;
  return CANCEL_CODES.some((code) => code === outcome.code);
}

interface JobAsk {
  readonly kind: ConsolidationKind;
  readonly key: string;
  readonly context: JobContext;
}

/** Never a failure of the queue's: its back-off is a matter of minutes, and a consolidation's one of hours. */
async function runJob(state: State, { kind, key, context }: JobAsk): Promise<JobOutcome> {
  const memoryDir = context.lane;
  state.begunAt.set(key, state.clock.now());
  const wish = state.waiting.get(key);
  state.waiting.delete(key);
  const own = state.kinds[kind];
  const isDry = wish?.dryRun === true;
  try {
    const isSure = wish?.force === true || isDry || wish?.date !== undefined;
    const gate = isSure
      ? OPEN
      : gateOf(state, { kind, memoryDir, ask: wish === undefined ? "granted" : "person" });
    if (!gate.open) {
      wish?.tell(closedReply(gate, state.sizeOf(memoryDir)));
      return { result: "skipped", reason: gate.reason };
    }
    const reply = await perform({ ...wish, kind, memoryDir }, { state, context, wish });
    if (!isDry) own.ended(memoryDir, { reply });
    wish?.tell(reply);
    return reply.outcome === "failed" ? BACKING_OFF : toldOf(reply, kind);
  } catch (error) {
    if (!isDry && systemCode(error) !== "stopping") own.ended(memoryDir, { error });
    wish?.fail(error);
    // An abort is the queue's to tell.
    if (context.signal.aborted) throw error;
    return BACKING_OFF;
  } finally {
    for (const told of state.listeners) told();
  }
}

const OPEN: GateAnswer = { open: true };
const BACKING_OFF: JobOutcome = { result: "skipped", reason: "backing-off" };

interface Performing {
  readonly state: State;
  readonly context: JobContext;
  readonly wish: Waiting | undefined;
}

async function perform(
  { kind, memoryDir, dryRun, date }: ConsolidationWish,
  { state, context: { signal }, wish }: Performing,
): Promise<ConsolidationReply> {
  const { clock, running, kinds } = state;
  const run = newRunId(clock.now());
  const trigger = wish === undefined ? "schedule" : "person";
  const over = running.begin({ run, kind, trigger, memoryDir, startedAt: clock.now() });
  const wanted = { ...(dryRun === undefined ? {} : { dryRun }), ...(date === undefined ? {} : { date }) };
  const ask = { memoryDir, run, trigger, projects: state.projectsAt(memoryDir), signal, ...wanted };
  const replies: ConsolidationReply[] = [];
  try {
    const job = await kinds[kind].job();
    await state.during({ kind, memoryDir }, async () => {
      const reply = await job.run(ask);
      replies.push(reply);
      return toldOf(reply, kind);
    });
  } finally {
    over();
  }
  const [reply] = replies;
  if (reply === undefined) throw new TypeError("a job answers or rejects");
  return reply;
}

const NAMES: Readonly<Record<ConsolidationKind, string>> = { dream: "dream", distill: "distillation" };

/** For the status: what failed is an error there, although the queue shall not try again by itself. */
function toldOf({ outcome, reason, changes }: ConsolidationReply, kind: ConsolidationKind): JobOutcome {
  if (outcome === "succeeded") return { result: "succeeded", changed: changes.length };
  if (outcome === "skipped") return { result: "skipped", reason: skipReason(reason) };
  const code = reason ?? "unknown";
  return { result: "failed", code, message: `a ${NAMES[kind]} changed nothing` };
}

/** What is no gate's reason is the provider's. */
function skipReason(reason: string | null): SkipReason {
  if (reason === null) return "nothing-new";
  return GATE_REASONS.find((known) => known === reason) ?? "model-closed";
}

function closedReply(
  gate: Extract<GateAnswer, { readonly open: false }>,
  size: ConsolidationReply["before"],
): ConsolidationReply {
  const { reason, dueAt } = gate;
  const due = dueAt === undefined ? {} : { dueAt: new Date(dueAt).toISOString() };
  const nothing = { run: null, changes: [], noted: [], before: size, after: size };
  return { v: 1, outcome: "skipped", reason, ...nothing, ...due };
}

/** Nobody's failure: a provider is closed until a time, or a network is not back yet after a sleep. */
export function isWorldsFault(error: unknown, justWoken: boolean): boolean {
  if (!(error instanceof AppError)) return false;
  return error.disposition === "wait" || (justWoken && error.disposition === "retry");
}

function alreadyAsked(kind: ConsolidationKind): AppError {
  return new AppError({
    code: "already-asked",
    message: `somebody asked for this ${kind} already, and it is not over`,
    fix: "wait for it: engramd status",
    disposition: "retry",
  });
}

function notTaken(why: NotTaken): AppError {
  return new AppError({
    code: `queue-${why}`,
    message: {
      full: "too much work waits already",
      stopping: "engramd is stopping",
      cancelled: "it was cancelled before it began",
    }[why],
    fix: "ask again later",
    disposition: "retry",
  });
}
