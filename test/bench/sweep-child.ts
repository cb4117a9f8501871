// Child of sweep.ts: one cold sweep with nothing new. Arguments: `sweep` or `plain`, root, mark in ms.
import { lstatSync, readdirSync } from "node:fs";
import { createSweep } from "../../src/intake/watch/sweep.ts";
import { createClock } from "../../src/system/clock.ts";
import { createFiles } from "../../src/system/files.ts";
import { ownCost } from "./own-cost.ts";

const [, , how = "", root = "", mark = ""] = process.argv;
const markMs = Number(mark);

async function sweep() {
  const { files, folders, changed } = await createSweep({ files: createFiles(), clock: createClock() }).run({
    roots: [{ path: root, depth: 3 }],
    isKnown: (_path, facts) => facts.mtimeMs <= markMs,
    onDiffer: () => undefined,
    signal: new AbortController().signal,
  });
  return { files, folders, changed };
}

function walkPlainly(folder: string, found: { files: number; folders: number; changed: number }) {
  found.folders++;
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    const stat = lstatSync(path);
    if (stat.isDirectory()) walkPlainly(path, found);
    else if (stat.isFile()) {
      found.files++;
      if (stat.mtimeMs > markMs) found.changed++;
    }
  }
  return found;
}

const found = how === "plain" ? walkPlainly(root, { files: 0, folders: 0, changed: 0 }) : await sweep();
process.stdout.write(JSON.stringify({ ...ownCost(), ...found }));
