// Remembers what a person took back, as hashes and record ids only, never as text.
import { join } from "node:path";
import { fieldOf, isFields } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";
import { appendJsonLines, readJsonLines } from "../../system/json-lines.ts";
import type { RemovedFacts } from "./facts.ts";

/** One removed statement. */
export interface Removal {
  readonly at: Instant;
  /** Record ids the memory rested on. */
  readonly records: readonly string[];
  /** `textHashOf` the memory; undefined when its text is not known any more. */
  readonly text: string | undefined;
}

export interface RefusedStore {
  /** Damaged lines are skipped: nothing is refused because of them. */
  load(folderId: string): RemovedFacts;
  /** Writes only removals that say something new. */
  add(folderId: string, removals: readonly Removal[]): void;
  /** The person wants these back: nothing is refused because of them any more. Writes only what changes something. */
  lift(folderId: string, lifted: readonly Removal[]): void;
}

/** `refused/<folderId>.jsonl` below the state folder. */
export function createRefusedStore(deps: { readonly files: Files; readonly stateDir: string }): RefusedStore {
  const { files } = deps;
  const folder = join(deps.stateDir, "refused");
  const pathOf = (folderId: string) => join(folder, `${folderId}.jsonl`);
  const load = (folderId: string) =>
    factsOf(
      readJsonLines(files, { path: pathOf(folderId), maxBytes: STATE_LIMITS.stateFileBytesMax }).values,
    );
  const append = (folderId: string, values: readonly object[]) => {
    if (values.length === 0) return;
    files.ensureFolder(folder);
    const path = pathOf(folderId);
    appendJsonLines(files, { path, values, maxBytes: STATE_LIMITS.stateFileBytesMax });
  };
  return {
    load,
    add(folderId, removals) {
      const known = load(folderId);
      const fresh = removals.filter((removal) => !isKnown(removal, known));
      append(
        folderId,
        fresh.map((removal) => ({ v: 1, ...removal })),
      );
    },
    lift(folderId, lifted) {
      const known = load(folderId);
      const fresh = lifted.filter((each) => isAway(each, known));
      append(
        folderId,
        fresh.map((each) => ({ v: 1, lifted: each })),
      );
    },
  };
}

function isAway({ records, text }: Removal, known: RemovedFacts): boolean {
  return records.some((id) => known.recordIds.has(id)) || (text !== undefined && known.textHashes.has(text));
}

function isKnown(removal: Removal, known: RemovedFacts): boolean {
  return (
    removal.records.every((id) => known.recordIds.has(id)) &&
    (removal.text === undefined || known.textHashes.get(removal.text) === removal.at)
  );
}

function factsOf(values: readonly unknown[]): RemovedFacts {
  const recordIds = new Set<string>();
  const textHashes = new Map<string, Instant>();
  for (const value of values) {
    const lifted = parseLifted(value);
    for (const id of lifted?.records ?? []) recordIds.delete(id);
    if (lifted?.text !== undefined) textHashes.delete(lifted.text);
    const removal = parseRemoval(value);
    if (removal === undefined) continue;
    for (const id of removal.records) recordIds.add(id);
    if (removal.text === undefined) continue;
    textHashes.set(removal.text, Math.max(removal.at, textHashes.get(removal.text) ?? 0));
  }
  return { recordIds, textHashes };
}

/** Inside a field of its own, so that an engramd that does not know it sees no removal. */
function parseLifted(value: unknown): Removal | undefined {
  return parseRemoval(fieldOf(value, "lifted"));
}

function parseRemoval(value: unknown): Removal | undefined {
  if (!isFields(value)) return undefined;
  const { at, records, text } = value;
  if (typeof at !== "number" || !Array.isArray(records)) return undefined;
  return {
    at,
    records: records.filter((id) => typeof id === "string"),
    text: typeof text === "string" ? text : undefined,
  };
}
