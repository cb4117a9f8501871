// Builds engramd's parts from the configuration, for the daemon and for commands that work without it.
// Starts nothing: no timer, no watcher, no socket, no lock until something is changed.
import { join } from "node:path";
import type { Config } from "./config/schema.ts";
import { loadConfig } from "./config/load.ts";
import type { LoadedConfig } from "./config/load.ts";
import type { ChangeSet } from "./domain/changes.ts";
import { AppError, EXIT } from "./domain/errors.ts";
import type { EngramdService } from "./domain/service.ts";
import type { ProjectRef } from "./domain/sessions.ts";
import type { Warning } from "./domain/status.ts";
import { createFormats } from "./intake/agents/registry.ts";
import { createProjects } from "./intake/projects/identity.ts";
import { projectKey } from "./intake/projects/key.ts";
import { createMemoryFolders } from "./intake/projects/memory-folder.ts";
import { createPlaces } from "./intake/projects/places.ts";
import type { Places } from "./intake/projects/places.ts";
import { managedSettingsFile } from "./intake/projects/settings.ts";
import { createQueue } from "./intake/queue/queue.ts";
import type { Queue } from "./intake/queue/queue.ts";
import { createRetryClock } from "./intake/queue/retry-clock.ts";
import { createCursors } from "./intake/transcripts/cursors.ts";
import { openSeen } from "./intake/transcripts/lineage.ts";
import { createCatalog } from "./intake/watch/catalog.ts";
import type { Catalog } from "./intake/watch/catalog.ts";
import type { ExtractDeps, ExtractRequest, SessionReport } from "./learn/jobs/extract/contract.ts";
import { createExtractJob } from "./learn/jobs/extract/index.ts";
import type { ExtractJob } from "./learn/jobs/extract/index.ts";
import { createLedger } from "./learn/models/ledger.ts";
import { extractOffline, hasUrgentCue } from "./learn/offline/extract.ts";
import { localDate } from "./memory/files/freshness.ts";
import { createCandidateStore } from "./memory/gate/candidates.ts";
import type { CommitOptions, MemoryWriter } from "./memory/journal/commit.ts";
import { createMemoryWriter } from "./memory/journal/commit.ts";
import { maskSecrets } from "./memory/secrets/scanner.ts";
import { createActivity } from "./serve/answers/activity.ts";
import { createFolderViews } from "./serve/answers/folder-view.ts";
import type { SnapshotDeps } from "./serve/answers/snapshot.ts";
import type { PassTally } from "./serve/answers/tally.ts";
import { createClock } from "./system/clock.ts";
import type { Clock } from "./system/clock.ts";
import { createEmitter } from "./system/emitter.ts";
import type { Emitter } from "./system/emitter.ts";
import { createFileLocks } from "./system/file-lock.ts";
import type { FileLocks } from "./system/file-lock.ts";
import { createFiles } from "./system/files.ts";
import type { Files } from "./system/files.ts";
import { createLog } from "./system/log.ts";
import type { Log } from "./system/log.ts";
import { resolvePaths } from "./system/paths.ts";
import type { Environment, Paths } from "./system/paths.ts";

export interface AppInput {
  readonly env: Environment;
  /** The account's home folder, used when `HOME` is not set. */
  readonly accountHome: string;
  readonly platform: NodeJS.Platform;
  readonly temporaryDir: string;
  readonly pid: number;
  /** `--config`, absolute. */
  readonly configFile?: string;
  /** Takes one finished log line; must not throw. */
  readonly writeLog: (line: string) => void;
}

/** Everything a running engramd is made of. */
export interface Parts {
  readonly input: AppInput;
  readonly paths: Paths;
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly log: Log;
  readonly locks: FileLocks;
  config(): Config;
  /** Reads the configuration again; keeps the former one when the new one is unusable. */
  reload(): void;
  readonly places: Places;
  readonly catalog: Catalog;
  readonly growth: Growth;
  readonly debounce: Debounce;
  readonly rounds: Rounds;
  readonly extract: ExtractJob;
  readonly queue: Queue;
  readonly writer: MemoryWriter;
  readonly snapshot: SnapshotDeps;
  /** The first full round is done; files found later are new whatever their date. */
  firstRoundDone(): void;
  today(): string;
  /** Commits, notes the run in the ledger and tells the tallies. */
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
  listen(tally: PassTally): () => void;
  readonly views: FolderViews;
  projectAt(path: string): ProjectRef;
}
