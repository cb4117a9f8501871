// Watches folders and turns events into looks: a transcript that grew, a new folder, a memory folder that changed.
// An event is a hint; what nobody told is found by a second look once a watch stands, or by the next round.
import { dirname } from "node:path";
import { messageOf } from "../../domain/errors.ts";
import type { Warning } from "../../domain/status.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import type { Growth, Noticed } from "../../intake/watch/growth.ts";
import type { Rounds } from "../../intake/watch/rounds.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Files } from "../../system/files.ts";
import type { Log } from "../../system/log.ts";
import { isInside } from "../../system/paths.ts";
import { createFolderWatcher } from "../../system/watcher.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import type { SourceFolders } from "./source-folders.ts";

export interface WatchingDeps {
  readonly files: Files;
  readonly emitter: Pick<Emitter, "emit">;
  readonly log: Pick<Log, "error">;
  readonly catalog: Pick<Catalog, "isKnown">;
  readonly growth: Pick<Growth, "look" | "schedule">;
  readonly rounds: Pick<Rounds, "lookInto">;
  readonly memories: Pick<MemoryWatch, "notice" | "setFolders">;
  readonly folders: SourceFolders;
  readonly warnings: Map<string, Warning>;
  /** Aborts when nothing is to be looked at any more. */
  readonly signal: AbortSignal;
}

export interface Watching {
  /** Watches the folders that are active now; also tries again what could not be watched. */
  refresh(): void;
  schedule(found: readonly Noticed[]): void;
  isDegraded(): boolean;
  close(): Promise<void>;
}

const DEGRADED = "watcher-degraded";

export function createWatching(deps: WatchingDeps): Watching {
  const { files, catalog, growth, memories, warnings, signal } = deps;

  let waited: Waited = { above: new Set(), roots: [] };

  async function look(path: string): Promise<void> {
    if (signal.aborted) return;
    if (isAbove(path, waited)) return leadsToRoot(path, waited) ? refresh() : undefined;
    const memory = memories.notice(path);
    // Thousands of files may change in one at once: its own look finds out which.
    if (memory === "inside") return;
    const facts = files.look(path);
    if (memory === "folder") {
      // Our first write makes the folder, and only then can it be watched.
      if (facts?.kind === "folder") refresh();
    } else if (facts?.kind === "folder") {
      schedule(await deps.rounds.lookInto(path, signal));
      refresh();
    } else if (facts?.kind === "file" && !catalog.isKnown(path, facts)) {
      const found = growth.look(path, facts);
      if (found !== undefined) schedule([found]);
    }
  }

  const lookFailed = (error: unknown) =>
    deps.log.error("a change could not be looked at", { error: messageOf(error) });

  const watcher = createFolderWatcher({
    files,
    onChange: (path) => void look(path).catch(lookFailed),
    onDegraded: (reason) => tellDegraded(reason, deps),
  });

  const schedule = (found: readonly Noticed[]) => found.forEach((each) => growth.schedule(each));

  function refresh(): void {
    if (signal.aborted) return;
    const { transcripts, memory, above } = deps.folders.active();
    waited = { above: new Set(above), roots: transcripts };
    memories.setFolders(memory);
    const begun = new Set(watcher.setFolders([...transcripts, ...memory, ...above]));
    if (watcher.degraded() === undefined) warnings.delete(DEGRADED);
    const fresh = transcripts.filter((folder) => begun.has(folder) && !begun.has(dirname(folder)));
    if (fresh.length > 0) void lookAgain(fresh).catch(lookFailed);
    // What appeared before these watches stood told nobody.
    if (above.some((folder) => begun.has(folder))) refresh();
  }

  /** An agent makes a folder and writes into it at once: what came before the watch stood told nobody. */
  async function lookAgain(folders: readonly string[]): Promise<void> {
    await watcher.settled();
    // Also looks one level below, so the folders of a root need no look of their own.
    for (const folder of folders) if (!signal.aborted) schedule(await deps.rounds.lookInto(folder, signal));
    refresh();
  }

  const isDegraded = () => watcher.degraded() !== undefined;
  return { refresh, schedule, isDegraded, close: () => watcher.close() };
}

/** Where missing roots will appear, as last watched, and what may appear. */
interface Waited {
  readonly above: ReadonlySet<string>;
  readonly roots: readonly string[];
}

function isAbove(path: string, { above }: Waited): boolean {
  // Mostly there is none, and `dirname` goes through a path letter by letter.
  return above.size > 0 && (above.has(path) || above.has(dirname(path)));
}

/** Such a folder is a person's home: whatever else changes in it is not even looked at. */
function leadsToRoot(path: string, { above, roots }: Waited): boolean {
  return above.has(path) || roots.some((root) => isInside(root, path));
}

function tellDegraded(
  reason: string,
  { warnings, emitter }: Pick<WatchingDeps, "warnings" | "emitter">,
): void {
  warnings.set(DEGRADED, degradedWarning(reason));
  emitter.emit("watcher:degraded", { reason });
}

function degradedWarning(reason: string): Warning {
  const message = `files are not watched (${reason}); changes are found by a sweep every minute`;
  return { code: DEGRADED, message, fix: "raise the limit on inotify watches, then start engramd again" };
}
