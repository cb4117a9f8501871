// What links between memories lead to: `[[name]]` and Markdown links to files of the folder. Pure.
import type { Memory } from "../../domain/memories.ts";
import { indexFaults, presentFiles } from "../files/index-faults.ts";
import type { FolderView } from "../files/store.ts";
import { canonicalFile } from "../gate/facts.ts";

const FILE_LINK = /\]\((?:\.\/)?<?([^()<>\s/]{1,200}\.md)>?(?:#[^)\s]{0,200})?\)/gu;

/** Answers which files a link may mean; none: it is dead. */
export function linkTargets(view: FolderView): (name: string) => readonly string[] {
  const files = new Map<string, Set<string>>();
  const add = (name: string | undefined, file: string) => {
    if (name === undefined) return;
    const key = keyOf(name);
    const known = files.get(key);
    if (known === undefined) files.set(key, new Set([file]));
    else known.add(file);
  };
  for (const file of presentFiles(view)) add(file, file);
  for (const { name, file } of view.memories) add(name, file);
  return (name) => [...(files.get(keyOf(name)) ?? [])];
}

/** Spelling that readers of links do not tell apart; a file may be named with or without its ending. */
function keyOf(name: string): string {
  return canonicalFile(name.trim())
    .replace(/\.md$/u, "")
    .replace(/[\s_-]+/gu, "-");
}

/** How many links lead to each of these memories and to no other one; links among them do not count. */
export function incomingLinks(view: FolderView, group: readonly Memory[]): ReadonlyMap<string, number> {
  const targets = linkTargets(view);
  const meant = new Set(group.map(({ file }) => file));
  const counts = new Map<string, number>();
  const count = (names: Iterable<string>) => {
    for (const name of new Set(names)) {
      const [file, ...others] = targets(name);
      if (file !== undefined && others.length === 0 && meant.has(file))
        counts.set(file, (counts.get(file) ?? 0) + 1);
    }
  };
  for (const { file, links, body } of view.memories) {
    if (!meant.has(file)) count([...links, ...fileLinks(body)]);
  }
  // What a person wrote into the index themselves would lead nowhere.
  for (const { kept, links } of indexFaults(view).lines) if (kept === undefined) count(links);
  return counts;
}

function fileLinks(body: string): string[] {
  return [...body.matchAll(FILE_LINK)].flatMap(([, file]) => file ?? []);
}
