// What is wrong between the index and the folder: lines without a file, files without a line. Pure; decides nothing.
import { type IndexLine, parseIndex } from "./index-lines.ts";
import type { FolderView } from "./store.ts";

export interface NumberedLine extends IndexLine {
  /** From 1. */
  readonly number: number;
}

export interface IndexFaults {
  readonly lines: readonly NumberedLine[];
  /** Host-kept lines whose file is not there. */
  readonly dead: readonly NumberedLine[];
  /** Memories without a host-kept line. */
  readonly unlisted: readonly string[];
}

export function indexFaults(view: FolderView): IndexFaults {
  const lines = parseIndex(view.index.text ?? "").map((line, at) => ({ ...line, number: at + 1 }));
  const present = presentFiles(view);
  const lined = new Set(lines.flatMap(({ kept }) => kept?.file ?? []));
  return {
    lines,
    // Beyond the bound on entries nobody looked: such a file may be there.
    dead: view.unread > 0 ? [] : lines.filter(({ kept }) => kept !== undefined && !present.has(kept.file)),
    unlisted: view.memories.map((memory) => memory.file).filter((file) => !lined.has(file)),
  };
}

/** Every name that something in the folder has, whatever it is. */
export function presentFiles(view: FolderView): ReadonlySet<string> {
  return new Set([
    ...view.memories.map((memory) => memory.file),
    ...view.unavailable,
    ...view.conflictCopies,
    ...view.notMemories.map(({ file }) => file),
  ]);
}
