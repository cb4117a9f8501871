// Run as a real process by the lock tests: `hold`, `block`, `exit` or `race` with the lock in a folder.
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createClock, wait } from "../../../src/system/clock.ts";
import { createFileLocks } from "../../../src/system/file-lock.ts";
import { createFiles } from "../../../src/system/files.ts";

const [mode, folder = "", ...rest] = process.argv.slice(2);
const say = (text: string) => writeSync(1, `${text}\n`);
const clock = createClock();
const locksIn = (path: string) =>
  createFileLocks({ files: createFiles(), clock, folder: path, staleMs: 4_000 });

/** Takes the lock, says so, and stays. */
async function hold(): Promise<void> {
  const lock = await locksIn(folder).take("dream", { waitMs: 0 });
  say(lock === undefined ? "refused" : "taken");
  await wait(clock, 600_000, lock?.lost);
  say("lost");
}

/** Takes the lock and blocks its event loop until another has it; then asks whether it may commit. */
async function block(): Promise<void> {
  const lock = await locksIn(folder).take("dream", { waitMs: 0 });
  say("taken");
  while (!existsSync(join(folder, "taken-over")));
  say(lock?.held() === true ? "commits" : "aborts");
  await wait(clock, 3_000, lock?.lost);
  await lock?.release();
  say("alive");
}

async function exit(): Promise<void> {
  await locksIn(folder).take("dream", { waitMs: 0 });
  process.exit(0);
}

/** Every round has a folder with an abandoned lock, and a start time shared by all processes. */
async function race(): Promise<void> {
  const [startAt, rounds, everyMs] = rest.map(Number) as [number, number, number];
  const all = Array.from({ length: rounds }, async (_, round) => {
    await wait(clock, startAt + round * everyMs - Date.now());
    await commitOnce(join(folder, String(round)));
  });
  await Promise.all(all);
  say("done");
}

/** A commit notes how many commits it knew of; two with one such number are a lost update. */
async function commitOnce(path: string): Promise<void> {
  const lock = await locksIn(path).take("dream", { waitMs: 0 });
  if (lock === undefined) return;
  const log = join(path, "commits");
  const basis = existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
  await wait(clock, 20);
  if (lock.held()) appendFileSync(log, `${basis} ${process.pid}\n`);
  await lock.release();
}

/** The wall clock of this process is ahead by `--ahead=<ms>`. */
const ahead = Number(/--ahead=(\d+)/.exec(process.argv.join(" "))?.[1] ?? 0);
if (ahead > 0) {
  const real = Date.now;
  Date.now = () => real() + ahead;
}

const modes: Readonly<Record<string, () => Promise<void>>> = { hold, block, exit, race };
await modes[mode ?? ""]?.();
