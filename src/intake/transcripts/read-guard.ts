// Which reads killed the process: what is being read is noted before and cleared after, and a read that a process
// died in too often is not begun again by itself. Never reads a transcript, never moves a cursor.
import { join } from "node:path";
import { isFields, parseJson } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import { createCrashNote } from "../../system/crash-note.ts";
import type { Files } from "../../system/files.ts";
import type { TranscriptFormat } from "./format.ts";

/** One read: a look at a source, or a slice of it, from an offset on. Progress makes it another one. */
export interface ReadPlace {
  readonly kind: "peek" | "slice" | "before";
  readonly path: string;
  readonly offset: number;
}

export interface ReadGuard {
  /** Notes what is being read; the answer ends it. Reads may overlap. */
  begin(place: ReadPlace): () => void;
  /**
   * Counts what a dead process was reading; answers the paths that have just been died in too often. Once a round, as
   * the one engramd at work, before anything is read.
   */
  settle(): readonly string[];
  /** Paths that were died in too often, since they were last read to an end. */
  setAside(): readonly string[];
  /** The source is gone. */
  forget(path: string): void;
}

/** A machine that loses its power, or a person with `kill -9`, does not hit the same read three times in a row. */
export const CRASHES_MAX = 3;
/** Places remembered; a process dies in a handful of reads at most. */
const PLACES_MAX = 1_000;

interface Crashed extends ReadPlace {
  readonly crashes: number;
}

interface State {
  readonly files: Files;
  readonly folder: string;
  readonly crashed: Map<string, Crashed>;
  /** The process whose death was counted last: a start that dies before it clears the note counts it once. */
  counted: string;
}

/** `crashes.json` and `reading` in the cursors' folder. */
export function createReadGuard({ files, folder }: Pick<State, "files" | "folder">): ReadGuard {
  const state: State = { files, folder, ...load(files, folder) };
  const note = createCrashNote({
    path: join(folder, "reading"),
    prepare: () => files.ensureFolder(folder),
  });
  const running = new Set<ReadPlace>();
  const write = () => note.write(running.size === 0 ? "" : JSON.stringify([...running]));
  return {
    begin(place) {
      running.add(place);
      write();
      return () => {
        running.delete(place);
        write();
        if (state.crashed.delete(keyOf(place))) save(state);
      };
    },
    settle() {
      const dead = note.ofTheDead();
      const places = dead === undefined || dead.writer === state.counted ? [] : parsePlaces(dead.line);
      const counted = places.map((place) => count(state, place));
      if (places.length > 0) {
        state.counted = dead?.writer ?? "";
        save(state);
      }
      if (dead !== undefined) write();
      return counted.filter(({ crashes }) => crashes >= CRASHES_MAX).map(({ path }) => path);
    },
    setAside: () => [
      ...new Set(
        [...state.crashed.values()].filter(({ crashes }) => crashes >= CRASHES_MAX).map(({ path }) => path),
      ),
    ],
    forget(path) {
      const places = [...state.crashed.values()].filter((place) => place.path === path);
      for (const place of places) state.crashed.delete(keyOf(place));
      if (places.length > 0) save(state);
    },
  };
}

/** The format with every read under guard. */
export function guardReads(format: TranscriptFormat, guard: ReadGuard): TranscriptFormat {
  return {
    ...format,
    peek(source, offset) {
      const end = guard.begin({ kind: "peek", path: source.path, offset });
      try {
        return format.peek(source, offset);
      } finally {
        end();
      }
    },
    recordsBefore(source, offset) {
      // The lines before a cursor that was moved past deadly ones are those.
      if (guard.setAside().includes(source.path)) return [];
      const end = guard.begin({ kind: "before", path: source.path, offset });
      try {
        return format.recordsBefore(source, offset);
      } finally {
        end();
      }
    },
    async readSlice(source, from) {
      const end = guard.begin({ kind: "slice", path: source.path, offset: from?.offset ?? 0 });
      try {
        return await format.readSlice(source, from);
      } finally {
        end();
      }
    },
  };
}

function count({ crashed }: State, place: ReadPlace): Crashed {
  const key = keyOf(place);
  const known = { ...place, crashes: (crashed.get(key)?.crashes ?? 0) + 1 };
  crashed.delete(key);
  crashed.set(key, known);
  for (const oldest of crashed.keys()) {
    if (crashed.size <= PLACES_MAX) break;
    crashed.delete(oldest);
  }
  return known;
}

function keyOf({ kind, path, offset }: ReadPlace): string {
  return `${kind} ${offset} ${path}`;
}

function save({ files, folder, crashed, counted }: State): void {
  files.ensureFolder(folder);
  const text = JSON.stringify({ v: 1, counted, places: [...crashed.values()] });
  files.replace(join(folder, "crashes.json"), `${text}\n`);
}

/** A damaged or missing file: as if nothing had crashed. */
function load(files: Files, folder: string): Pick<State, "crashed" | "counted"> {
  const text = files.read(join(folder, "crashes.json"), STATE_LIMITS.stateFileBytesMax)?.toString("utf8");
  const value = text === undefined ? undefined : parseJson(text);
  const { places, counted } = isFields(value) && value["v"] === 1 ? value : {};
  const crashed = new Map<string, Crashed>();
  for (const place of Array.isArray(places) ? places : []) {
    if (isPlace(place) && "crashes" in place && typeof place.crashes === "number")
      crashed.set(keyOf(place), { ...place, crashes: place.crashes });
  }
  return { crashed, counted: typeof counted === "string" ? counted : "" };
}

function parsePlaces(line: string): ReadPlace[] {
  const value = parseJson(line);
  return Array.isArray(value) ? value.filter(isPlace) : [];
}

function isPlace(value: unknown): value is ReadPlace {
  if (!isFields(value)) return false;
  const { kind, path, offset } = value;
  const isKind = kind === "peek" || kind === "slice" || kind === "before";
  return isKind && typeof path === "string" && typeof offset === "number";
}
