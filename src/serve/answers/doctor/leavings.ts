// Checks for what a killed engramd left: locks, a socket, unfinished files; and what lies where no lock can. Removes only what is ours and whose owner
// is dead.
import { join } from "node:path";
import { AppError, orUnreadable } from "../../../domain/errors.ts";
import { lookAtLock } from "../../../learn/jobs/host-lock-file.ts";
import { createFileLocks, isAbandonedLock } from "../../../system/file-lock.ts";
import { type Folder, openFolder } from "../../../system/folder.ts";
import { findLeftovers } from "../../../system/leftovers.ts";
import { probeSocket } from "../../../system/local-socket.ts";
import { isAlive } from "../../../system/process.ts";
import { findDaemon, removeDaemonFile } from "../../client/daemon-file.ts";
import type { Check, DoctorFacts } from "./check.ts";
import { fail, named, ok, warn } from "./check.ts";

const BY_DOCTOR = "engramd doctor --fix";
const LOCK_END = ".lock";
/** One a memory folder, and the one of the instance. */
const LOCKS_MAX = 2_000;

export const STALE_LOCKS: Check = {
  code: "stale-locks",
  look(facts) {
    const odd = noLocks(facts);
    if (odd.length > 0)
      return fail(
        `something else is in the place of a lock: ${named(odd)}`,
        "look at it and remove it by hand",
      );
    const stale = staleLocks(facts);
    return stale.length === 0
      ? ok("no lock is left of a dead process")
      : warn(`locks of dead processes: ${named(stale)}`, BY_DOCTOR);
  },
  async mend(facts) {
    const locks = createFileLocks({ ...facts, folder: lockFolder(facts) });
    const done: string[] = [];
    for (const name of staleLocks(facts)) {
      // Whoever takes it first has it: a lock that came to belong to somebody meanwhile stays theirs.
      const lock = await locks.take(name, { waitMs: 0 });
      await lock?.release();
      if (lock !== undefined) done.push(`removed the lock ${name} of a dead process`);
    }
    return done;
  },
};

/** Nobody takes these over: a link may lead anywhere, and a folder in one is no stray file. */
function noLocks(facts: DoctorFacts): string[] {
  const { files } = facts;
  const folder = lockFolder(facts);
  return (files.names(folder) ?? [])
    .slice(0, 2 * LOCKS_MAX)
    .map((name) => join(folder, name))
    .filter((path) => {
      const kind = files.look(path)?.kind;
      if (!path.endsWith(LOCK_END)) return path.endsWith(".owner") && kind === "folder";
      const isOdd = (name: string) => files.look(join(path, name))?.kind !== "file";
      return kind === "folder" ? (files.names(path) ?? []).some(isOdd) : kind === "link" || kind === "other";
    });
}

function lockFolder({ paths }: DoctorFacts): string {
  return join(paths.stateDir, "locks");
}

function staleLocks(facts: DoctorFacts): string[] {
  const folder = lockFolder(facts);
  return (facts.files.names(folder) ?? [])
    .filter((name) => name.endsWith(LOCK_END))
    .slice(0, LOCKS_MAX)
    .map((name) => name.slice(0, -LOCK_END.length))
    .filter((name) => isAbandonedLock(facts.files, { folder, name }));
}

/** Memory folders looked at. */
const FOLDERS_MAX = 1_000;

/** A file of the host agent's as well: only a person takes away what lies in its place. */
export const CONSOLIDATE_LOCKS: Check = {
  code: "consolidate-locks",
  look({ files, known }) {
    const folders = [...new Set(known.projects.map(({ memoryDir }) => memoryDir))].slice(0, FOLDERS_MAX);
    const blocked = folders.flatMap((memoryDir) => {
      const why = whyBlocked(files, memoryDir);
      return why === undefined ? [] : [why];
    });
    return blocked.length === 0
      ? ok("nothing is in the place of the lock for dreams")
      : fail(
          `no dream or distillation can begin: ${named(blocked)}`,
          "look at each and remove it by hand; an agent or engramd makes it anew",
        );
  },
};

/** Whatever else is wrong with the folder is told by other checks. */
function whyBlocked(files: DoctorFacts["files"], memoryDir: string): string | undefined {
  let folder: Folder | undefined;
  try {
    orUnreadable(() => {
      folder = openFolder(files, files.real(memoryDir) ?? memoryDir);
      if (folder !== undefined) lookAtLock(folder);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === "lock-blocked" ? error.message : undefined;
  } finally {
    folder?.close();
  }
}

export const STALE_SOCKET: Check = {
  code: "stale-socket",
  async look(facts) {
    const left = await deadSockets(facts);
    return left.length === 0
      ? ok("no socket is left of a dead daemon")
      : warn(`left of a dead daemon: ${named(left)}`, BY_DOCTOR);
  },
  async mend(facts) {
    const done: string[] = [];
    for (const path of await deadSockets(facts)) {
      if (path.endsWith(".json")) removeDaemonFile(facts, findDaemon(facts).pid ?? 0);
      else facts.files.remove(path);
      done.push(`removed ${path} of a dead daemon`);
    }
    return done;
  },
};

/** Only a refused connection proves that nobody listens. */
async function deadSockets(facts: DoctorFacts): Promise<string[]> {
  const { files, paths, clock, uid, live } = facts;
  const { sockets, pid } = findDaemon(facts);
  const dead: string[] = [];
  for (const path of sockets) {
    const found = files.look(path);
    if (found?.kind !== "other" || (uid !== undefined && found.uid !== uid)) continue;
    if ((await probeSocket(path, clock)) === "dead") dead.push(path);
  }
  if (live === undefined && pid !== undefined && !isAlive(pid))
    dead.push(join(paths.stateDir, "daemon.json"));
  return dead;
}

export const LEFTOVER_FILES: Check = {
  code: "leftover-files",
  look(facts) {
    const left = leftovers(facts);
    return left.length === 0
      ? ok("no unfinished file is left")
      : warn(`${left.length} unfinished files of a killed process: ${named(left)}`, BY_DOCTOR);
  },
  mend(facts) {
    return leftovers(facts).map((path) => {
      facts.files.remove(path);
      return `removed the unfinished ${path}`;
    });
  },
};

/** In memory folders as well: the prefix of their names says that they are ours. Which cannot be read, another check tells. */
function leftovers({ files, paths, known, clock }: DoctorFacts): readonly string[] {
  const folders = [...new Set([paths.stateDir, ...known.projects.map(({ memoryDir }) => memoryDir)])];
  return folders.flatMap((folder) => {
    const found = orUnreadable(() => findLeftovers(files, { folder, now: clock.now() }));
    return "unreadable" in found ? [] : found;
  });
}
