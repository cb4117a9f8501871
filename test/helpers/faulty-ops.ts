// File primitives that fail or "die" at the N-th call, so that every step of a durable operation can be tried.
import * as fs from "node:fs";
import type { FileOps } from "../../src/system/files.ts";

/** Stands for kill -9: no operation works any more, clean-up included. */
export class KilledError extends Error {
  readonly code = "KILLED";

  constructor() {
    super("the process was killed here");
    this.name = "KilledError";
  }
}

export type OpName = keyof FileOps;

export interface FaultPlan {
  /** 1 is the first counted call. Absent: nothing fails, calls are only counted. */
  readonly at?: number;
  /**
   * An errno such as `ENOSPC`: only that call fails. `kill`: that call and every later one. A write that
   * fails has put half of its bytes into the file, as a full disk or a kill in the middle would.
   */
  readonly fault?: string;
  /** Count only these calls; default: all that touch the disk for writing. */
  readonly only?: readonly OpName[];
}

export interface FaultyOps {
  readonly ops: FileOps;
  /** Counted calls so far. */
  readonly calls: () => number;
  /** Names of the counted calls so far, in order. */
  readonly log: () => readonly OpName[];
  /** Whether the planned fault has happened. */
  readonly fired: () => boolean;
}

/** Calls that change what is on disk, or must succeed for a change to last. */
export const WRITING_OPS: readonly OpName[] = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "futimesSync",
  "closeSync",
  "renameSync",
  "unlinkSync",
  "mkdirSync",
  "linkSync",
  "fchmodSync",
  "chmodSync",
  "ftruncateSync",
];

const ALL_OPS: readonly OpName[] = [
  ...WRITING_OPS,
  "readSync",
  "fstatSync",
  "lstatSync",
  "statSync",
  "readdirSync",
  "realpathSync",
];

export function createFaultyOps(plan: FaultPlan = {}): FaultyOps {
  const counted = new Set<OpName>(plan.only ?? WRITING_OPS);
  const log: OpName[] = [];
  let fired = false;

  function guard(name: OpName): Fault | undefined {
    if (fired && plan.fault === "kill") return { error: new KilledError(), first: false };
    if (!counted.has(name)) return undefined;
    log.push(name);
    if (plan.at === undefined || log.length !== plan.at) return undefined;
    fired = true;
    const error = plan.fault === "kill" ? new KilledError() : systemError(plan.fault ?? "EIO", name);
    return { error, first: true };
  }

  return {
    ops: wrapEach(guard),
    calls: () => log.length,
    log: () => log,
    fired: () => fired,
  };
}

interface Fault {
  readonly error: Error;
  /** False for the calls of a process that is already dead. */
  readonly first: boolean;
}

function wrapEach(guard: (name: OpName) => Fault | undefined): FileOps {
  const wrapped: Record<string, unknown> = {};
  for (const name of ALL_OPS) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    wrapped[name] = (...args: unknown[]) => {
      const fault = guard(name);
      if (fault === undefined) return real(...args);
      // The kernel closes descriptors of a dead process; a test must not leak them.
      if (name === "closeSync") real(...args);
      if (name === "writeSync" && fault.first) writeHalf(args);
      throw fault.error;
    };
  }
  wrapped["realpathSync"] = Object.assign(wrapped["realpathSync"] as () => string, {
    native: (path: string) => {
      const fault = guard("realpathSync");
      if (fault !== undefined) throw fault.error;
      return fs.realpathSync.native(path);
    },
  });
  return wrapped as unknown as FileOps;
}

/** Arguments are those of our own callers: descriptor, bytes, offset, length. */
function writeHalf(args: readonly unknown[]): void {
  const [fd, bytes, offset, length] = args as [number, Uint8Array, number, number];
  fs.writeSync(fd, bytes, offset, Math.floor(length / 2));
}

function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name.replace("Sync", "") });
}

export interface EveryFault {
  readonly fault: string;
  readonly only?: readonly OpName[];
  /** Runs the operation once from a fresh state with these primitives and checks the result itself. */
  readonly attempt: (faulty: FaultyOps, at: number) => void | Promise<void>;
}

/** More steps than this in one operation is a test that never ends. */
const STEPS_MAX = 500;

/**
 * Runs `attempt` with the 1st, 2nd, 3rd ... call failing until one run meets no fault. Answers how many calls
 * were tried, so that a test can assert that there was something to fail.
 */
export async function forEveryFault({ fault, only, attempt }: EveryFault): Promise<number> {
  for (let at = 1; at <= STEPS_MAX; at++) {
    const faulty = createFaultyOps({ at, fault, ...(only === undefined ? {} : { only }) });
    await attempt(faulty, at);
    if (!faulty.fired()) return at - 1;
  }
  throw new Error(`still failing after ${STEPS_MAX} calls`);
}
