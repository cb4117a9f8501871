// Hand edits in memory folders: a change is looked at once it is quiet, and the index follows. Whether something
// changed is decided by the writer's own listing, so our own writes cause nothing.
import { messageOf } from "../../domain/errors.ts";
import type { Warning } from "../../domain/status.ts";
import { createDebounce } from "../../intake/watch/debounce.ts";
import { createMemoryChange, type MemoryPath } from "../../intake/watch/memory-change.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import type { Clock } from "../../system/clock.ts";
import type { Log } from "../../system/log.ts";

export interface MemoryWatch {
  setFolders(folders: readonly string[]): void;
  /** Where the path lies, if in a memory folder. */
  notice(path: string): MemoryPath | undefined;
  /** Looks at every folder; what no event told is found here. */
  lookAtAll(): void;
  /** Resolves when the look that had begun is over: it writes, so the lock must outlive it. */
  stop(): Promise<void>;
}

export interface MemoryWatchDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly places: Places;
  readonly writer: MemoryWriter;
  readonly warnings: Map<string, Warning>;
}

export function createMemoryWatch(deps: MemoryWatchDeps): MemoryWatch {
  // One folder after the other: each takes breaths, and a round looks at all of them.
  let looks: Promise<void> = Promise.resolve();
  let isStopped = false;
  const fire = (folder: string) => {
    looks = looks.then(() => (isStopped ? undefined : look(folder, deps)));
  };
  const debounce = createDebounce({ clock: deps.clock, fire });
  const changes = createMemoryChange({ debounce });
  let folders: readonly string[] = [];
  return {
    setFolders(given) {
      folders = given;
      changes.setFolders(given);
    },
    notice: (path) => changes.notice(path),
    lookAtAll: () => folders.forEach((folder) => debounce.fireNow(folder)),
    async stop() {
      debounce.stop();
      isStopped = true;
      await looks;
    },
  };
}

/** Never rejects: what fails is a warning, and the next round looks again. */
async function look(folder: string, { places, writer, log, warnings }: MemoryWatchDeps): Promise<void> {
  try {
    // Where everything waits for a yes, an edit by hand waits for the next change that gets one.
    const project = places
      .projectsAt(folder)
      .find((each) => places.folderOf(each) === folder && places.placeOf(each).mode !== "propose");
    if (project === undefined) return;
    const { conflictCopies, indexOverCap } = await writer.upkeep(folder, project);
    set(
      warnings,
      `conflict-copies ${folder}`,
      conflictCopies.length > 0 && conflictWarning(folder, conflictCopies),
    );
    set(warnings, `index-over-cap ${folder}`, indexOverCap && overCapWarning(folder));
    set(warnings, `memory-folder ${folder}`, false);
  } catch (error) {
    const message = messageOf(error);
    log.warn("a memory folder could not be looked at", { dir: folder, error: message });
    set(warnings, `memory-folder ${folder}`, {
      code: "memory-folder",
      message,
      fix: "look at the folder, its owner and its permissions",
    });
  }
}

function set(warnings: Map<string, Warning>, key: string, warning: Warning | false): void {
  if (warning === false) warnings.delete(key);
  else warnings.set(key, warning);
}

function conflictWarning(folder: string, copies: readonly string[]): Warning {
  const message = `${copies.length} conflict copies in ${folder}: ${copies.join(", ")}`;
  return { code: "conflict-copies", message, fix: "merge them by hand and delete the copies" };
}

function overCapWarning(folder: string): Warning {
  const message = `your own text in ${folder}/MEMORY.md is over 200 lines or 25,000 bytes; agents see only a part`;
  return { code: "index-over-cap", message, fix: "shorten it; engramd leaves it as it is" };
}
