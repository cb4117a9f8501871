// Claude Code's folder below a temporary one, and rounds over it as one engramd after the other makes them: `start`
// builds everything anew over the same state folder.
import * as fs from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { createFormats } from "../../../../src/intake/agents/registry.ts";
import { createCursors } from "../../../../src/intake/transcripts/cursors.ts";
import { createCatalog } from "../../../../src/intake/watch/catalog.ts";
import { createFolderNotes } from "../../../../src/intake/watch/folder-notes.ts";
import { createRounds } from "../../../../src/intake/watch/rounds.ts";
import { createSweep } from "../../../../src/intake/watch/sweep.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTranscript } from "../../../helpers/claude-transcript.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

export const talkOf = (sessionId: string) =>
  createTranscript({ sessionId }).user("hello").assistant("ok").text();

export interface StartOptions {
  readonly stateDir?: string;
  /** Names of agents' homes in the folder. */
  readonly homes?: readonly string[];
  /** How far the clock runs ahead of the files: folders made right now count as quiet for so long. */
  readonly aheadMs?: number;
  /** Levels of folders that are walked; default: Claude Code's. */
  readonly depth?: number;
}

/** A new engramd as far as rounds go. */
export function start(folder: TempFolder, options: StartOptions = {}) {
  const { stateDir = folder.folder("state"), homes = [".claude"], aheadMs = 60_000, depth } = options;
  const listed: string[] = [];
  const readdirSync = ((path: string, ...rest: []) => {
    listed.push(path);
    return fs.readdirSync(path, ...rest);
  }) as typeof fs.readdirSync;
  const files = createFiles({ ...fs, readdirSync });
  const emitter = createEmitter((error) => {
    throw error;
  });
  const seen = { vanished: [] as string[], warnings: [] as string[], looked: [] as string[] };
  emitter.on("transcript:vanished", ({ path }) => void seen.vanished.push(path));
  emitter.on("warning:raised", ({ code }) => void seen.warnings.push(code));
  const formats = createFormats({ files, oursUnder: [], isUrgent: () => false });
  const claudeHomes = homes.map((home) => folder.at(home));
  const roots = formats.flatMap((format) => format.roots({ home: folder.path, claudeHomes }));
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir }),
    formats,
    roots: depth === undefined ? roots : roots.map((root) => ({ ...root, depth })),
    projectOf: () => undefined,
    firstSight: () => "read",
  });
  const clock = createClock();
  let skippedMs = 0;
  const ahead = {
    ...clock,
    now: () => clock.now() + aheadMs,
    monotonicMs: () => clock.monotonicMs() + skippedMs,
  };
  const rounds = createRounds({
    sweep: createSweep({ files, clock: ahead }),
    files,
    catalog,
    growth: {
      look(path, facts) {
        seen.looked.push(path);
        const look = catalog.lookAt(path, facts);
        return look.kind === "nothing" ? undefined : { entry: look.entry, folder: "none", peek: undefined };
      },
      schedule: () => undefined,
    },
    emitter,
    notes: createFolderNotes({ files, clock: ahead, stateDir }),
  });
  return {
    catalog,
    rounds,
    seen,
    run: (ask?: { listAll: boolean }) => rounds.run(new AbortController().signal, ask),
    skipMonotonic: (ms: number) => void (skippedMs += ms),
    /** Folders listed since the last call, as names below the agent's home. */
    listings() {
      const home = `${folder.at(homes[0] ?? "")}/`;
      return listed.splice(0).map((path) => path.replace(home, ""));
    },
  };
}

/** More writes than any file system's clock needs to move on. */
const WRITES_MAX = 10_000_000;

/** What is changed after this has other times than what was changed before. */
export function passATick(folder: TempFolder): void {
  const probe = folder.write("probe", "");
  const before = statSync(probe).ctimeMs;
  for (let count = 0; count < WRITES_MAX; count++) {
    if (statSync(probe).ctimeMs !== before) return;
    writeFileSync(probe, "");
  }
  throw new Error("the file system's clock stands still");
}
