// Checks of who may do what: our state is ours alone, our socket folder too, memory folders can be written. Mends only
// the modes of our own files.
import { dirname, join } from "node:path";
import { systemCode } from "../../../domain/errors.ts";
import { whyNotPrivate } from "../../../system/private-folder.ts";
import { mayUse, setMode } from "../../../system/rights.ts";
import type { Check, DoctorFacts, Finding } from "./check.ts";
import { fail, named, ok, warn } from "./check.ts";

const RIGHTS = ["read", "write", "run"] as const;
const OTHERS = 0o077;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Entries of our state looked at; years of history have some ten thousand. */
const ENTRIES_MAX = 20_000;
/** `journal/<id>/blobs` is the deepest we make. */
const LEVELS_MAX = 4;
/** What the status says of a memory folder that is not where it was. */
const PARKED = "memory_folder_parked";
/** Memory folders looked at. */
const FOLDERS_MAX = 1_000;

interface Open {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly isOurs: boolean;
}

export const STATE_RIGHTS: Check = {
  code: "state-permissions",
  look(facts) {
    const { stateDir } = facts.paths;
    const barred = whyBarred(facts);
    if (barred !== undefined) return barred;
    if (facts.files.follow(stateDir) === undefined) return ok("there is no state yet");
    const open = openEntries(facts);
    const foreign = open.filter(({ isOurs }) => !isOurs).map(({ path }) => path);
    if (foreign.length > 0)
      return fail(
        `not yours: ${named(foreign)}`,
        `give your state back to you: chown -R "$USER" ${stateDir}`,
      );
    if (open.length === 0) return ok(`${stateDir} is yours alone`);
    return fail(
      `others may look into or change ${open.length} of our files: ${named(open.map(({ path }) => path))}`,
      "engramd doctor --fix",
    );
  },
  mend(facts) {
    const done: string[] = [];
    // What lies in its place is not ours.
    if (whyBarred(facts) !== undefined) return done;
    for (const { path, kind, isOurs } of openEntries(facts)) {
      if (!isOurs) continue;
      setMode(path, kind === "folder" ? FOLDER_MODE : FILE_MODE);
      done.push(`took others' rights from ${path}`);
    }
    return done;
  },
};

/** Why the state cannot be used at all, or cannot be made. */
function whyBarred({ files, paths: { stateDir } }: DoctorFacts): Finding | undefined {
  const place = nearestThere(files, stateDir);
  if (files.follow(place)?.kind !== "folder")
    return fail(`${place} is no folder: the state cannot be there`, "move it away");
  const rights = RIGHTS.filter((right) => !mayUse(place, right));
  if (rights.length === 0) return undefined;
  const what = place === stateDir ? `${stateDir} cannot be used` : `${stateDir} cannot be made in ${place}`;
  return fail(what, `give yourself the right to it: chmod u+rwx ${place}`);
}

/** Ours that others may use, and what is there and not ours. Links are nobody's to mend. */
function openEntries({ files, paths, uid }: DoctorFacts): Open[] {
  const open: Open[] = [];
  let seen = 0;
  const visit = (path: string, level: number): void => {
    const facts = files.look(path);
    seen += 1;
    if (facts === undefined || seen > ENTRIES_MAX) return;
    const { kind } = facts;
    if (kind !== "file" && kind !== "folder") return;
    const isOurs = uid === undefined || facts.uid === uid;
    if (!isOurs || (facts.mode & OTHERS) !== 0) open.push({ path, kind, isOurs });
    if (kind !== "folder" || level >= LEVELS_MAX || !mayUse(path, "read")) return;
    for (const name of files.names(path) ?? []) visit(join(path, name), level + 1);
  };
  visit(paths.stateDir, 0);
  return open;
}

export const SOCKET_FOLDER: Check = {
  code: "socket-folder",
  look({ files, paths }) {
    const folder = dirname(paths.socket);
    const why = whyNotPrivate(files, folder);
    if (why === undefined) return ok(`${folder} is yours alone`);
    return fail(`${folder} ${why}`, "remove that folder or set XDG_RUNTIME_DIR to one of your own");
  },
};

export const MEMORY_WRITABLE: Check = {
  code: "memory-folders",
  look({ files, known }) {
    const folders = [...new Set(known.projects.map(({ memoryDir }) => memoryDir))].slice(0, FOLDERS_MAX);
    const odd = folders.filter((folder) => isNoFolder(files, folder));
    if (odd.length > 0) return warn(`no folder, or a link that leads nowhere: ${named(odd)}`, "move it away");
    const parked = known.warnings.find(({ code }) => code === PARKED);
    if (parked !== undefined) return warn(parked.message, parked.fix);
    const closed = folders.filter((folder) => {
      const place = nearestThere(files, folder);
      return RIGHTS.some((right) => !mayUse(place, right));
    });
    if (closed.length === 0) return ok(`${folders.length} memory folders can be read and written`);
    return warn(
      `engramd may not read and write ${named(closed)}`,
      "give yourself all rights there (chmod u+rwx), or set mode off",
    );
  },
};

/** Something else has the name of the folder, so that it cannot even be made. */
function isNoFolder(files: DoctorFacts["files"], path: string): boolean {
  const place = nearestThere(files, path);
  if (files.follow(place)?.kind !== "folder") return true;
  if (place === path || !mayUse(place, "run")) return false;
  return files.look(path) !== undefined;
}

/** A folder that is not there yet is made in the next one that is. */
function nearestThere(files: DoctorFacts["files"], path: string): string {
  return isThere(files, path) || dirname(path) === path ? path : nearestThere(files, dirname(path));
}

/** What lies below a file, or in a folder we may not enter, is not there for us. */
function isThere(files: DoctorFacts["files"], path: string): boolean {
  try {
    return files.follow(path) !== undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
