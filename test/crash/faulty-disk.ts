// A disk that fails at a chosen call, for everything this process does below one folder - engramd's own calls and
// those of its packages. Node's `fs` itself is patched, so no part can be missed; it must be mended again.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Calls that change what is on disk, or must succeed for a change to last. */
export const WRITING = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "futimesSync",
  "closeSync",
  "renameSync",
  "unlinkSync",
  "mkdirSync",
  "fchmodSync",
  "chmodSync",
  "ftruncateSync",
  "rmdirSync",
  "mkdir",
] as const;

export const READING = [
  "readSync",
  "fstatSync",
  "lstatSync",
  "statSync",
  "readdirSync",
  "stat",
  "utimes",
] as const;

export interface DiskFault {
  /** The folder whose calls count; calls elsewhere always work. */
  readonly below: string;
  /** Names of `fs` functions that count. */
  readonly calls: readonly string[];
  /** The call that fails, from 1; absent: none does, they are only noted. */
  readonly at?: number;
  /** Its errno. A write that fails has put half of its bytes into the file, as a full disk does. */
  readonly code?: string;
}

export interface DiskReport<T> {
  /** What the work came to; its error is `error`. */
  readonly result: { readonly value: T } | { readonly error: unknown };
  /** Those that counted, each as `openSync /a/b`. */
  readonly calls: readonly string[];
  /** The failed call, for messages; undefined when the work ended before it. */
  readonly failed: string | undefined;
}

type Call = (...args: unknown[]) => unknown;

/** Runs the work on the faulty disk and mends the disk whatever comes of it. One at a time. */
export async function onFaultyDisk<T>(fault: DiskFault, work: () => Promise<T>): Promise<DiskReport<T>> {
  const seen: Seen = { calls: [], failed: undefined, paths: new Map() };
  const mend = patch((name, real) => faultyCall(name, { real, fault, seen }));
  try {
    const value = await work();
    return { result: { value }, calls: seen.calls, failed: seen.failed };
  } catch (error) {
    return { result: { error }, calls: seen.calls, failed: seen.failed };
  } finally {
    mend();
  }
}

interface Seen {
  readonly calls: string[];
  failed: string | undefined;
  /** Paths of the descriptors opened below the folder. */
  readonly paths: Map<number, string>;
}

interface Context {
  readonly real: Call;
  readonly fault: DiskFault;
  readonly seen: Seen;
}

/** Every name of both lists, so that descriptors are known whatever is counted. */
function patch(make: (name: string, real: Call) => Call): () => void {
  const table = fs as unknown as Record<string, Call>;
  const originals = new Map<string, Call>();
  for (const name of [...WRITING, ...READING]) {
    const real = table[name];
    if (real === undefined) throw new Error(`fs.${name} is not there`);
    originals.set(name, real);
    table[name] = Object.assign(make(name, real), real);
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, real] of originals) table[name] = real;
    syncBuiltinESMExports();
  };
}

function faultyCall(name: string, { real, fault, seen }: Context): Call {
  return (...args) => {
    const path = placeOf(args[0], seen.paths);
    const isOurs = path !== undefined && `${path}/`.startsWith(`${fault.below}/`);
    if (isOurs && fault.calls.includes(name) && mayFail(name, args, fault)) {
      seen.calls.push(`${name} ${path}`);
      if (seen.calls.length === fault.at) {
        seen.failed = `${name} ${path}`;
        return fail(name, { args, real, error: errorOf(fault.code ?? "EIO", name) });
      }
    }
    const result = real(...args);
    if (isOurs && name === "openSync" && typeof result === "number") seen.paths.set(result, path);
    if (name === "closeSync" && typeof args[0] === "number") seen.paths.delete(args[0]);
    return result;
  };
}

/** A disk without space still opens what is there. */
function mayFail(name: string, [, flags]: readonly unknown[], { code }: DiskFault): boolean {
  if (name !== "openSync" || code !== "ENOSPC") return true;
  return typeof flags === "number" && (flags & fs.constants.O_CREAT) !== 0;
}

/** `/proc/self/fd/N/name` is how a folder held open is written to. */
function placeOf(target: unknown, paths: ReadonlyMap<number, string>): string | undefined {
  if (typeof target === "number") return paths.get(target);
  if (typeof target !== "string") return undefined;
  const held = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(target);
  if (held === null) return target;
  const folder = paths.get(Number(held[1]));
  return folder === undefined ? undefined : `${folder}${held[2] ?? ""}`;
}

interface Failure {
  readonly args: readonly unknown[];
  readonly real: Call;
  readonly error: Error;
}

function fail(name: string, { args, real, error }: Failure): void {
  const done = args.at(-1);
  if (!name.endsWith("Sync") && typeof done === "function") return void setImmediate(() => done(error));
  // The descriptor is gone even when closing it fails.
  if (name === "closeSync") real(...args);
  if (name === "writeSync") writeHalf(args, real);
  throw error;
}

/** Arguments are those of our own callers: descriptor, bytes, offset, length. */
function writeHalf([fd, bytes, offset, length]: readonly unknown[], real: Call): void {
  if (typeof offset === "number" && typeof length === "number") {
    real(fd, bytes, offset, Math.floor(length / 2));
  }
}

function errorOf(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name.replace("Sync", "") });
}
