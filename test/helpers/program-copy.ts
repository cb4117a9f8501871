// The built program somewhere else, to be replaced by another version while it runs.
import { cpSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtEntry } from "./daemon-process.ts";
import type { ScratchHome } from "./scratch-home.ts";

/** What the built program calls itself. */
export const OWN_VERSION = "0.1.0";
const ROOT = join(import.meta.dirname, "../..");

/** A copy of the built program, as a package manager would put it. */
export interface Program {
  readonly entry: string;
  /** Puts the next version in its place, as a package manager does: the old files are gone. */
  update(version: string): void;
}

export function copyProgram(home: ScratchHome, version = OWN_VERSION): Program {
  const folder = home.folder.folder(`program-${version}`);
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const put = (next: string) => {
    rmSync(join(folder, "dist"), { recursive: true, force: true });
    cpSync(join(builtEntry(), ".."), join(folder, "dist"), { recursive: true });
    if (next !== OWN_VERSION) makeVersion(join(folder, "dist"), next);
  };
  put(version);
  return { entry: join(folder, "dist/main.js"), update: put };
}

/** Another version says another number, and its chunks have other names. */
function makeVersion(dist: string, version: string): void {
  const names = readdirSync(join(dist, "chunks"));
  const renamed = new Map(names.map((name) => [name, name.replace(/-[A-Z0-9]{8}\.mjs$/u, "-NEXTONE0.mjs")]));
  const unique = new Map(
    [...renamed].map(([name, next], at) => [name, next.replace("NEXTONE0", `NEXT${at}`)]),
  );
  for (const [name, next] of unique) renameSync(join(dist, "chunks", name), join(dist, "chunks", next));
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!/\.m?js$/u.test(name)) continue;
    const path = join(dist, name);
    let text = readFileSync(path, "utf8").replaceAll(`"${OWN_VERSION}"`, `"${version}"`);
    for (const [old, next] of unique) text = text.replaceAll(old, next);
    writeFileSync(path, text);
  }
}
