// Listens on a Unix socket nobody else can reach or lose. Never takes a path from a living server and never
// removes anything that is not a dead socket.
import * as fs from "node:fs";
import { connect } from "node:net";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { AppError, EXIT, systemCode } from "../domain/errors.ts";
import { SOCKET_LIMITS } from "../domain/limits.ts";
import type { Clock } from "./clock.ts";
import { createFileLocks } from "./file-lock.ts";
import type { Files } from "./files.ts";
import { randomSuffix } from "./ids.ts";
import { whyNotPrivate } from "./private-folder.ts";

export interface LocalSocketDeps {
  readonly files: Files;
  readonly clock: Clock;
}

export interface LocalSocket {
  readonly path: string;
  /** Removes the socket's name if it is still ours. Closing the server is the caller's. May be called twice. */
  remove(): void;
}

/** The random name a socket has before its own. */
const UNNAMED = /^\.[0-9a-f]{8}$/u;
/** A start leaves one at most, and the next takes it away. */
const UNNAMED_MAX = 16;
const FOLDER_MODE = 0o700;
const SOCKET_MODE = 0o600;
/**
 * How long another start may keep the right to replace a socket. It needs a few milliseconds, but one that was killed
 * before it wrote its token keeps it for the stale time of a lock (10 s).
 */
const CLAIM_MS = 12_000;

/**
 * Makes `server` listen at `path`, in a folder only this user can enter. Throws an AppError: exit 4 when a living
 * server answers there (or may: only a refused connection proves death), exit 1 for anything unsafe. Undefined, and nothing
 * listens, when `wish` aborts while another start is waited for.
 */
export async function listenLocally(
  server: Server,
  {
    path,
    files,
    clock,
    wish,
  }: LocalSocketDeps & { readonly path: string; readonly wish?: AbortSignal | undefined },
): Promise<LocalSocket | undefined> {
  refuseLongPath(path);
  const folder = dirname(path);
  makePrivateFolder(files, folder);
  // Without this lock two starts could both find a dead socket, and the second removes the first one's new one.
  const locks = createFileLocks({ files, clock, folder });
  const claim = await locks.take("socket", { waitMs: CLAIM_MS, wish });
  if (claim === undefined && wish?.aborted === true) return undefined;
  if (claim === undefined) throw occupied(path);
  try {
    await removeUnnamed({ files, clock, folder });
    await removeDeadSocket(path, clock);
    return await listenAndName(server, { path, folder });
  } finally {
    await claim.release();
  }
}

function refuseLongPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= SOCKET_LIMITS.pathBytesMax) return;
  throw new AppError({
    code: "socket-path-too-long",
    message: `the socket path has ${bytes} bytes, more than ${SOCKET_LIMITS.pathBytesMax}: ${path}`,
    fix: "set XDG_RUNTIME_DIR to a shorter folder",
    disposition: "stop",
  });
}

function makePrivateFolder(files: Files, folder: string): void {
  files.ensureFolder(folder);
  const why = whyNotPrivate(files, folder);
  if (why !== undefined) {
    throw new AppError({
      code: "socket-folder-unsafe",
      message: `${folder} ${why}`,
      fix: "remove that folder or set XDG_RUNTIME_DIR to one of your own",
      disposition: "stop",
    });
  }
  fs.chmodSync(folder, FOLDER_MODE);
}

/** Of starts that were killed between listening and naming; a living one holds the claim that we hold. */
async function removeUnnamed({ files, clock, folder }: LocalSocketDeps & { readonly folder: string }) {
  const unnamed = (files.names(folder) ?? []).filter((name) => UNNAMED.test(name));
  for (const path of unnamed.slice(0, UNNAMED_MAX).map((name) => join(folder, name))) {
    if (files.look(path)?.kind === "other" && (await probeSocket(path, clock)) === "dead") files.remove(path);
  }
}

/** Leaves the path free, or throws. */
async function removeDeadSocket(path: string, clock: Clock): Promise<void> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isSocket()) {
    throw new AppError({
      code: "socket-path-taken",
      message: `${path} is not a socket, it was left untouched`,
      fix: "move it away",
      disposition: "stop",
    });
  }
  const state = await probeSocket(path, clock);
  if (state === "alive") throw occupied(path);
  if (state === "dead") fs.unlinkSync(path);
}

function occupied(path: string): AppError {
  return new AppError({
    code: "already-running",
    message: `another engramd listens at ${path}`,
    fix: "use that one, or stop it first",
    disposition: "stop",
    exitCode: EXIT.alreadyRunning,
  });
}

/** `alive` unless the kernel says that nobody listens: a stopped process does not answer either. */
export function probeSocket(path: string, clock: Clock): Promise<"alive" | "dead" | "absent"> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (state: "alive" | "dead" | "absent") => {
      timer.cancel();
      socket.destroy();
      resolve(state);
    };
    const timer = clock.setTimer(SOCKET_LIMITS.probeMs, () => finish("alive"));
    socket.once("connect", () => finish("alive"));
    socket.once("error", (error) => {
      const code = systemCode(error);
      finish(code === "ECONNREFUSED" ? "dead" : code === "ENOENT" ? "absent" : "alive");
    });
  });
}

/**
 * Listens under a temporary name and links it to the wanted one: linking never replaces, and libuv, which removes
 * the name it was given whenever a server closes, then only knows the temporary one.
 */
async function listenAndName(
  server: Server,
  { path, folder }: { readonly path: string; readonly folder: string },
): Promise<LocalSocket> {
  const temporary = join(folder, `.${randomSuffix()}`);
  await listenPrivately(server, temporary);
  try {
    fs.chmodSync(temporary, SOCKET_MODE);
    nameSocket(temporary, path);
  } catch (error) {
    server.close();
    throw systemCode(error) === "EEXIST" ? occupied(path) : error;
  }
  const own = fs.lstatSync(path);
  return {
    path,
    remove() {
      const now = fs.lstatSync(path, { throwIfNoEntry: false });
      if (now !== undefined && now.ino === own.ino && now.dev === own.dev) fs.unlinkSync(path);
    },
  };
}

function nameSocket(temporary: string, path: string): void {
  try {
    fs.linkSync(temporary, path);
    fs.unlinkSync(temporary);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
    // A file system without hard links; the claim we hold keeps other starts away.
    fs.renameSync(temporary, path);
  }
}

function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Whatever mode the umask gives it, the name is random, in a folder only we can enter, and gone before anybody
    // is told: no need to change the umask, which belongs to the whole process.
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
