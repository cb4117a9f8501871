// Appends bullets to the daily log of a memory folder, under its writer lock. Never rewrites or reorders a log, and never
// goes through a link. Each bullet is known as ours before it stands there.
import { join } from "node:path";
import { AppError } from "../../domain/errors.ts";
import { DAILY_LOG_LIMITS } from "../../domain/limits.ts";
import type { FileFacts, Files } from "../../system/files.ts";
import { kindText, openFolder } from "../../system/folder.ts";
import { bulletOf, bulletText, linesOfLog, type LogPlace, logPlaceAt } from "../files/daily-log.ts";
import { readableLog, readLog } from "../files/log-folder.ts";
import { lineHash, type OwnBullet, type OwnBullets } from "../files/own-bullets.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf, realPlace } from "./folder-id.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";

export interface NewBullet extends Pick<OwnBullet, "by" | "agent" | "records" | "sessions"> {
  readonly text: string;
}

export interface Logged {
  /** Absolute path of the log. */
  readonly path: string;
  /** The bullets as they stand there, in order; those that stood there before are left out. */
  readonly lines: readonly string[];
  /** Number of the last line; undefined where the log is too large to be counted. */
  readonly lineNumber: number | undefined;
}

export interface LogWriter {
  /**
   * Appends them to the log of now. One that rests on records whose bullet stands in a log already is left out: work
   * repeated after a crash says nothing twice. Fails as `commit` does.
   */
  appendLog(memoryDir: string, bullets: readonly NewBullet[]): Promise<Logged>;
  /** Lines of daily logs that are engramd's own. */
  ownBullets(memoryDir: string): OwnBullets;
}

export function createLogWriter(parts: Parts): LogWriter {
  return {
    async appendLog(memoryDir, bullets) {
      const ask = { memoryDir, make: true };
      const logged = await parts.folders.withFolder(ask, (memory) => append(parts, { memory, bullets }));
      if (logged !== undefined) return logged;
      throw new AppError({
        code: "memory-failed",
        message: `${memoryDir} went away while it was written to`,
        disposition: "retry",
      });
    },
    ownBullets(memoryDir) {
      const real = onDisk({ what: "memory", path: memoryDir }, () => realPlace(parts.files, memoryDir));
      return parts.bullets.load(folderIdOf(real));
    },
  };
}

interface Append {
  readonly memory: OpenMemory;
  readonly bullets: readonly NewBullet[];
}

function append(parts: Parts, { memory, bullets }: Append): Logged {
  const { files, clock, stateDir } = parts;
  const now = clock.now();
  const zone = clock.timeZone();
  const place = logPlaceAt(now, zone);
  const { folderId, memoryDir } = memory;
  const folderPath = join(memoryDir, ...place.folders);
  const path = join(folderPath, place.file);
  const standing = standingRecords(parts, { memory, bullets });
  const fresh = bullets.filter(
    ({ records }) => records.length === 0 || !records.every((id) => standing.has(id)),
  );
  const lines = fresh.map(({ text }) => bulletOf(bulletText(text), now, zone));
  if (lines.length > 0) {
    onDisk({ what: "state", path: stateDir }, () =>
      parts.bullets.add(
        folderId,
        fresh.map(({ by, agent, records, sessions }, index) => ({
          line: lineHash(place.date, lines[index] ?? ""),
          by,
          agent,
          records,
          ...(sessions === undefined ? {} : { sessions }),
        })),
      ),
    );
    memory.assertHeld();
    onDisk({ what: "memory", path }, () => {
      makeFolders(files, { memoryDir, folders: place.folders });
      appendTo(files, { folderPath, file: place.file, content: lines.map((line) => `${line}\n`).join("") });
    });
  }
  const line = lines.at(-1);
  return {
    path,
    lines,
    lineNumber: line === undefined ? undefined : lineNumberOf(files, { memory, place, line }),
  };
}

/** Those of the records whose bullet stands in a log: known as ours, and really there. */
function standingRecords(parts: Parts, { memory, bullets }: Append): ReadonlySet<string> {
  const wanted = new Set(bullets.flatMap(({ records }) => records));
  if (wanted.size === 0) return wanted;
  const known = [...parts.bullets.load(memory.folderId).values()].filter(({ records }) =>
    records.some((id) => wanted.has(id)),
  );
  if (known.length === 0) return new Set();
  const written = hashesOfLately(parts, memory);
  return new Set(known.flatMap(({ line, records }) => (written.has(line) ? records : [])));
}

/** A crash is repeated within days. */
const LATELY_DAYS = 14;
const HALF_DAY_MS = 43_200_000;

function hashesOfLately({ files, clock }: Parts, { memoryDir }: OpenMemory): ReadonlySet<string> {
  const hashes = new Set<string>();
  // Steps of half a day: a day of the spring has 23 hours, and one of 24 would step over it.
  const places = Array.from({ length: 2 * LATELY_DAYS + 1 }, (_, step) =>
    logPlaceAt(clock.now() - step * HALF_DAY_MS, clock.timeZone()),
  );
  for (const { folders, file, date } of new Map(places.map((place) => [place.date, place])).values()) {
    // At worst a bullet stands there twice.
    const content = readableLog(files, memoryDir, { path: [...folders, file].join("/") });
    for (const line of linesOfLog(content?.toString("utf8") ?? "")) hashes.add(lineHash(date, line));
  }
  return hashes;
}

function makeFolders(
  files: Files,
  { memoryDir, folders }: { readonly memoryDir: string; readonly folders: readonly string[] },
): void {
  let path = memoryDir;
  for (const name of folders) {
    path = join(path, name);
    const kind = files.look(path)?.kind;
    if (kind === undefined) files.ensureFolder(path);
    else if (kind !== "folder") throw oddFolder(path, kind);
  }
}

function appendTo(
  files: Files,
  {
    folderPath,
    file,
    content,
  }: { readonly folderPath: string; readonly file: string; readonly content: string },
): void {
  const folder = openFolder(files, folderPath);
  if (folder === undefined) throw oddFolder(folderPath, "gone");
  try {
    folder.append(file, content);
  } finally {
    folder.close();
  }
}

function oddFolder(path: string, kind: FileFacts["kind"] | "gone"): AppError {
  return new AppError({
    code: "unsafe-file",
    message:
      kind === "gone" ? `${path} went away` : `${path} ${kindText(kind)}, not a folder; nothing was written`,
    fix: "put a plain folder in its place",
    disposition: "retry",
  });
}

function lineNumberOf(
  files: Files,
  { memory, place, line }: { readonly memory: OpenMemory; readonly place: LogPlace; readonly line: string },
): number | undefined {
  const path = [...place.folders, place.file].join("/");
  if ((files.look(join(memory.memoryDir, path))?.bytes ?? 0) > DAILY_LOG_LIMITS.fileBytesMax)
    return undefined;
  const lines = readLog(files, memory.memoryDir, { path })?.toString("utf8").split("\n") ?? [];
  const at = lines.lastIndexOf(line);
  return at === -1 ? undefined : at + 1;
}
