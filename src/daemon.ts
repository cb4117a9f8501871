// The service: starts the parts in order, stops them in reverse. Every part is wired by hand here or in app.ts;
// nothing depends on an event, so a listener may be removed without changing what the daemon does.
import type { Parts } from "./app.ts";
import type { AppInput } from "./app/ground.ts";
import { createParts } from "./app.ts";
import { alreadyRunning, INSTANCE_LOCK, instanceOwner } from "./app/instance.ts";
import type { AppError, ExitCode } from "./domain/errors.ts";
import { EXIT, messageOf } from "./domain/errors.ts";
import { JOB_LIMITS } from "./domain/limits.ts";
import type { EngramdService } from "./domain/service.ts";
import type { DaemonState } from "./domain/status.ts";
import { VERSION } from "./domain/version.ts";
import type { Queue } from "./intake/queue/queue.ts";
import { tidyCliFolders } from "./learn/models/cli/client.ts";
import type { Observing } from "./serve/triggers/observing.ts";
import { createObserving } from "./serve/triggers/observing.ts";
import { createTriggers } from "./serve/triggers/triggers.ts";
import { logEvents } from "./serve/triggers/event-log.ts";
import { compileWhileReading } from "./serve/triggers/compiling.ts";
import { createEventStream } from "./serve/control/event-stream.ts";
import { metricsText } from "./serve/answers/metrics.ts";
import type { RunCounts } from "./serve/answers/runs.ts";
import { createRunCounts } from "./serve/answers/runs.ts";
import type { ControlServer } from "./serve/control/server.ts";
import { createControlServer } from "./serve/control/server.ts";
import { startHeartBeat } from "./serve/deliver/heart-beat.ts";
import { testService } from "./serve/deliver/self-test.ts";
import { createManagerLink } from "./serve/deliver/systemd-notify.ts";
import { findDaemon, removeDaemonFile, saveDaemonFile } from "./serve/client/daemon-file.ts";
import { saveLastStatus } from "./serve/client/last-status.ts";
import { createRunCommand } from "./system/command.ts";
import { createCompilers } from "./system/compilers.ts";
import type { Lock } from "./system/file-lock.ts";
import { probeSocket } from "./system/local-socket.ts";
import { isAlive } from "./system/process.ts";
import { noteStateFormat } from "./system/state-format.ts";
import { processFigures } from "./system/process-figures.ts";

export interface DaemonInput extends AppInput {
  readonly signals: {
    /** Called with the signal's name each time one comes. */
    onStop(fn: (name: string) => void): void;
    onReload(fn: () => void): void;
    /** Asked for an error nobody caught; true when the daemon dealt with it and may live on. */
    onUncaught(fn: (error: unknown) => boolean): void;
  };
  /** Told once the daemon is ready; must not throw. */
  readonly onReady?: (started: Started) => void;
}

export interface Started {
  readonly service: EngramdService;
  /** Whether words are being read, or are about to be. */
  isReading(): boolean;
}

/** How long another engramd, which is just starting or a command, is waited for. */
const LOCK_WAIT_MS = 12_000;
/** The lock of a killed daemon is free at once where its death can be told, else when its heart-beat is this old. */
const DEAD_WAIT_MS = 185_000;
const LOCK_STEP_MS = 500;
/** How long answers in progress may take at the end. */
const ANSWERS_MS = 1_000;

/** Runs until it is asked to stop. Throws an `AppError` with an exit code when it cannot do its duty. */
export async function runDaemon(input: DaemonInput): Promise<ExitCode> {
  const parts = createParts(input);
  const undo: (() => Promise<void> | void)[] = [];
  const stop = createStop(parts, input);
  let isReady = false;
  input.signals.onUncaught((error) => {
    parts.log.error("an error was not caught where it happened", { error: messageOf(error) });
    const livesOn = parts.queue.blame(error);
    if (!livesOn) parts.log.flush();
    return livesOn;
  });
  try {
    const service = await start({ parts, stop, undo });
    if (stop.failure !== undefined) throw stop.failure;
    if (service === undefined) return EXIT.ok;
    isReady = true;
    parts.log.info("daemon:ready", { pid: input.pid, socket: parts.paths.socket, version: VERSION });
    parts.emitter.emit("daemon:ready", { pid: input.pid, socket: parts.paths.socket });
    input.onReady?.({ service, isReading: () => isReading(parts) });
    await stop.asked;
    if (stop.failure !== undefined) throw stop.failure;
    return EXIT.ok;
  } finally {
    stop.state = "stopping";
    for (const step of undo.reverse()) await attempt(parts, step);
    parts.log.flush();
    if (isReady || stop.wish.aborted) parts.log.info("daemon:stopped", {});
  }
}

interface Stop {
  readonly asked: Promise<void>;
  /** Aborts with the first signal. */
  readonly wish: AbortSignal;
  /** Aborts with the second signal: do not wait for running jobs. */
  readonly hurry: AbortSignal;
  state: DaemonState | undefined;
  /** Why it stops by itself; undefined when it was asked to. */
  failure: AppError | undefined;
  /** It cannot do its duty any more; running jobs are broken off. */
  fail(failure: AppError): void;
}

function createStop(parts: Parts, { signals }: DaemonInput): Stop {
  const hurry = new AbortController();
  const wish = new AbortController();
  const asked = new Promise<void>((resolve) => {
    wish.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  let count = 0;
  signals.onStop((why) => {
    count += 1;
    if (count > 1) hurry.abort();
    else parts.log.info("daemon:stopping", { why });
    wish.abort();
  });
  signals.onReload(() => {
    try {
      parts.reload();
      parts.places.recheck();
      parts.recordConsent();
      parts.restartJobs();
      parts.readLeftovers();
      parts.log.info("configuration read again", {});
    } catch (error) {
      parts.log.error("configuration kept: the new one cannot be used", { error: messageOf(error) });
    }
  });
  const stop: Stop = {
    asked,
    wish: wish.signal,
    hurry: hurry.signal,
    state: "starting",
    failure: undefined,
    fail(failure) {
      stop.failure ??= failure;
      parts.log.error("daemon:stopping", { why: failure.code, error: messageOf(failure) });
      hurry.abort();
      wish.abort();
    },
  };
  return stop;
}

interface Start {
  readonly parts: Parts;
  readonly stop: Stop;
  readonly undo: (() => Promise<void> | void)[];
}

function isReading({ queue }: Parts): boolean {
  const { waiting, running } = queue.describe();
  return waiting + running > 0;
}

/** Undefined when it was asked to stop before it was ready: whatever a start waits for, a stop does not. */
async function start({ parts, stop, undo }: Start): Promise<EngramdService | undefined> {
  const { input, files, paths, queue } = parts;
  const startedAt = new Date(parts.clock.now()).toISOString();
  undo.push(logEvents(parts));
  undo.push(() => parts.reading.gate.stop());
  undo.push(compileWhileReading(parts.emitter, createCompilers()));

  const lock = await takeInstance(parts, stop.wish);
  if (lock === undefined) return undefined;
  undo.push(() => lock.release());
  parts.instance.hold(lock, stop.fail);
  noteStateFormat(parts);

  queue.pause();
  // It may wait for the lock of a memory folder; broken off anywhere it is done again at the next start.
  await Promise.race([recover(parts), stop.asked]);
  if (stop.wish.aborted) return undefined;
  parts.recordConsent();
  const observing = createObserving({ ...parts, make: () => createTriggers(parts) });
  const bounds = testService({ ...input, files });
  const live = () => ({
    pid: input.pid,
    startedAt,
    service: bounds,
    state: stop.state ?? stateOf(parts, observing),
    dueAt: (memoryDir: string) => parts.debounce.dueAt(memoryDir),
  });
  const service = parts.service(live, async () => undefined);
  const runs = createRunCounts();
  undo.push(parts.listen(runs));
  const server = createSocket({ parts, service, runs, state: () => live().state });
  await server.start(stop.wish);
  if (stop.wish.aborted) return server.stop({ withinMs: 0 }).then(() => undefined);
  undo.push(() => server.stop({ withinMs: ANSWERS_MS }));
  saveDaemonFile({ files, paths }, { pid: input.pid, socket: paths.socket, version: VERSION });
  undo.push(() => removeDaemonFile({ files, paths }, input.pid));
  undo.push(() => noteStatus(parts, service));

  undo.push(() => drain(parts, stop));
  undo.push(tellManager(parts, observing));
  undo.push(() => observing.stop());
  stop.state = undefined;
  await Promise.race([observing.start(), stop.asked]);
  if (stop.wish.aborted) return undefined;
  undo.push(keepStatusNoted(parts, service));
  return service;
}

async function noteStatus({ files, paths, instance }: Parts, service: EngramdService): Promise<void> {
  if (!instance.isHeld()) return;
  const status = await service.status();
  // Lost meanwhile, perhaps with the whole folder: it is somebody else's to make.
  if (instance.isHeld()) saveLastStatus({ files, paths }, { ...status, state: "stopped", pid: null });
}

/** A backfill has thousands of jobs, and a status of many projects takes longer than some of them. */
const NOTED_EVERY_MS = 60_000;

/** A daemon that is killed says nothing at its end: what `status` tells then is of its start or a job since. */
function keepStatusNoted(parts: Parts, service: EngramdService): () => void {
  const { clock, emitter, log } = parts;
  let notedMs = -Infinity;
  const note = () => {
    if (clock.monotonicMs() - notedMs < NOTED_EVERY_MS) return;
    notedMs = clock.monotonicMs();
    void noteStatus(parts, service).catch((error: unknown) =>
      log.warn("the status could not be noted", { error: messageOf(error) }),
    );
  };
  note();
  return emitter.on("job:finished", note);
}

async function recover(parts: Parts): Promise<void> {
  const { writer, holds, log, finishPurges, foundUnfinished, settleCosts, paths } = parts;
  await attempt(parts, () => tidyCliFolders(paths.stateDir));
  settleCosts();
  const { finished } = await writer.recover();
  const givenBack = await holds.recover();
  foundUnfinished(givenBack);
  if (givenBack.length > 0) log.warn("unfinished consolidations were given back", { folders: givenBack });
  await finishPurges();
  if (finished.length > 0) log.warn("unfinished commits were finished", { count: finished.length });
}

interface SocketParts {
  readonly parts: Parts;
  readonly service: EngramdService;
  readonly runs: RunCounts;
  state(): DaemonState;
}

function createSocket({ parts, service, runs, state }: SocketParts): ControlServer {
  const { clock, emitter, files, log, paths } = parts;
  return createControlServer({
    service,
    events: createEventStream({ clock, emitter, state }),
    metrics: async () =>
      metricsText({
        status: await service.status(),
        runs: runs.all(),
        process: await processFigures(clock),
      }),
    socketPath: paths.socket,
    files,
    clock,
    onFailure: (error) => log.error("a request failed", { error: messageOf(error) }),
  });
}

/**
 * Told before the first round, which has no bound. Nobody waits for the telling: a manager that does not listen must
 * delay neither start nor stop. Answers what to do at the end.
 */
function tellManager(parts: Parts, observing: Observing): () => void {
  const { clock, emitter, log, input } = parts;
  const link = createManagerLink({ env: input.env, pid: input.pid, run: createRunCommand(clock), log });
  if (link === undefined) return () => undefined;
  void link.tell("READY=1");
  const stopBeat = startHeartBeat({ clock, emitter, queue: observing, link });
  return () => {
    stopBeat();
    void link.tell("STOPPING=1");
  };
}

/** Work in hand says more than trouble with the model, and that more than a wait. */
function stateOf({ modelState }: Parts, observing: Observing): DaemonState {
  const state = observing.state();
  return state === "idle" || state === "waiting-for-quiet" ? (modelState() ?? state) : state;
}

/** Undefined when `wish` aborts first. */
async function takeInstance(parts: Parts, wish: AbortSignal): Promise<Lock | undefined> {
  const { locks, files, paths } = parts;
  for (let waitedMs = 0; ; waitedMs += LOCK_STEP_MS) {
    const lock = await locks.take(INSTANCE_LOCK, { waitMs: waitedMs === 0 ? 0 : LOCK_STEP_MS });
    if (lock !== undefined) return lock;
    if (wish.aborted) return undefined;
    // A daemon that is just starting has the lock before it has told its process id: ask again.
    const { pid } = findDaemon({ files, paths });
    const waitMs = pid === undefined ? LOCK_WAIT_MS : DEAD_WAIT_MS;
    if (waitedMs >= waitMs || (await isAtWork(parts)))
      throw alreadyRunning(instanceOwner(files, paths.stateDir) ?? pid);
  }
}

/** An id alone proves nothing: somebody else may have it by now, in a new container even we ourselves. */
async function isAtWork({ files, paths, clock, input }: Parts): Promise<boolean> {
  const { pid, sockets } = findDaemon({ files, paths });
  if (pid === undefined || pid === input.pid || !isAlive(pid)) return false;
  const answers = await Promise.all(sockets.map((socket) => probeSocket(socket, clock)));
  return answers.includes("alive");
}

/** Waits for running jobs unless a second signal says not to; what is unfinished is found again at the next start. */
async function drain(parts: Parts, stop: Stop): Promise<void> {
  const { queue, catalog, places, instance } = parts;
  stop.hurry.addEventListener("abort", () => cancelRunning(queue));
  if (stop.hurry.aborted) cancelRunning(queue);
  await queue.drain(JOB_LIMITS.drainMs);
  // What is on disk by now may be another engramd's.
  if (!instance.isHeld()) return;
  catalog.flush();
  places.save();
}

function cancelRunning(queue: Queue): void {
  for (const { key, state } of queue.describe().jobs) if (state === "running") queue.cancel(key);
}

/** One failing step must not keep the others from being undone. */
async function attempt(parts: Parts, step: () => Promise<void> | void): Promise<void> {
  try {
    await step();
  } catch (error) {
    parts.log.error("a step did not end cleanly", { error: messageOf(error) });
  }
}
