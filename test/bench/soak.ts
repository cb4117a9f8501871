// Row 16, only with `--soak MINUTES`: the built daemon under traffic that stays the same, so that whatever grows is a
// leak. Sessions are written, forgotten and removed, projects come and go, people ask. Needs `npm run build`.
import type { ChildProcess } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { EngramdService } from "../../src/domain/service.ts";
import { createRemoteService } from "../../src/serve/client/remote-service.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFiles } from "../../src/system/files.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import type { BenchHome, Handles } from "./built-daemon.ts";
import { handlesOf, makeBenchHome, rssMb, startBuiltDaemon, stopChild } from "./built-daemon.ts";
import { rounded, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const PROJECTS = 12;
const SESSIONS_A_PROJECT = 6;
/** A turn is written so often. */
const TICK_MS = 150;
/** Traffic, then none: V8 gives memory back only to a process that rests, so a round counts with the least it held. */
const ROUND_MS = 180_000;
const TRAFFIC_MS = 105_000;
const ASK_TICKS = 40;
const REMEMBER_TICKS = 20;
/** Memories a person has us remember before the oldest is forgotten. */
const REMEMBERED_MAX = 60;
const SESSION_TICKS = 40;
const PROJECT_TICKS = 1_200;
const RELOAD_TICKS = 480;
const SAMPLE_MS = 5_000;
const WARM_UP_SHARE = 1 / 3;
/** Growth in an hour to what is held; what is left of noise in half an hour. */
const SLOPE_TARGET = 0.05;
/** Cursors of removed sessions go with the next round, a minute at most. */
const CURSORS_TARGET = 1.5;
/** A folder that was just made anew is watched twice for a moment. */
const WATCHES_TARGET = 1.2;
const DESCRIPTORS_MAX = 20;
const HOUR_MS = 3_600_000;
const CONFIG = {
  extract: { settleMs: 0, debounceMs: { offline: 1_000, model: 1_000 } },
  sweep: { everyMs: 60_000 },
};

interface Sample extends Handles {
  readonly atMs: number;
  readonly rssMb: number;
  readonly cursors: number;
  readonly sessions: number;
  readonly folders: number;
}

export async function rows(minutes: number): Promise<Row[]> {
  return withFolder(async (folder) => {
    const home = makeBenchHome(folder, CONFIG);
    mkdirSync(home.projects, { recursive: true });
    const daemon = await startBuiltDaemon(home);
    try {
      const traffic = createTraffic(home, () => daemon.kill("SIGHUP"));
      const samples = await measure(minutes * 60_000, { daemon, home, traffic });
      return toRows(samples, traffic);
    } finally {
      await stopChild(daemon);
    }
  });
}

interface Measured {
  readonly daemon: ChildProcess;
  readonly home: BenchHome;
  readonly traffic: Traffic;
}

async function measure(forMs: number, { daemon, home, traffic }: Measured): Promise<Sample[]> {
  const startMs = performance.now();
  const samples: Sample[] = [];
  let tick = 0;
  for (;;) {
    const atMs = performance.now() - startMs;
    if (atMs >= forMs) return samples;
    if (atMs % ROUND_MS < TRAFFIC_MS) await traffic.tick(tick++);
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    if (atMs >= samples.length * SAMPLE_MS) samples.push({ atMs, ...sampleOf(daemon.pid, home, traffic) });
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
}

interface Traffic {
  tick(number: number): Promise<void>;
  sessions(): number;
  folders(): number;
  /** Turns written, and questions that were answered. */
  counts(): { readonly turns: number; readonly answers: number };
}

interface Session {
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  records: number;
}

interface TrafficState {
  readonly home: BenchHome;
  readonly service: EngramdService;
  /** Oldest first, by working directory. */
  readonly projects: Map<string, Session[]>;
  readonly remembered: { readonly name: string; readonly project: string }[];
  made: number;
  said: number;
  asked: number;
}

function createTraffic(home: BenchHome, reload: () => void): Traffic {
  const clock = createClock();
  const service = createRemoteService({
    address: { sockets: [home.socket], pid: undefined, version: undefined },
    files: createFiles(),
    clock,
  });
  const state: TrafficState = {
    home,
    service,
    projects: new Map(),
    remembered: [],
    made: 0,
    said: 0,
    asked: 0,
  };
  while (state.projects.size < PROJECTS) addProject(state);
  return {
    async tick(number) {
      if (number % PROJECT_TICKS === PROJECT_TICKS - 1) replaceProject(state);
      if (number % SESSION_TICKS === 0) addSession(state, pick([...state.projects.keys()], number));
      if (number % RELOAD_TICKS === RELOAD_TICKS - 1) reload();
      if (number % ASK_TICKS === 0) await ask(state);
      if (number % REMEMBER_TICKS === 1) await remember(state);
      say(pick(pick([...state.projects.values()], number), Math.floor(number / PROJECTS)), state);
    },
    sessions: () => [...state.projects.values()].reduce((sum, sessions) => sum + sessions.length, 0),
    folders: () => state.projects.size,
    counts: () => ({ turns: state.said, answers: state.asked }),
  };
}

function pick<T>(from: readonly T[], number: number): T {
  const found = from[number % from.length];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

const folderOf = (home: BenchHome, cwd: string) => join(home.projects, cwd.replaceAll("/", "-"));

function addProject(state: TrafficState): void {
  const cwd = `/home/ana/work-${state.made++}`;
  mkdirSync(folderOf(state.home, cwd), { recursive: true });
  state.projects.set(cwd, []);
  while ((state.projects.get(cwd)?.length ?? 0) < SESSIONS_A_PROJECT) addSession(state, cwd);
}

function replaceProject(state: TrafficState): void {
  const [oldest] = state.projects.keys();
  if (oldest === undefined) return;
  rmSync(folderOf(state.home, oldest), { recursive: true, force: true });
  state.projects.delete(oldest);
  state.remembered.splice(0, Infinity, ...state.remembered.filter(({ project }) => project !== oldest));
  addProject(state);
}

/** One more, and the oldest goes, as an agent tidies up after itself. */
function addSession(state: TrafficState, cwd: string): void {
  const sessions = state.projects.get(cwd) ?? [];
  const id = `${String(state.made++).padStart(8, "0")}-1111-4222-8333-444455556666`;
  const session = { path: join(folderOf(state.home, cwd), `${id}.jsonl`), id, cwd, records: 0 };
  writeFileSync(session.path, "");
  sessions.push(session);
  say(session, state);
  if (sessions.length > SESSIONS_A_PROJECT) unlinkSync(sessions.shift()?.path ?? "");
}

const TOPICS = [
  "release notes",
  "log levels",
  "unit tests",
  "commit messages",
  "error texts",
  "build scripts",
];
const PLACES = ["board", "wiki", "changelog", "readme", "team folder", "issue tracker"];

/** One finished turn. One in eight is a rule to be kept; the rules repeat, so that the memories stay as many. */
function say(session: Session, state: TrafficState): void {
  const said = state.said++;
  const rule = `From now on the ${pick(TOPICS, said >> 3)} belong into the ${pick(PLACES, said >> 6)}.`;
  const text =
    said % 8 === 0 ? rule : `Please look at step ${said} of the plan and tell me what is missing there.`;
  const firstNumber = session.records * 2 + 1;
  const turn = createTranscript({
    cwd: session.cwd,
    sessionId: session.id,
    firstNumber,
    startAt: Date.now(),
  });
  appendFileSync(session.path, turn.user(text).assistant(`Step ${said} is fine.`).text());
  session.records++;
}

async function ask(state: TrafficState): Promise<void> {
  await state.service.status();
  await state.service.memories({ all: true, words: "release notes" });
  state.asked += 2;
}

async function remember(state: TrafficState): Promise<void> {
  const project = pick([...state.projects.keys()], state.said);
  const text = `The port of service ${state.said} is ${10_000 + state.said} on the staging machines.`;
  const { file } = await state.service.remember({ text, project });
  if (file !== null) state.remembered.push({ name: file, project });
  state.asked++;
  const oldest = state.remembered.length > REMEMBERED_MAX ? state.remembered.shift() : undefined;
  if (oldest === undefined) return;
  await state.service.forget(oldest);
  state.asked++;
}

function sampleOf(pid: number | undefined, { stateDir }: BenchHome, traffic: Traffic): Omit<Sample, "atMs"> {
  return {
    rssMb: rssMb(pid),
    ...handlesOf(pid),
    cursors: liveCursors(stateDir),
    sessions: traffic.sessions(),
    folders: traffic.folders(),
  };
}

/** As the journal stands: a source that was forgotten has a line that says so. */
function liveCursors(stateDir: string): number {
  const live = new Set<string>();
  const folder = join(stateDir, "cursors");
  if (!readdirSync(folder).includes("sources.jsonl")) return 0;
  for (const line of readFileSync(join(folder, "sources.jsonl"), "utf8").split("\n")) {
    if (line === "") continue;
    const { path, gone } = JSON.parse(line) as { readonly path?: string; readonly gone?: string };
    if (path !== undefined) live.add(path);
    if (gone !== undefined) live.delete(gone);
  }
  return live.size;
}

function toRows(samples: readonly Sample[], traffic: Traffic): Row[] {
  const { turns, answers } = traffic.counts();
  const lastMs = samples.at(-1)?.atMs ?? 0;
  const after = samples.filter(({ atMs }) => atMs >= lastMs * WARM_UP_SHARE);
  const rested = leastOfRounds(after);
  const slope = slopeOf(rested) * HOUR_MS;
  const held = rested[0]?.rssMb ?? Number.NaN;
  const most = (of: (sample: Sample) => number) => Math.max(...after.map(of));
  const cursors = most(({ cursors: count, sessions }) => count / sessions);
  // A project has a folder of transcripts and one of memories; two more are roots.
  const watches = most((sample) => sample.watches / (2 * sample.folders + 2));
  const descriptors =
    most((sample) => sample.descriptors) - Math.min(...after.map((each) => each.descriptors));
  const figures = rested.map((sample) => rounded(sample.rssMb)).join(" ");
  process.stderr.write(`soak: RSS at the end of each round after the first third, MB: ${figures}\n`);
  return [
    {
      id: 16,
      name: `RSS growth an hour after the first third, MB, to what was held then (${turns} turns, ${answers} answers)`,
      value: rounded(slope),
      anchor: rounded(held),
      ratio: rounded(slope / held),
      target: SLOPE_TARGET,
      ok: rested.length > 2 && slope / held <= SLOPE_TARGET,
    },
    {
      id: 16,
      name: "cursors to sessions on disk, the most at any time after the first third",
      value: most((sample) => sample.cursors),
      anchor: Math.min(...after.map((each) => each.sessions)),
      ratio: rounded(cursors),
      target: CURSORS_TARGET,
      ok: cursors <= CURSORS_TARGET,
    },
    {
      id: 16,
      name: `kernel watches to folders (descriptors at most ${DESCRIPTORS_MAX} apart; they were ${descriptors})`,
      value: most((sample) => sample.watches),
      anchor: most((sample) => 2 * sample.folders + 2),
      ratio: rounded(watches),
      target: WATCHES_TARGET,
      ok: watches <= WATCHES_TARGET && descriptors <= DESCRIPTORS_MAX,
    },
  ];
}

/** Of each whole round the moment with the least memory. */
function leastOfRounds(samples: readonly Sample[]): Sample[] {
  const least = new Map<number, Sample>();
  for (const sample of samples) {
    const round = Math.floor(sample.atMs / ROUND_MS);
    const known = least.get(round);
    if (known === undefined || sample.rssMb < known.rssMb) least.set(round, sample);
  }
  return [...least.values()];
}

/** Least squares: MB a millisecond. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const atMs = mean((sample) => sample.atMs);
  const mb = mean((sample) => sample.rssMb);
  const above = samples.reduce((sum, sample) => sum + (sample.atMs - atMs) * (sample.rssMb - mb), 0);
  return above / samples.reduce((sum, sample) => sum + (sample.atMs - atMs) ** 2, 0);
}
