// Child of sweep.ts: one walk over known files, in a fresh process. Arguments: what to do, the agent's home, the
// state folder. Prints what the whole process cost and what it found.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createFormats } from "../../src/intake/agents/registry.ts";
import type { Cursors } from "../../src/intake/transcripts/cursors.ts";
import { createCursors } from "../../src/intake/transcripts/cursors.ts";
import type { Catalog } from "../../src/intake/watch/catalog.ts";
import { createCatalog } from "../../src/intake/watch/catalog.ts";
import { createFolderNotes } from "../../src/intake/watch/folder-notes.ts";
import { createRounds } from "../../src/intake/watch/rounds.ts";
import type { SweepResult } from "../../src/intake/watch/sweep.ts";
import { createSweep } from "../../src/intake/watch/sweep.ts";
import { createClock } from "../../src/system/clock.ts";
import { createEmitter } from "../../src/system/emitter.ts";
import { createFiles } from "../../src/system/files.ts";
import { ownCost } from "./own-cost.ts";

const [, , task = "", claudeHome = "", stateDir = ""] = process.argv;

type Found = Pick<SweepResult, "files" | "folders" | "changed">;

const files = createFiles();
const clock = createClock();
const { signal } = new AbortController();

function createCatalogOver(cursors: Cursors): Catalog {
  const formats = createFormats({ files, oursUnder: [stateDir], isUrgent: () => false });
  const roots = formats.flatMap((format) => format.roots({ home: "/none", claudeHomes: [claudeHome] }));
  return createCatalog({
    files,
    cursors,
    formats,
    roots,
    projectOf: () => undefined,
    firstSight: () => "read",
  });
}

/**
 * What loading leaves behind is collected at once: a process that ends after loading would not pay for it, one that
 * makes a round pays while it does. Without `--expose-gc` there is nothing to call.
 */
function loadCatalog(): Catalog {
  const catalog = createCatalogOver(createCursors({ files, stateDir }));
  globalThis.gc?.();
  return catalog;
}

/**
 * The daemon's own round: sweep, comparison with the cursors on disk, and the search for vanished files. The first one
 * after a start reads and uses the notes of folders; a later one lists everything and, but for once a day, notes nothing.
 */
function round(catalog: Catalog, which: "first" | "later"): Promise<Found> {
  const notes = createFolderNotes({ files, clock, stateDir });
  const rounds = createRounds({
    sweep: createSweep({ files, clock }),
    files,
    catalog,
    growth: { look: (path, facts) => void catalog.lookAt(path, facts), schedule: () => undefined },
    emitter: createEmitter(() => undefined),
    notes: which === "first" ? notes : { ...notes, isTurn: () => false },
  });
  return rounds.run(signal, { listAll: which === "later" }).then(({ result }) => result);
}

/** The plainest loop of Node that learns as much: kinds from the listing, one look at each transcript. */
function plainLoop(folder: string, markMs: number, found = { files: 0, folders: 0, changed: 0 }): Found {
  found.folders++;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) plainLoop(path, markMs, found);
    else if (entry.isFile() && entry.name.endsWith(".jsonl")) {
      found.files++;
      if (statSync(path).mtimeMs > markMs) found.changed++;
    }
  }
  return found;
}

async function act(): Promise<Found> {
  const none = { files: 0, folders: 0, changed: 0 };
  switch (task) {
    case "bare":
      return none;
    case "plain":
      return plainLoop(join(claudeHome, "projects"), Date.now());
    case "loaded":
      loadCatalog();
      return none;
    case "round":
      return round(loadCatalog(), "first");
    case "later":
      return round(loadCatalog(), "later");
    default:
      throw new Error(`unknown task ${task}`);
  }
}

const { files: seen, folders, changed } = await act();
process.stdout.write(JSON.stringify({ ...ownCost(), files: seen, folders, changed }));
