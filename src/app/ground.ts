// The ground everything stands on: settings, consent, files, clock, log. Reads the configuration; starts nothing.
import { join } from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { localDate } from "../domain/calendar.ts";
import { messageOf } from "../domain/errors.ts";
import { displayText } from "../domain/printable.ts";
import type { Warning } from "../domain/status.ts";
import type { KeySource } from "../learn/models/key.ts";
import { createKeySource } from "../learn/models/key.ts";
import { maskSecrets } from "../memory/secrets/scanner.ts";
import type { Clock } from "../system/clock.ts";
import { createClock } from "../system/clock.ts";
import { createRunCommand } from "../system/command.ts";
import type { Emitter } from "../system/emitter.ts";
import { createEmitter } from "../system/emitter.ts";
import type { FileLocks } from "../system/file-lock.ts";
import { createFileLocks } from "../system/file-lock.ts";
import type { Files } from "../system/files.ts";
import { createFiles } from "../system/files.ts";
import type { FoldingLog } from "../system/log.ts";
import { createLog } from "../system/log.ts";
import type { LogFile } from "../system/log-file.ts";
import { createLogFile, emptyIfLarge, LOG_FILE, PRINTED_FILE } from "../system/log-file.ts";
import type { Environment, Paths } from "../system/paths.ts";
import { resolvePaths } from "../system/paths.ts";
import { ownUid } from "../system/process.ts";
import { assertStateFormat } from "../system/state-format.ts";
import { createInstance } from "./instance.ts";
import type { Instance } from "./instance.ts";

export interface AppInput {
  readonly env: Environment;
  /** The account's home folder, used when `HOME` is not set. */
  readonly accountHome: string;
  readonly platform: NodeJS.Platform;
  readonly temporaryDir: string;
  readonly pid: number;
  /** `--config`, absolute. */
  readonly configFile?: string;
  /** Default: the system's. A day passes in a moment where a test hands in its own. */
  readonly clock?: Clock;
  /** Nothing is to be changed: not even a state folder is made. */
  readonly looksOnly?: boolean;
  /** A person breaks off what a command does. */
  readonly stop?: AbortSignal;
  /** Takes one finished log line; must not throw. */
  readonly writeLog: (line: string) => void;
  /** Nobody keeps what is printed: the log goes into a bounded file of ours instead. */
  readonly logToFile?: boolean;
}

/** What everything else stands on. */
export interface Ground {
  readonly input: AppInput;
  readonly paths: Paths;
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly log: FoldingLog;
  readonly locks: FileLocks;
  readonly instance: Instance;
  config(): Config;
  /** Which layer each setting comes from. */
  origin(): LoadedConfig["origin"];
  /** Where the model's key is, as the settings say now. */
  keys(): KeySource;
  configWarnings(): readonly Warning[];
  /** That nobody can read what is logged. */
  logWarnings(): readonly Warning[];
  /** Reads the configuration again; throws and keeps the former one when the new one is unusable. */
  reload(): void;
  /** Local calendar date, `YYYY-MM-DD`. */
  today(): string;
}

const BYTES_A_MEGABYTE = 1_000_000;
/** A thousand starts that failed. */
const PRINTED_BYTES_MAX = 250_000;

export function createGround(input: AppInput): Ground {
  const { env, accountHome, platform, temporaryDir, configFile } = input;
  const paths = resolvePaths({ env, accountHome, platform, temporaryDir });
  const files = createFiles();
  const clock = input.clock ?? createClock();
  const load = () => loadConfig({ files, paths, env, ...(configFile === undefined ? {} : { configFile }) });
  let loaded = load();
  let kept: Warning | undefined;
  const run = createRunCommand(clock);
  const keysOf = ({ config }: LoadedConfig) =>
    createKeySource({ ...config, env, home: paths.home, files, run, uid: ownUid() });
  let keys = keysOf(loaded);
  const logFile = input.logToFile === true ? openLog(paths, () => loaded.config) : undefined;
  const log = createLog({
    level: "info",
    scrub: (line) => maskSecrets(line).text,
    write: logFile?.write ?? input.writeLog,
    clock,
  });
  assertStateFormat({ files, paths });
  if (input.looksOnly !== true) files.ensureFolder(paths.stateDir);
  return {
    input,
    paths,
    files,
    clock,
    emitter: createEmitter((error) => log.error("listener failed", { error: String(error) })),
    log,
    locks: createFileLocks({ files, clock, folder: join(paths.stateDir, "locks") }),
    instance: createInstance(),
    config: () => loaded.config,
    configWarnings: () => (kept === undefined ? loaded.warnings : [kept, ...loaded.warnings]),
    logWarnings: () => logWarnings(logFile),
    origin: () => loaded.origin,
    keys: () => keys,
    reload() {
      try {
        loaded = load();
      } catch (error) {
        kept = keptWarning(error, input.pid);
        throw error;
      }
      kept = undefined;
      keys = keysOf(loaded);
    },
    today: () => localDate(clock.now(), clock.timeZone()),
  };
}

/** Nobody reads the log for it: the person changed something, and nothing changes. */
function keptWarning(error: unknown, pid: number): Warning {
  const message = `the settings of before are in force, the new ones cannot be used: ${displayText(messageOf(error))}`;
  return {
    code: "config-kept",
    message,
    fix: `engramd config check; when that is content: kill -HUP ${pid}`,
  };
}

function openLog({ stateDir }: Paths, config: () => Config): LogFile {
  const bytesMax = () => config().retention.logMegabytes * BYTES_A_MEGABYTE;
  emptyIfLarge(join(stateDir, PRINTED_FILE), PRINTED_BYTES_MAX);
  return createLogFile({ path: join(stateDir, LOG_FILE), bytesMax });
}

function logWarnings(file: LogFile | undefined): Warning[] {
  const why = file?.trouble();
  if (why === undefined) return [];
  const fix = "mend what lies there, or free some space; lines are counted until then";
  return [{ code: "log-unwritable", message: `the log cannot be written: ${why}`, fix }];
}
