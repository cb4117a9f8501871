// Run as a real process by the race: `engramd` through `createHolds`, `host` by the reference's protocol, round after round.
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHolds } from "../../../../src/learn/jobs/host-lock.ts";
import { createStamps } from "../../../../src/learn/jobs/stamps.ts";
import { createClock, wait } from "../../../../src/system/clock.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFileLocks } from "../../../../src/system/file-lock.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { isAlive } from "../../../../src/system/process.ts";

const [mode, root = "", ...numbers] = process.argv.slice(2);
const [startAt = 0, rounds = 0, everyMs = 0, folders = 1, settleMs = 0] = numbers.map(Number);
const DAY_MS = 86_400_000;
const STALE_MS = 3_600_000;
const WORK_MS = 20;
const clock = createClock();
const files = createFiles();
const stateDir = join(root, "state");
const emitter = createEmitter((error) => {
  throw error;
});
emitter.on("warning:raised", ({ code, message }) => writeSync(1, `warning ${code} ${message}\n`));
const stamps = createStamps({ files, clock, emitter, stateDir });
const locks = createFileLocks({ files, clock, folder: join(stateDir, "locks") });
const holds = createHolds({ files, clock, emitter, locks, stateDir, stamps, settleMs });

const logOf = (folder: string) => `${folder}.commits`;
/** Commits known so far; two that know of as many are a lost update. */
const basisOf = (folder: string) =>
  existsSync(logOf(folder)) ? readFileSync(logOf(folder), "utf8").split("\n").length - 1 : 0;

async function engramd(folder: string, round: number): Promise<void> {
  // With one folder for all rounds the hours are not asked: every round is to be a race.
  const last = folders === 1 ? undefined : holds.lastSuccessAt(folder);
  if (last !== undefined && last > clock.now() - DAY_MS) return;
  const answer = await holds.take({ memoryDir: folder, run: `run-${process.pid}-${round}`, kind: "dream" });
  if ("blocked" in answer) return;
  const { hold } = answer;
  try {
    const basis = basisOf(folder);
    await wait(clock, WORK_MS, hold.lost);
    hold.assertOurs();
    appendFileSync(logOf(folder), `${basis} engramd ${process.pid}\n`);
    // Every third one fails after its work.
    if (folders === 1 && round % 3 === 0) await hold.rollBack();
    else await hold.succeed();
  } catch (error) {
    await hold.rollBack();
    if (!(error instanceof Error && "code" in error && error.code === "consolidation-lost")) throw error;
  }
}

/** The reference, 10.2 and 10.3: hours, holder, write, read back; success leaves everything as it is. */
async function host(folder: string): Promise<void> {
  const lock = join(folder, ".consolidate-lock");
  const lookedAtMs = clock.monotonicMs();
  const [facts, body] = await Promise.all([
    stat(lock).catch(() => undefined),
    readFile(lock, "utf8").catch(() => ""),
  ]);
  const mtimeMs = facts?.mtimeMs ?? 0;
  if (Date.now() - mtimeMs < DAY_MS) return;
  if (Date.now() - mtimeMs < STALE_MS && isAlive(Number(body))) return;
  await mkdir(folder, { recursive: true });
  await writeFile(lock, String(process.pid));
  if ((await readFile(lock, "utf8")) !== String(process.pid)) return;
  // Nothing helps against a host that is held up here for as long as others wait for it: it must not count.
  if (clock.monotonicMs() - lookedAtMs > settleMs / 2) return appendFileSync(`${folder}.held-up`, "");
  const basis = basisOf(folder);
  await wait(clock, WORK_MS);
  appendFileSync(logOf(folder), `${basis} host ${process.pid}\n`);
}

const all = Array.from({ length: rounds }, async (_, round) => {
  // The host comes a little later in turn, so that each step of the one meets each of the other.
  const shiftMs = mode === "host" ? round % 40 : 0;
  await wait(clock, startAt + round * everyMs + shiftMs - Date.now());
  const folder = join(root, `memory-${round % folders}`);
  await (mode === "host" ? host(folder) : engramd(folder, round));
});
await Promise.all(all);
writeSync(1, "done\n");
