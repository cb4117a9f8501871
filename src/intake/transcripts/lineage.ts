// Which typed messages a project has seen, whatever file they stand in: forks, copies, moved and
// rewritten transcripts repeat records. Holds hashes only, never text.
import { join } from "node:path";
import { parseJson } from "../../domain/json.ts";
import type { UserText } from "../../domain/records.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";

/** What reads a message. */
export type ReadBy = "rules" | "model";

/** `ignored`: a person took back the session it stands in; to everybody that is as good as read. */
export type MarkedBy = ReadBy | "ignored";

export interface Seen {
  /**
   * Whether this message was seen before, by its id or by its time and words. `model`: whether a model has seen it, as
   * rules may have read what no model has.
   */
  has(record: UserText, by?: MarkedBy): boolean;
  /** What a model has seen counts as seen by everybody, and so does what is ignored. */
  add(record: UserText, by?: MarkedBy): void;
  readonly size: number;
  /** Appends what was added since the last save in one write. */
  save(): void;
  /** Takes back what was added since the last save: the work it stood for failed. */
  rollback(): void;
}

/** Hash length: 64 bits keep the chance of a clash below 1e-8 for a million messages. */
const HASH_CHARS = 16;
/** Marks remembered per project, four for most messages; the oldest are dropped when the file is compacted. */
const SEEN_MAX = 400_000;

export function openSeen({
  files,
  stateDir,
  projectId,
}: {
  readonly files: Files;
  readonly stateDir: string;
  readonly projectId: string;
}): Seen {
  const folder = join(stateDir, "cursors", "seen");
  const path = join(folder, `${projectId}.jsonl`);
  const known = load(files, path);
  let added: string[] = [];
  return {
    has: (record, by = "rules") => marksOf(record, by).some((mark) => known.has(mark)),
    add(record, by = "rules") {
      for (const mark of IMPLIED[by].flatMap((kind) => marksOf(record, kind))) {
        if (known.has(mark)) continue;
        known.add(mark);
        added.push(mark);
      }
    },
    get size() {
      return known.size;
    },
    save() {
      if (added.length === 0) return;
      files.ensureFolder(folder);
      if (known.size > SEEN_MAX) {
        const kept = [...known].slice(-SEEN_MAX / 2);
        files.replace(path, `${JSON.stringify(kept)}\n`);
      } else files.append(path, `${JSON.stringify(added)}\n`);
      added = [];
    },
    rollback() {
      for (const mark of added) known.delete(mark);
      added = [];
    },
  };
}

/** The kinds of marks each of them leaves. */
const IMPLIED: Readonly<Record<MarkedBy, readonly MarkedBy[]>> = {
  rules: ["rules"],
  model: ["rules", "model"],
  ignored: ["rules", "model", "ignored"],
};

/** A copy may carry fresh ids but not fresh times, so time and words count as a second id. */
function marksOf(record: UserText, by: MarkedBy): string[] {
  // All kinds of marks are in one file; they differ in what is hashed.
  const kind = by === "rules" ? "" : `${by} `;
  const byId = shortHash(`${kind}id ${record.recordId}`, HASH_CHARS);
  if (record.at === undefined) return [byId];
  return [byId, shortHash(`${kind}at ${record.at} ${record.text}`, HASH_CHARS)];
}

function load(files: Files, path: string): Set<string> {
  const known = new Set<string>();
  const text = files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString("utf8") ?? "";
  if (text !== "" && !text.endsWith("\n")) files.append(path, "\n");
  for (const line of text.split("\n")) {
    if (line === "") continue;
    for (const mark of parseMarks(line)) known.add(mark);
  }
  return known;
}

/** A line that cannot be read is skipped; its messages would only be judged again. */
function parseMarks(line: string): string[] {
  const value = parseJson(line);
  return Array.isArray(value) ? value.filter((mark) => typeof mark === "string") : [];
}
