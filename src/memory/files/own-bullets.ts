// The bullets engramd itself wrote into daily logs: anybody may write a line that looks like one, so each is known by its
// hash. Holds hashes, record ids and agents, never words.
import { join } from "node:path";
import { isFields } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { AgentId } from "../../domain/sessions.ts";
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";
import { appendJsonLines, readJsonLines } from "../../system/json-lines.ts";

export interface OwnBullet {
  /** Hash of the day and the line. */
  readonly line: string;
  /** Whose words it holds: the person's, or what others told. */
  readonly by: "user" | "log";
  /** The agent in whose session it was said. */
  readonly agent: AgentId;
  /** Records it rests on; none for what the person told engramd directly. */
  readonly records: readonly string[];
  /** Where it was said; who takes such a session back takes the line with it. */
  readonly sessions?: readonly string[];
}

/** By `line`. */
export type OwnBullets = ReadonlyMap<string, OwnBullet>;

/** A line means another thing in another day's log. */
export function lineHash(date: string, line: string): string {
  return shortHash(`${date}\n${line}`);
}

export interface OwnBulletStore {
  /** A damaged or missing line makes its bullet somebody's: it then teaches no rule. */
  load(folderId: string): OwnBullets;
  add(folderId: string, bullets: readonly OwnBullet[]): void;
}

/** `bullets/<folderId>.jsonl` below the state folder. */
export function createOwnBullets({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): OwnBulletStore {
  const folder = join(stateDir, "bullets");
  const maxBytes = STATE_LIMITS.stateFileBytesMax;
  const pathOf = (folderId: string) => join(folder, `${folderId}.jsonl`);
  return {
    load(folderId) {
      const { values } = readJsonLines(files, { path: pathOf(folderId), maxBytes });
      return new Map(values.flatMap((value) => parseBullet(value) ?? []).map((one) => [one.line, one]));
    },
    add(folderId, bullets) {
      files.ensureFolder(folder);
      appendJsonLines(files, {
        path: pathOf(folderId),
        values: bullets.map((bullet) => ({ v: 1, ...bullet })),
        maxBytes,
      });
    },
  };
}

function parseBullet(value: unknown): OwnBullet | undefined {
  if (!isFields(value)) return undefined;
  const { line, by, agent, records, sessions = [] } = value;
  const isKnown = typeof line === "string" && (by === "user" || by === "log") && typeof agent === "string";
  const areIds = [records, sessions].every(
    (ids) => Array.isArray(ids) && ids.every((id) => typeof id === "string"),
  );
  if (!isKnown || !areIds) return undefined;
  return value as unknown as OwnBullet;
}
