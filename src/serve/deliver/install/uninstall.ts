// `engramd uninstall`: undoes what install.json says, nothing else. A service file somebody edited stays; state goes
// only when asked for; no engramd may run meanwhile.
import type { AppError } from "../../../domain/errors.ts";
import type { Warning } from "../../../domain/status.ts";
import type { Lock } from "../../../system/file-lock.ts";
import { contentHash } from "../../../system/ids.ts";
import { removeEmptyFolder, removeFolder } from "../../../system/removal.ts";
import type { Change, InstallDeps } from "./install.ts";
import type { InstalledService } from "./record.ts";
import type { RemovedMemories } from "./own-memories.ts";
import { readInstalled, saveInstalled } from "./record.ts";
import { runSteps } from "./run-steps.ts";
import { serviceCommands, typedSteps } from "./service-commands.ts";

export interface UninstallDeps extends Omit<InstallDeps, "program" | "clock"> {
  readonly removeMemories: () => Promise<RemovedMemories>;
  /** The lock only one engramd of a state folder has; undefined while another keeps it. */
  readonly takeInstance: () => Promise<Lock | undefined>;
  readonly alreadyRunning: () => AppError;
}

export interface UninstallWish {
  /** Also our state: cursors, history, evidence. */
  readonly purge: boolean;
  /** Also memories engramd made and nobody edited. */
  readonly removeMemories: boolean;
}

export interface UninstallReport {
  readonly v: 1;
  readonly outcome: "uninstalled" | "nothing";
  /** The file of the service that was installed; null when there was none. */
  readonly service: string | null;
  readonly changes: readonly Change[];
  /** What is left on purpose. */
  readonly kept: readonly string[];
  readonly warnings: readonly Warning[];
}

const FILE_BYTES_MAX = 100_000;

/** Throws `already-running`, with nothing removed, when an engramd runs that the manager does not stop. */
export async function uninstallService(deps: UninstallDeps, wish: UninstallWish): Promise<UninstallReport> {
  const installed = readInstalled(deps);
  const wantsState = wish.purge || wish.removeMemories;
  if (installed === undefined && !(wantsState && deps.files.look(deps.paths.stateDir) !== undefined))
    return {
      v: 1,
      outcome: "nothing",
      service: null,
      changes: [],
      kept: keptPlaces(deps, wish),
      warnings: [],
    };
  const stopped = installed === undefined ? [] : await stop(deps);
  const lock = await deps.takeInstance();
  if (lock === undefined) throw deps.alreadyRunning();
  try {
    const removal = installed === undefined ? NOTHING : await removeService(deps, installed);
    // Before the state goes: the journal tells whose each memory is.
    const memories = wish.removeMemories ? await deps.removeMemories() : { removed: [], kept: [] };
    const changes = [
      ...stopped,
      ...removal.changes,
      ...memories.removed.map((what) => ({ did: "removed", what }) as const),
      ...memories.kept.map((what) => ({ did: "kept", what }) as const),
    ];
    if (wish.purge) {
      removeFolder(deps.paths.stateDir);
      changes.push({ did: "removed", what: deps.paths.stateDir });
    } else saveInstalled(deps, undefined);
    const folders = (installed?.folders ?? []).toReversed().filter((folder) => removeEmptyFolder(folder));
    changes.push(...folders.map((what) => ({ did: "removed", what }) as const));
    return {
      v: 1,
      outcome: "uninstalled",
      service: installed?.file ?? null,
      changes,
      kept: keptPlaces(deps, wish),
      warnings: removal.warnings,
    };
  } finally {
    await lock.release();
  }
}

interface Removal {
  readonly changes: readonly Change[];
  readonly warnings: readonly Warning[];
}

const NOTHING: Removal = { changes: [], warnings: [] };

/** A manager that cannot be asked has stopped nothing; the lock tells whether anything runs. */
async function stop(deps: UninstallDeps): Promise<Change[]> {
  const { done } = await runSteps(deps, serviceCommands(deps).stop);
  return done.map((what) => ({ did: "ran", what }));
}

async function removeService(deps: UninstallDeps, installed: InstalledService): Promise<Removal> {
  const { files } = deps;
  const commands = serviceCommands(deps);
  const disabled = await runSteps(deps, commands.disable);
  const content =
    files.look(installed.file)?.kind === "file" ? files.read(installed.file, FILE_BYTES_MAX) : undefined;
  const isEdited =
    content === undefined ? files.look(installed.file) !== undefined : !isOurs(installed, content);
  const removed: string[] = [];
  if (content !== undefined && !isEdited) {
    files.remove(installed.file);
    removed.push(installed.file);
  }
  const after = await runSteps(deps, commands.afterRemoval);
  const failure = disabled.failure ?? after.failure;
  const byHand = typedSteps([
    ...(disabled.failure === undefined ? [] : commands.disable),
    ...(after.failure === undefined ? [] : commands.afterRemoval),
  ]);
  return {
    changes: [
      ...disabled.done.map((what) => ({ did: "ran", what }) as const),
      ...removed.map((what) => ({ did: "removed", what }) as const),
      ...after.done.map((what) => ({ did: "ran", what }) as const),
      ...(isEdited ? [{ did: "kept", what: installed.file } as const] : []),
    ],
    warnings: [
      ...(isEdited
        ? [
            {
              code: "service-file-edited",
              message: `${installed.file} was edited by hand and is kept`,
              fix: "remove it yourself when you no longer need it",
            },
          ]
        : []),
      ...(failure === undefined
        ? []
        : [
            {
              code: "manager-unreachable",
              message: `the service manager was not told: ${failure}`,
              fix: byHand,
            },
          ]),
    ],
  };
}

function isOurs({ hashes }: InstalledService, content: Buffer): boolean {
  return hashes.includes(contentHash(content));
}

function keptPlaces({ files, paths }: UninstallDeps, { purge }: UninstallWish): string[] {
  const places = [...(purge ? [] : [paths.stateDir]), paths.configDir, paths.dataDir];
  return places.filter((path) => files.look(path) !== undefined);
}
