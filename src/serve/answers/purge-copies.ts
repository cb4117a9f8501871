// Copies of a purged memory that a `project move` has left: the file, and its line of the index. No link is followed, and
// nothing else there is touched.
import { basename, dirname, join } from "node:path";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Places } from "../../intake/projects/places.ts";
import { INDEX_FILE } from "../../memory/files/file-name.ts";
import { parseIndex } from "../../memory/files/index-lines.ts";
import { parseTopicFile } from "../../memory/files/topic-file.ts";
import { textHashOf } from "../../memory/gate/text-hash.ts";
import { type PurgeIntent, purgedName } from "../../memory/journal/purge-intents.ts";
import type { Files } from "../../system/files.ts";
import { stagingOf } from "./project-move.ts";

export interface CopiesDeps {
  readonly files: Files;
  readonly places: Places;
}

/** How many files were removed. */
export function purgeCopies(intent: PurgeIntent, deps: CopiesDeps): number {
  return copiesOf(intent, deps).reduce((sum, copy) => sum + purgeIn(copy, intent, deps.files), 0);
}

interface Copy {
  readonly folder: string;
  /** We made it, so a name is enough; in other folders a file of that name may be another one. */
  readonly ours: boolean;
}

/** Only the last move is noted; what others have left is known by its name. */
function copiesOf({ project: { id }, memoryDir }: PurgeIntent, { files, places }: CopiesDeps): Copy[] {
  const project = places.known().find((each) => each.id === id);
  const move = project === undefined ? undefined : places.moves.moveOf(project);
  const homes = new Set([memoryDir, ...(move === undefined ? [] : [move.from, move.to])]);
  const siblings = [...homes].flatMap((home) =>
    (files.names(dirname(home)) ?? [])
      .filter((name) => name.startsWith(`${basename(home)}.moved-`))
      .map((name) => join(dirname(home), name)),
  );
  const unfinished = move === undefined ? [] : [stagingOf(move.to)];
  const ours = [...siblings, ...unfinished].map((folder) => ({ folder, ours: true }));
  // A move that was broken off leaves files in its target, or an old folder under its old name.
  const others = (move === undefined ? [] : [move.kept, move.from, move.to])
    .filter((folder) => folder !== memoryDir && !siblings.includes(folder))
    .map((folder) => ({ folder, ours: false }));
  return [...ours, ...others].filter(({ folder }) => files.look(folder)?.kind === "folder");
}

function purgeIn({ folder, ours }: Copy, intent: PurgeIntent, files: Files): number {
  const meant = new Set(intent.files);
  const gone = (files.names(folder) ?? []).filter((name) => {
    const path = join(folder, name);
    if (!name.endsWith(".md") || name === INDEX_FILE || files.look(path)?.kind !== "file") return false;
    return (ours && meant.has(purgedName(name))) || saysIt(path, intent, files);
  });
  for (const name of gone) files.remove(join(folder, name));
  const isGone = (file: string) => (ours && meant.has(purgedName(file))) || gone.includes(file);
  dropLines(join(folder, INDEX_FILE), isGone, files);
  return gone.length;
}

function saysIt(path: string, { texts }: PurgeIntent, files: Files): boolean {
  if ((files.look(path)?.bytes ?? 0) > MEMORY_LIMITS.topicBytesMax) return false;
  const content = files.read(path, MEMORY_LIMITS.topicBytesMax)?.toString("utf8");
  return content !== undefined && texts.includes(textHashOf(parseTopicFile(content)));
}

function dropLines(path: string, isGone: (file: string) => boolean, files: Files): void {
  const facts = files.look(path);
  if (facts?.kind !== "file" || facts.bytes > MEMORY_LIMITS.topicBytesMax) return;
  const text = files.read(path, MEMORY_LIMITS.topicBytesMax)?.toString("utf8") ?? "";
  const lines = parseIndex(text).filter(({ kept }) => kept === undefined || !isGone(kept.file));
  const next = lines.map((line) => `${line.text}${line.eol}`).join("");
  if (next !== text) files.replace(path, next);
}
