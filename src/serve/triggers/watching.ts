// Watches folders and turns events into looks: a transcript that grew, a new folder, a memory folder that changed.
// An event is a hint; what nobody told is found by the next round.
import { messageOf } from "../../domain/errors.ts";
import type { Warning } from "../../domain/status.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import type { Growth, Noticed } from "../../intake/watch/growth.ts";
import type { Rounds } from "../../intake/watch/rounds.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Files } from "../../system/files.ts";
import type { Log } from "../../system/log.ts";
import { createFolderWatcher } from "../../system/watcher.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import type { SourceFolders } from "./source-folders.ts";

export interface WatchingDeps {
  readonly files: Files;
  readonly emitter: Emitter;
  readonly log: Log;
  readonly catalog: Catalog;
  readonly growth: Growth;
  readonly rounds: Rounds;
  readonly memories: MemoryWatch;
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

  async function look(path: string): Promise<void> {
    if (signal.aborted || memories.notice(path)) return;
    const facts = files.look(path);
    if (facts?.kind === "folder") {
      schedule(await deps.rounds.lookInto(path, signal));
      refresh();
    } else if (facts?.kind === "file" && !catalog.isKnown(path, facts)) {
      const found = growth.look(path, facts);
      if (found !== undefined) schedule([found]);
    }
  }

  const watcher = createFolderWatcher({
    files,
    onChange: (path) =>
      void look(path).catch((error: unknown) =>
        deps.log.error("a change could not be looked at", { error: messageOf(error) }),
      ),
    onDegraded(reason) {
      warnings.set(DEGRADED, degradedWarning(reason));
      deps.emitter.emit("watcher:degraded", { reason });
    },
  });

  function schedule(found: readonly Noticed[]): void {
    for (const each of found) growth.schedule(each);
  }

  function refresh(): void {
    if (signal.aborted) return;
    const { transcripts, memory } = deps.folders.active();
    memories.setFolders(memory);
    watcher.setFolders([...transcripts, ...memory]);
    if (watcher.degraded() === undefined) warnings.delete(DEGRADED);
  }

  return {
    refresh,
    schedule,
    isDegraded: () => watcher.degraded() !== undefined,
    close: () => watcher.close(),
  };
}

function degradedWarning(reason: string): Warning {
  const message = `files are not watched (${reason}); changes are found by a sweep every minute`;
  return { code: DEGRADED, message, fix: "raise the limit on inotify watches, then engramd restart" };
}
