// Joins the extraction with the real parts: folders on disk, the writer, candidates, ledger. No rules here.
import type { Config } from "../../../config/schema.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Places } from "../../../intake/projects/places.ts";
import { openSeen } from "../../../intake/transcripts/lineage.ts";
import type { Catalog } from "../../../intake/watch/catalog.ts";
import type { FolderView } from "../../../memory/files/store.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Emitter } from "../../../system/emitter.ts";
import type { Files } from "../../../system/files.ts";
import { extractOffline } from "../../offline/extract.ts";
import type { ExtractDeps } from "./contract.ts";
import type { RetellDeps } from "./retell-reading.ts";
import type { Settling } from "../settling.ts";
import type { Waiting } from "../waiting.ts";

export interface ExtractParts extends Pick<
  ExtractDeps,
  | "readerFor"
  | "openAccount"
  | "restsUntil"
  | "waitForMore"
  | "goOn"
  | "report"
  | "finishRun"
  | "today"
  | "logMode"
  | "isIgnored"
> {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly catalog: Catalog;
  readonly places: Places;
  readonly settling: Settling;
  readonly waiting: Waiting;
  readonly home: string;
  readonly stateDir: string;
  config(): Config;
  viewOf(memoryDir: string): FolderView | undefined;
  finishOpen(memoryDir: string): Promise<boolean>;
  /** Those of them that no person took back in that folder. */
}

export function createExtractDeps(parts: ExtractParts): RetellDeps {
  const { files, clock, emitter, catalog, places, stateDir, settling, waiting } = parts;
  return {
    catalog,
    clock,
    emitter,
    today: parts.today,
    logMode: parts.logMode,
    report: parts.report,
    finishRun: parts.finishRun,
    settings: (project) => ({
      headless: parts.config().extract.headless,
      learns: parts.config().extract.enabled,
      proposeOnly: waiting.isProposing(project),
    }),
    isIgnored: parts.isIgnored,
    seenOf: (projectId) => openSeen({ files, stateDir, projectId }),
    placeOf(memoryDir) {
      const real = files.real(memoryDir);
      const folders = real === undefined || real === memoryDir ? [memoryDir] : [memoryDir, real];
      return { folders, home: parts.home };
    },
    settlingUntil: settling.until,
    assertWritable(memoryDir) {
      const parked = places.projectsAt(memoryDir).map((project) => places.placeOf(project).parked);
      const why = parked.find((reason) => reason !== undefined);
      if (why !== undefined) throw parkedError(memoryDir, why);
    },
    async finishOpen(memoryDir) {
      if (await parts.finishOpen(memoryDir)) settling.wroteOurselves(memoryDir);
    },
    viewOf(memoryDir) {
      const view = parts.viewOf(memoryDir);
      return { memories: view?.memories ?? [], taken: takenNames(view) };
    },
    extract: extractOffline,
    readerFor: parts.readerFor,
    openAccount: parts.openAccount,
    restsUntil: parts.restsUntil,
    waitForMore: parts.waitForMore,
    goOn: parts.goOn,
    ...waiting,
    memoryDirOf: (project) => places.folderOf(project),
    projectsAt: (memoryDir) =>
      places.projectsAt(memoryDir).filter((project) => places.folderOf(project) !== undefined),
  };
}

function takenNames(view: FolderView | undefined): Set<string> {
  if (view === undefined) return new Set();
  const others = view.notMemories.map(({ file }) => file);
  return new Set([...view.memories.map(({ file }) => file), ...view.unavailable, ...others]);
}

function parkedError(memoryDir: string, why: string): AppError {
  return new AppError({
    code: "memory-parked",
    message: `nothing is written to ${memoryDir}: ${why}`,
    fix: "put the folder back where it was",
    disposition: "retry",
  });
}
