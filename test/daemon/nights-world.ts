// One engramd that observes as the daemon does, over days of a clock the test moves: people work, log and close the lid,
// and every job is told with the time it began. Everything is real but the clock, and the model where there is one.
import { appendFileSync, utimesSync } from "node:fs";
import { localMoment } from "../../src/domain/calendar.ts";
import type { JobOutcome } from "../../src/domain/jobs.ts";
// Loaded late by the product: the clock of a test moves on while a module is read.
import "../../src/learn/jobs/consolidate/by-rules.ts";
import "../../src/learn/jobs/consolidate/index.ts";
import "../../src/learn/jobs/distill/index.ts";
import "../../src/learn/runs/run.ts";
import "../../src/serve/answers/run-diff.ts";
import { createObserving } from "../../src/serve/triggers/observing.ts";
import { createTriggers } from "../../src/serve/triggers/triggers.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { ManualClock } from "../helpers/manual-clock.ts";
import type { Inside, Story } from "./story.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** A running job waits for half a second here and there, and for real files and sockets in between. */
const JOB_STEP_MS = 20;
const JOB_STEPS = 200;
/** Real time. */
const REAL_STEP_MS = 2;
const WITHIN_MS = 60_000;

export interface JobSeen {
  readonly kind: string;
  readonly memoryDir: string;
  readonly startedAt: number;
  endedAt: number | undefined;
  outcome: JobOutcome | undefined;
}

export interface Nights extends Inside {
  readonly clock: ManualClock;
  /** Every job that began, in order. */
  readonly jobs: JobSeen[];
  jobsOf(kind: string): JobSeen[];
  /** Minute by minute; what becomes due is done before the next minute. */
  pass(ms: number): Promise<void>;
  /** To the next time the clocks there show `HH:MM`. */
  passUntil(time: string): Promise<void>;
  /** What runs or waits is done; its own waits pass. */
  finish(): Promise<void>;
  /** The same until this is over. */
  over<T>(work: Promise<T>): Promise<T>;
  /** The machine sleeps: only the wall clock moves. */
  suspend(ms: number): void;
  /** A finished session. */
  work(cwd: string, words?: string): string;
  /** An agent begins a turn, and goes on in it. */
  begin(cwd: string): { goOn(): void; end(): void };
  /** `engramd log` */
  log(cwd: string, text: string): Promise<void>;
  /** What calendar and clock of the place show. */
  shown(at?: number): { readonly date: string; readonly time: string };
}

/** Until `live` is over. */
export async function liveWith(
  { story, clock }: { readonly story: Story; readonly clock: ManualClock },
  live: (nights: Nights) => Promise<void>,
): Promise<void> {
  await story.inside(async (inside) => {
    const { parts } = inside;
    const observing = createObserving({ ...parts, make: () => createTriggers(parts) });
    const nights = createNights(inside, { story, clock });
    parts.queue.pause();
    parts.recordConsent();
    try {
      await observing.start();
      await live(nights);
    } finally {
      await passUntilOver(observing.stop(), clock);
      await passUntilOver(parts.queue.drain(0), clock);
    }
  });
}

/** Lets a little time pass again and again; most of it real, once the waits of a job are over. */
async function passWhile(isLeft: () => boolean, clock: ManualClock): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS;
  for (let steps = 0; isLeft(); steps += 1) {
    if (performance.now() > giveUpAt) throw new Error("what is under way does not end");
    await clock.advance(steps < JOB_STEPS ? JOB_STEP_MS : 1);
    if (steps >= JOB_STEPS) await new Promise((resolve) => setTimeout(resolve, REAL_STEP_MS));
  }
}

async function passUntilOver<T>(work: Promise<T>, clock: ManualClock): Promise<T> {
  let isOver = false;
  const over = () => void (isOver = true);
  work.then(over, over);
  await passWhile(() => !isOver, clock);
  return work;
}

function createNights(
  inside: Inside,
  { story, clock }: { readonly story: Story; readonly clock: ManualClock },
): Nights {
  const { parts } = inside;
  const jobs = watchJobs(inside, clock);
  const shown = (at = clock.now()) => localMoment(at, clock.timeZone());

  async function finish(): Promise<void> {
    const isBusy = () => parts.queue.describe().running + parts.queue.describe().waiting > 0;
    await passWhile(isBusy, clock);
  }

  async function pass(ms: number): Promise<void> {
    const until = clock.monotonicMs() + ms;
    while (clock.monotonicMs() < until) {
      await clock.advance(Math.min(MINUTE_MS, until - clock.monotonicMs()));
      await finish();
    }
  }

  return {
    ...inside,
    clock,
    jobs,
    jobsOf: (kind) => jobs.filter((job) => job.kind === kind),
    shown,
    pass,
    finish,
    async passUntil(time) {
      do await pass(MINUTE_MS);
      while (shown().time !== time);
    },
    over: (work) => passUntilOver(work, clock),
    suspend: (ms) => clock.setWall(clock.now() + ms),
    work: createWork({ story, clock, inside }),
    begin: createTurns({ story, clock, inside }),
    async log(cwd, text) {
      const { path, message } = await inside.service.log({ project: cwd, text });
      if (path === null) throw new Error(message);
      utimesSync(path, clock.now() / 1_000, clock.now() / 1_000);
    },
  };
}

function watchJobs({ parts }: Inside, clock: ManualClock): JobSeen[] {
  const jobs: JobSeen[] = [];
  parts.emitter.on("job:started", ({ key }) => {
    const [kind = "", memoryDir = ""] = key.split(/:(.*)/su);
    jobs.push({ kind, memoryDir, startedAt: clock.now(), endedAt: undefined, outcome: undefined });
  });
  parts.emitter.on("job:finished", ({ key, outcome }) => {
    const job = jobs.findLast(({ kind, memoryDir }) => `${kind}:${memoryDir}` === key);
    if (job === undefined) return;
    job.endedAt = clock.now();
    job.outcome = outcome;
  });
  return jobs;
}

interface Desk {
  readonly story: Story;
  readonly clock: ManualClock;
  readonly inside: Inside;
}

let sessionsMade = 0;

function newSession({ clock }: Desk, cwd: string) {
  sessionsMade += 1;
  const number = String(sessionsMade).padStart(12, "0");
  const sessionId = `${number.slice(-8)}-1111-4111-8111-${number}`;
  return createTranscript({ cwd, sessionId, firstNumber: sessionsMade * 1_000, startAt: clock.now() });
}

/** As the watcher would, without waiting for the system to tell it. */
function notice({ clock, inside: { parts } }: Desk, path: string): void {
  utimesSync(path, clock.now() / 1_000, clock.now() / 1_000);
  const noticed = parts.growth.look(path);
  if (noticed !== undefined) parts.growth.schedule(noticed);
}

function createWork(desk: Desk): Nights["work"] {
  return (cwd, words = "Please look at the margin of this page.") => {
    const session = newSession(desk, cwd).user(words).assistant("Done.");
    const path = desk.story.transcript(cwd, `${session.sessionId}.jsonl`, session.text());
    notice(desk, path);
    return path;
  };
}

function createTurns(desk: Desk): Nights["begin"] {
  return (cwd) => {
    const session = newSession(desk, cwd).user("Please go through all of the pages.");
    const path = desk.story.transcript(cwd, `${session.sessionId}.jsonl`, session.text());
    notice(desk, path);
    const append = (lines: number) => {
      appendFileSync(
        path,
        session
          .lines()
          .slice(lines)
          .map((line) => `${line}\n`)
          .join(""),
      );
      notice(desk, path);
    };
    return {
      goOn() {
        const before = session.lines().length;
        session.toolCall("Read", { file_path: "/home/ana/shop/page.html" }).toolResult("<p>");
        append(before);
      },
      end() {
        const before = session.lines().length;
        session.assistant("All pages are done.");
        append(before);
      },
    };
  };
}

/** Jobs under way at the busiest moment. */
export function mostAtOnce(jobs: readonly JobSeen[]): number {
  const at = (time: number) =>
    jobs.filter(({ startedAt, endedAt }) => startedAt <= time && (endedAt === undefined || endedAt > time));
  return Math.max(0, ...jobs.map(({ startedAt }) => at(startedAt).length));
}
