// Checks of the machine: how many folders may be watched, the clock and its zone, room on the disk. Changes nothing.
import { join } from "node:path";
import { offsetText } from "../../../domain/calendar.ts";
import { WATCH_LIMITS } from "../../../domain/limits.ts";
import { readProcFile } from "../../../system/proc-file.ts";
import type { Check, DoctorFacts, Finding } from "./check.ts";
import { fail, ok, warn } from "./check.ts";

const NUMBER_BYTES_MAX = 64;
/** Other programs of a desktop watch some hundred folders; an editor some thousand. */
const WATCHES_MIN = 4 * WATCH_LIMITS.foldersMax;
/** One a process that watches; the usual limit is 128. */
const INSTANCES_MIN = 32;

/** Only read: raising them is the administrator's. Without a watch the sweep finds what changed, somewhat later. */
export const WATCH_ROOM: Check = {
  code: "watch-limits",
  look(facts) {
    const watches = numberIn(facts, "sys/fs/inotify/max_user_watches");
    const instances = numberIn(facts, "sys/fs/inotify/max_user_instances");
    if (watches === undefined || instances === undefined) return ok("no limit is known here");
    if (watches < WATCHES_MIN)
      return warn(
        `only ${watches} folders may be watched by all your programs together`,
        "raise fs.inotify.max_user_watches (sysctl) to 65536",
      );
    if (instances < INSTANCES_MIN)
      return warn(
        `only ${instances} of your programs may watch folders`,
        "raise fs.inotify.max_user_instances (sysctl) to 128",
      );
    return ok(`${watches} watches, ${instances} programs that watch`);
  },
};

function numberIn({ files, procDir }: DoctorFacts, name: string): number | undefined {
  const text = readProcFile(files, { path: join(procDir, name), bytesMax: NUMBER_BYTES_MAX })?.trim() ?? "";
  return /^\d+$/u.test(text) ? Number(text) : undefined;
}

/** When this was written; no clock that is right says less. */
const EARLIEST = Date.parse("2026-01-01T00:00:00Z");
/** Further ahead than any skew between two machines. */
const AHEAD_MS = 86_400_000;

export const CLOCK: Check = {
  code: "clock",
  look({ clock, files, paths }) {
    const now = clock.now();
    const set = "set the clock (timedatectl set-ntp true)";
    if (now < EARLIEST) return fail(`the clock says ${new Date(now).toISOString()}`, set);
    const written = files.look(join(paths.stateDir, "status.json"))?.mtimeMs ?? 0;
    if (written > now + AHEAD_MS)
      return warn(`the clock was ahead before: status.json is of ${new Date(written).toISOString()}`, set);
    return ok(`your time is ${offsetText(now, clock.timeZone())}`);
  },
};

const MIB = 1_048_576;
/** A week of history, with room to spare. */
const LOW_BYTES = 200 * MIB;
/** Not even one commit is sure to fit. */
const EMPTY_BYTES = 20 * MIB;

export const DISK: Check = {
  code: "disk-space",
  look(facts) {
    const found = [facts.paths.stateDir, facts.paths.claudeHome, facts.paths.home].map((path) => ({
      path,
      free: facts.freeBytes(path),
    }));
    const least = found
      .flatMap(({ path, free }) => (free === undefined ? [] : [{ path, free }]))
      .toSorted((a, b) => a.free - b.free)[0];
    return least === undefined ? ok("not known here") : judged(least);
  },
};

function judged({ path, free }: { readonly path: string; readonly free: number }): Finding {
  const text = `${Math.floor(free / MIB)} MiB are free at ${path}`;
  if (free < EMPTY_BYTES) return fail(text, "free some space; nothing that was accepted is lost");
  return free < LOW_BYTES ? warn(text, "free some space") : ok(text);
}
