// What a person wants purged, kept until it is done: killed anywhere, the next start goes on. Ids and hashes only, as
// the intent itself must not keep what it is there to remove.
import { join } from "node:path";
import type { RunId } from "../../domain/changes.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { ContentHash } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { shortHash } from "../../system/ids.ts";
import { canonicalFile } from "../gate/facts.ts";

export interface PurgeIntent {
  readonly v: 1;
  readonly at: Instant;
  readonly project: { readonly id: string; readonly root: string };
  readonly memoryDir: string;
  readonly folderId: string;
  /** `purgedName` of every file it was kept in. */
  readonly files: readonly string[];
  /** `hashOfName` of every name it was called. */
  readonly called: readonly string[];
  /** Images to remove. */
  readonly images: readonly ContentHash[];
  /** `textHashOf` each of its versions. */
  readonly texts: readonly string[];
  /** Records it rested on, and the sessions they are from. */
  readonly records: readonly string[];
  readonly sessions: readonly string[];
  /** Runs that touched it. */
  readonly runs: readonly RunId[];
  /** The file as it was when the person asked; null: there was none any more. */
  readonly basis: ContentHash | null;
}

export interface PurgeIntents {
  save(intent: PurgeIntent): void;
  /** Oldest first. Damaged ones are removed: an intent is on disk before anything is taken away. */
  open(): readonly PurgeIntent[];
  done(intent: PurgeIntent): void;
}

const PURGED_NAME = /^purged-[0-9a-f]{16}$/;

/** What stands in the place of a file name, which is words as well. Of such a name it is the name itself. */
export function purgedName(file: string): string {
  return PURGED_NAME.test(file) ? file : `purged-${shortHash(canonicalFile(file))}`;
}

/** Of the name in a memory's header. */
export function hashOfName(name: string): string {
  return shortHash(name.normalize("NFC"));
}

/** `purges/<id>.json` below the state folder. */
export function createPurgeIntents({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): PurgeIntents {
  const folder = join(stateDir, "purges");
  const pathOf = ({ folderId, files: names, records, texts }: PurgeIntent) =>
    join(folder, `${shortHash(JSON.stringify([folderId, names, records, texts]))}.json`);
  return {
    save(intent) {
      files.ensureFolder(folder);
      files.replace(pathOf(intent), `${JSON.stringify(intent)}\n`);
    },
    open() {
      const names = (files.names(folder) ?? []).filter((name) => name.endsWith(".json"));
      const found = names.flatMap((name) => {
        const path = join(folder, name);
        const intent = parseIntent(files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString() ?? "");
        if (intent === undefined) files.remove(path);
        return intent ?? [];
      });
      return found.toSorted((a, b) => a.at - b.at);
    },
    done: (intent) => files.remove(pathOf(intent)),
  };
}

const LISTS = ["files", "called", "images", "texts", "records", "sessions", "runs"];

function parseIntent(text: string): PurgeIntent | undefined {
  const value = parseJson(text);
  return isIntent(value) ? value : undefined;
}

function isIntent(value: unknown): value is PurgeIntent {
  if (!isFields(value) || value["v"] !== 1 || !isFields(value["project"])) return false;
  const { project, basis } = value;
  const texts = [project["id"], project["root"], value["memoryDir"], value["folderId"]];
  if (!texts.every((each) => typeof each === "string") || typeof value["at"] !== "number") return false;
  if (basis !== null && typeof basis !== "string") return false;
  return LISTS.map((name) => value[name]).every(
    (list) => Array.isArray(list) && list.every((each) => typeof each === "string"),
  );
}
