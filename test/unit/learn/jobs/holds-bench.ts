// A memory folder, its state folder and one engramd at a time that holds it; "dying" is dropping all it had in memory.
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HoldAsk } from "../../../../src/learn/jobs/consolidating.ts";
import { createHolds } from "../../../../src/learn/jobs/host-lock.ts";
import type { Processes } from "../../../../src/learn/jobs/host-holders.ts";
import { createStamps } from "../../../../src/learn/jobs/stamps.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import type { Lock } from "../../../../src/system/file-lock.ts";
import { createFileLocks } from "../../../../src/system/file-lock.ts";
import type { FileOps } from "../../../../src/system/files.ts";
import { createFiles } from "../../../../src/system/files.ts";
import type { ManualClock } from "../../../helpers/manual-clock.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** Ids of processes that exist only in these tests. */
export const HOST = 4_100_001;
export const DEAD = 4_100_002;
export const ENGRAMD = 4_100_003;

export interface LockState {
  readonly body: string;
  readonly mtimeMs: number;
}

export type Bench = ReturnType<typeof createHoldsBench>;

export function createHoldsBench(temp: TempFolder, clock: ManualClock = createManualClock()) {
  const memoryDir = temp.folder("memory");
  const stateDir = temp.folder("state");
  const lockPath = join(memoryDir, ".consolidate-lock");
  const alive = new Set([HOST, ENGRAMD]);
  const warnings: string[] = [];
  const emitter = createEmitter((error) => {
    throw error;
  });
  emitter.on("warning:raised", ({ code }) => void warnings.push(code));

  /** One process; `ops` are its file calls, its locks work until it dies. */
  function start(options: { ops?: FileOps; pid?: number; settleMs?: number; reaches?: boolean } = {}) {
    const pid = options.pid ?? ENGRAMD;
    const files = createFiles(options.ops);
    const held: Lock[] = [];
    const real = createFileLocks({ files: createFiles(), clock, folder: join(stateDir, "locks") });
    const locks: typeof real = {
      async take(name, patience) {
        const lock = await real.take(name, patience);
        if (lock !== undefined) held.push(lock);
        return lock;
      },
    };
    const processes: Processes = {
      own: pid,
      isAlive: (each) => alive.has(each),
      reaches: () => options.reaches !== false,
      startOf: () => "",
    };
    const stamps = createStamps({ files, clock, emitter, stateDir });
    const settleMs = options.settleMs ?? 0;
    const holds = createHolds({ files, clock, emitter, locks, stateDir, stamps, processes, settleMs });
    return {
      holds,
      stamps,
      take: (ask: Partial<HoldAsk> = {}) => holds.take({ memoryDir, run: "run-1", kind: "dream", ...ask }),
      /** What the kernel does for a dead process, and its lock's age for the next one. */
      async die() {
        for (const lock of held) await lock.release();
      },
    };
  }

  return {
    temp,
    clock,
    memoryDir,
    stateDir,
    lockPath,
    alive,
    warnings,
    start,
    records: () => temp.tree().filter((name) => /^state\/consolidating\/[^.]/u.test(name)),
    /** As a host agent leaves it: its id, or nothing, and a time. */
    plant(body: string, ageMs: number) {
      writeFileSync(lockPath, body);
      const at = (clock.now() - ageMs) / 1_000;
      utimesSync(lockPath, at, at);
    },
    remove: () => rmSync(lockPath, { force: true }),
    lock(): LockState | undefined {
      if (!existsSync(lockPath)) return undefined;
      return { body: readFileSync(lockPath, "utf8"), mtimeMs: Math.round(statSync(lockPath).mtimeMs) };
    },
  };
}

export async function mustHold(taking: ReturnType<ReturnType<Bench["start"]>["take"]>) {
  const answer = await taking;
  if ("blocked" in answer) throw new Error(`blocked until ${answer.until}`);
  return answer.hold;
}
