// Tells which paths may have changed in a given set of folders, through chokidar, the only importer of it.
// An event is a hint ("look at this path"), never a fact: events are merged, lost and repeated. Never reads
// a file, never watches one, never looks below a given folder.
import { basename } from "node:path";
import { FSWatcher } from "chokidar";
import { messageOf, systemCode } from "../domain/errors.ts";
import type { Files } from "./files.ts";

/** What a folder watch reports; `name` is the entry that changed, if the platform tells. */
export interface FolderWatchHooks {
  event(name: string | undefined): void;
  /** No watch was set: the folder is gone, or `error` told why. */
  notSet(): void;
  /** The watch could not be set, or ended by itself. */
  error(error: unknown): void;
}

export interface FolderWatch {
  close(): Promise<void>;
}

export interface FolderWatcherDeps {
  readonly files: Pick<Files, "follow" | "real">;
  /** A path inside a watched folder, or the folder itself, spelt as it was given to `setFolders`. */
  readonly onChange: (path: string) => void;
  /** Called once when watching stops being complete; not again before every folder was watched once more. */
  readonly onDegraded: (reason: string) => void;
  /** Opens one watch on an existing folder (a real path). Tests hand in their own. */
  readonly create?: (folder: string, hooks: FolderWatchHooks) => FolderWatch;
}

export interface FolderWatcher {
  /**
   * Watches exactly these folders from now on. Called after every sweep: folders that are missing, that failed,
   * or that became another folder (deleted and made again, renamed) are tried again here and only here.
   * Answers the folders whose watch was begun now: until `settled`, changes in them may have told nobody. One that
   * failed the last time or right now is not among them: whoever looks into it and asks again would never end.
   */
  setFolders(folders: readonly string[]): readonly string[];
  /** Folders being watched now. */
  folders(): number;
  /** Why watching is incomplete; undefined while it is complete. */
  degraded(): string | undefined;
  /** Resolves once every watch that was being set is set or has failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface Watched {
  readonly fileId: string;
  watch: FolderWatch | undefined;
  /** The folder was removed or renamed: its inode number may already be in use again, so it is not enough. */
  stale: boolean;
  error: string | undefined;
}

interface State extends FolderWatcherDeps {
  readonly watched: Map<string, Watched>;
  readonly closing: Set<Promise<void>>;
  announced: boolean;
  closed: boolean;
}

export function createFolderWatcher(deps: FolderWatcherDeps): FolderWatcher {
  const state: State = { ...deps, watched: new Map(), closing: new Set(), announced: false, closed: false };
  const settled = async () => {
    await Promise.all(state.closing);
  };
  return {
    setFolders: (folders) => setFolders(state, new Set(folders)),
    folders: () => healthy(state),
    degraded: () => degradedReason(state),
    settled,
    async close() {
      state.closed = true;
      for (const folder of state.watched.keys()) drop(state, folder);
      await Promise.all(state.closing);
    },
  };
}

function setFolders(state: State, wanted: ReadonlySet<string>): readonly string[] {
  const begun: string[] = [];
  if (state.closed) return begun;
  if (degradedReason(state) === undefined) state.announced = false;
  for (const folder of state.watched.keys()) {
    if (!wanted.has(folder)) drop(state, folder);
  }
  for (const folder of wanted) {
    const facts = lookAt(state, folder);
    const entry = state.watched.get(folder);
    const same = entry !== undefined && entry.fileId === facts?.fileId;
    if (same && !entry.stale && entry.error === undefined) continue;
    if (entry !== undefined) drop(state, folder);
    if (facts === undefined) continue;
    const armed = arm(state, { folder, ...facts });
    if (entry?.error === undefined && armed.error === undefined && !armed.stale) begun.push(folder);
  }
  return begun;
}

/** Identity and real path of a folder; undefined when there is none (yet). */
function lookAt({ files }: State, folder: string): { fileId: string; real: string } | undefined {
  try {
    const facts = files.follow(folder);
    if (facts?.kind !== "folder") return undefined;
    const real = files.real(folder);
    return real === undefined ? undefined : { fileId: facts.fileId, real };
  } catch (error) {
    // An unreadable parent, a loop of links: like a missing folder, the next sweep asks again.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

interface ArmRequest {
  readonly folder: string;
  readonly real: string;
  readonly fileId: string;
}

function arm(state: State, { folder, real, fileId }: ArmRequest): Watched {
  const own = basename(real);
  const entry: Watched = { fileId, watch: undefined, stale: false, error: undefined };
  state.watched.set(folder, entry);
  entry.watch = (state.create ?? watchFolder)(real, {
    event(name) {
      if (state.watched.get(folder) !== entry) return;
      // The folder's own removal or renaming is reported under its own name. So is a child that is called
      // alike, which then costs one look at the folder and one new watch.
      if (name === own) entry.stale = true;
      state.onChange(name === undefined || name === own ? folder : pathIn(folder, name));
    },
    notSet() {
      entry.stale = true;
    },
    error(error) {
      entry.error = `${systemCode(error) ?? "error"}: ${messageOf(error)}`;
      if (state.watched.get(folder) === entry) announce(state, entry.error);
    },
  });
  return entry;
}

/** Runs for every event of a burst, and `join` takes paths apart letter by letter: a tenth of what one costs (measured). */
function pathIn(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** An exhausted limit fails hundreds of folders at once: one announcement for all. */
function announce(state: State, reason: string): void {
  if (state.announced || state.closed) return;
  state.announced = true;
  state.onDegraded(reason);
}

function drop(state: State, folder: string): void {
  const entry = state.watched.get(folder);
  if (entry?.watch === undefined) return;
  state.watched.delete(folder);
  // At once: chokidar hands out one kernel watch per path, and a folder made anew would get that of the old one.
  const closed = entry.watch.close();
  state.closing.add(closed);
  void closed.finally(() => state.closing.delete(closed));
}

function healthy({ watched }: State): number {
  let count = 0;
  for (const entry of watched.values()) if (entry.error === undefined) count++;
  return count;
}

function degradedReason({ watched }: State): string | undefined {
  for (const entry of watched.values()) if (entry.error !== undefined) return entry.error;
  return undefined;
}

/**
 * One chokidar instance a folder: `unwatch` of a shared one leaves an ignore rule behind that also covers
 * every folder below, and those rules are never forgotten.
 *
 * `add` would look at the folder once more, list it, look at every file, set a watch for each, and do so again after
 * every event. We know that it is a folder and take raw events, so only the step below all that is used: the
 * watch on one path, with its polling and its errors. It costs a tenth.
 */
function watchFolder(folder: string, hooks: FolderWatchHooks): FolderWatch {
  const watcher = new FSWatcher({
    // Without it chokidar sets its watch without an error listener, and an error would end the process.
    persistent: true,
    usePolling: false,
  });
  watcher.on("raw", (_event, name, details) => hooks.event(entryName(name, details)));
  watcher.on("error", (error) => hooks.error(error));
  // A function of its own: chokidar keeps the callbacks of one path in a set.
  const closer = watcher._nodeFsHandler._watchWithNodeFs(folder, () => undefined);
  if (closer === undefined) hooks.notSet();
  else watcher._addPathCloser(folder, closer);
  return { close: () => watcher.close() };
}

/**
 * The changed entry's name. The payload of `raw` differs: Linux and macOS give a name (or null) with the
 * watched folder beside it; polling, which the environment can force, gives the watched path and two stats.
 */
function entryName(name: unknown, details: unknown): string | undefined {
  const native = typeof details === "object" && details !== null && "watchedPath" in details;
  return native && typeof name === "string" && name !== "" ? name : undefined;
}
