// Exclusive locks through proper-lockfile, the only importer of it. Never throws from a timer.
import { dirname, join } from "node:path";
import lockfile from "proper-lockfile";
import { AppError, systemCode } from "../domain/errors.ts";
import type { Clock } from "./clock.ts";
import { wait } from "./clock.ts";
import type { Files } from "./files.ts";
import { contentHash, randomSuffix } from "./ids.ts";

/** A lock's heart-beat older than this counts as abandoned (library default). */
const STALE_MS = 10_000;
/** A heart-beat further ahead than this was written under a wrong clock and counts as abandoned. */
const FUTURE_TOLERANCE_MS = 60_000;
const RETRY_MS = 250;

export interface Lock {
  /** False once another process may own the lock; asked again right before a commit. */
  held(): boolean;
  /** Aborts when the lock is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface FileLocks {
  /**
   * Takes the lock named `name`, waiting up to `waitMs`. Undefined when another owner keeps it.
   * The library's stale take-over can give two owners, so a token file decides in the end.
   */
  take(name: string, options: { readonly waitMs: number }): Promise<Lock | undefined>;
}

export function createFileLocks(deps: {
  readonly files: Files;
  readonly clock: Clock;
  readonly folder: string;
}): FileLocks {
  return { take: (name, { waitMs }) => take(deps, { name, waitMs }) };
}

type Deps = Parameters<typeof createFileLocks>[0];

async function take(deps: Deps, ask: { name: string; waitMs: number }): Promise<Lock | undefined> {
  const { files, clock, folder } = deps;
  files.ensureFolder(folder);
  const target = join(folder, ask.name);
  const lockPath = `${target}.lock`;
  const deadline = clock.monotonicMs() + ask.waitMs;
  for (;;) {
    const lock = await tryOnce(deps, { target, lockPath });
    if (lock !== undefined) return lock;
    if (clock.monotonicMs() >= deadline) return undefined;
    await wait(clock, RETRY_MS);
  }
}

async function tryOnce(
  { files, clock }: Deps,
  { target, lockPath }: { target: string; lockPath: string },
): Promise<Lock | undefined> {
  mendForeignLock(files, { lockPath, now: clock.now() });
  const lost = new AbortController();
  let release: () => Promise<void>;
  try {
    release = await lockfile.lock(target, {
      realpath: false,
      stale: STALE_MS,
      lockfilePath: lockPath,
      // The default handler throws from a timer and kills the process.
      onCompromised: () => lost.abort(),
    });
  } catch (error) {
    if (systemCode(error) === "ELOCKED") return undefined;
    throw error;
  }
  const token = `${process.pid} ${randomSuffix()}${randomSuffix()}\n`;
  const tokenPath = `${target}.owner`;
  files.replace(tokenPath, token);
  const ours = contentHash(token);
  const owns = () => {
    const content = files.read(tokenPath, 200);
    return content !== undefined && contentHash(content) === ours;
  };
  return {
    held: () => !lost.signal.aborted && files.look(lockPath) !== undefined && owns(),
    lost: lost.signal,
    async release() {
      if (owns()) files.remove(tokenPath);
      if (lost.signal.aborted) return;
      try {
        await release();
      } catch (error) {
        if (!["ERELEASED", "ENOTACQUIRED", "ENOENT"].includes(systemCode(error) ?? "")) throw error;
      }
    },
  };
}

/** A lock that is a plain file, or stamped in the future, never clears by itself. */
function mendForeignLock(files: Files, { lockPath, now }: { lockPath: string; now: number }): void {
  const facts = files.look(lockPath);
  if (facts === undefined) return;
  if (facts.kind === "file") files.remove(lockPath);
  else if (facts.kind === "folder" && facts.mtimeMs > now + FUTURE_TOLERANCE_MS) {
    files.setModified(lockPath, now - 2 * STALE_MS);
  } else if (facts.kind !== "folder") {
    throw new AppError({
      code: "lock-blocked",
      message: `${lockPath} is neither a lock nor a folder`,
      fix: `remove it by hand after a look at ${dirname(lockPath)}`,
      disposition: "retry",
    });
  }
}
