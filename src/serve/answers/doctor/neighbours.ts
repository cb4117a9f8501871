// Checks for others: a second engramd over the same folders, and programs that copy our files to other machines.
import { basename, dirname, join } from "node:path";
import { orUnreadable } from "../../../domain/errors.ts";
import { readProcFile } from "../../../system/proc-file.ts";
import type { Check, DoctorFacts } from "./check.ts";
import { named, ok, warn } from "./check.ts";

/** Processes looked at. */
const PROCESSES_MAX = 20_000;
const COMMAND_BYTES_MAX = 16_384;
const ENVIRONMENT_BYTES_MAX = 262_144;

/** Another state folder would learn the same words a second time, and both would write the same memories. */
export const SECOND_DAEMON: Check = {
  code: "second-engramd",
  look(facts) {
    const names = facts.files.names(facts.procDir);
    if (names === undefined) return ok("not looked for on this system");
    const others = names
      .filter((name) => /^\d+$/u.test(name))
      .slice(0, PROCESSES_MAX)
      .map(Number)
      .filter((pid) => pid !== facts.pid && pid !== facts.live?.pid && isOther(facts, pid));
    if (others.length === 0) return ok("no second engramd reads the same folders");
    const pids = others.map(String);
    return warn(
      `another engramd of yours runs over the same folders: pid ${named(pids)}`,
      `kill ${pids[0] ?? ""}`,
    );
  },
};

/** Of this user, `engramd run`, and with the same home folder. What it was given otherwise is not looked at. */
function isOther({ files, procDir, uid, paths }: DoctorFacts, pid: number): boolean {
  const folder = join(procDir, String(pid));
  if (uid !== undefined && files.look(folder)?.uid !== uid) return false;
  const command = readProcFile(files, { path: join(folder, "cmdline"), bytesMax: COMMAND_BYTES_MAX });
  const [, ...words] = (command ?? "").split("\0").filter((word) => word !== "");
  const entry = words.findIndex((word) => /\/(?:engramd|main\.js)$/u.test(word));
  if (entry < 0 || !words.slice(entry + 1).includes("run") || !/engramd/u.test(command ?? "")) return false;
  const told = readProcFile(files, { path: join(folder, "environ"), bytesMax: ENVIRONMENT_BYTES_MAX });
  const home = told?.split("\0").find((variable) => variable.startsWith("HOME="));
  return home?.slice("HOME=".length) === paths.home;
}

interface Syncer {
  readonly name: string;
  /** A folder of this name is its own. */
  readonly folder: RegExp;
  /** What it leaves at the top of a folder it copies. */
  readonly marks: readonly string[];
}

const SYNCERS: readonly Syncer[] = [
  { name: "Dropbox", folder: /^Dropbox(?: \(.+\))?$/u, marks: [".dropbox", ".dropbox.cache"] },
  { name: "iCloud Drive", folder: /^(?:Mobile Documents|com~apple~CloudDocs)$/u, marks: [] },
  { name: "OneDrive", folder: /^OneDrive(?: - .+|-.+)?$/u, marks: [] },
  { name: "Google Drive", folder: /^(?:Google Drive|GoogleDrive-.+)$/u, marks: [".tmp.driveupload"] },
  { name: "Nextcloud", folder: /^(?:Nextcloud|ownCloud)$/u, marks: [".sync_log.db", ".nextcloudsync.log"] },
  { name: "Syncthing", folder: /^$/u, marks: [".stfolder"] },
];
/** Folders above a path that are looked at. */
const LEVELS_MAX = 40;
const FOLDERS_MAX = 200;

export const SYNCED: Check = {
  code: "synced-folder",
  look(facts) {
    const { paths, known } = facts;
    const state = syncerOf(facts, paths.stateDir);
    if (state !== undefined)
      return warn(
        `${paths.stateDir} is copied by ${state}: two machines would take each other's locks and history`,
        "set XDG_STATE_HOME to a folder that stays on this machine",
      );
    const folders = [...new Set(known.projects.map(({ memoryDir }) => memoryDir))].slice(0, FOLDERS_MAX);
    const synced = folders.flatMap((folder) => {
      const syncer = syncerOf(facts, folder);
      return syncer === undefined ? [] : [`${folder} (${syncer})`];
    });
    return synced.length === 0
      ? ok("nothing of ours lies in a folder that is copied elsewhere")
      : warn(
          `memory is copied to other machines: ${named(synced)}`,
          "run engramd on one of them only; conflict copies are listed by engramd status",
        );
  },
};

function syncerOf({ files }: DoctorFacts, path: string): string | undefined {
  const real = orUnreadable(() => files.real(path));
  let folder = typeof real === "string" ? real : path;
  for (let level = 0; level < LEVELS_MAX && folder !== dirname(folder); level++, folder = dirname(folder)) {
    const here = folder;
    const found = SYNCERS.find(
      (syncer) =>
        syncer.folder.test(basename(here)) || syncer.marks.some((mark) => isThere(files, join(here, mark))),
    );
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** Where nobody may look, no mark is seen; the folders above may have one. */
function isThere(files: DoctorFacts["files"], path: string): boolean {
  const found = orUnreadable(() => files.look(path));
  return found !== undefined && !("unreadable" in found);
}
