// What an item would change now: a fresh file for a new statement, the file of today for an old one. Pure; says so where
// a file has moved on, never guesses.
import type { MemoryChange } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import { fileNameFor } from "../files/file-name.ts";
import { memoryContentHash } from "../files/listing.ts";
import { sameFact } from "../files/same-fact.ts";
import { canonicalFile, targetOf } from "../gate/facts.ts";
import type { InboxItem } from "./items.ts";

export interface FolderNow {
  readonly memories: readonly Memory[];
  /** Every name in the folder, whatever it is. */
  readonly taken: ReadonlySet<string>;
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
  /** Root of this project where several projects share the folder. */
  readonly origin: string | undefined;
}

export type Refitted =
  /** Empty: all of it is there already. */
  { readonly changes: readonly MemoryChange[] } | { readonly stale: string };

export function refit({ changes, bases = {} }: InboxItem, now: FolderNow): Refitted {
  const taken = new Set([...now.taken].map(canonicalFile));
  const fitted: MemoryChange[] = [];
  const going = new Set(changes.flatMap(({ op, file }) => (op === "delete" ? [canonicalFile(file)] : [])));
  const mine = now.memories.filter(
    ({ file, origin }) =>
      !going.has(canonicalFile(file)) && (now.origin === undefined || origin === now.origin),
  );
  for (const change of changes) {
    if (change.op === "create") {
      const created = refitCreate(change, { mine, taken, today: now.today });
      if (created !== undefined) fitted.push(created);
      continue;
    }
    const target = targetOf(change, now);
    if (target === undefined) {
      if (change.op === "delete") continue;
      return { stale: `${change.file} is not there any more` };
    }
    const said = Object.hasOwn(bases, target.file) ? bases[target.file] : undefined;
    const isSame = said === undefined ? target.hash === change.basis : memoryContentHash(target) === said;
    if (!isSame && !isDone(change, target))
      return { stale: `${target.file} has changed since this was proposed` };
    if (isDone(change, target)) continue;
    fitted.push({ ...change, file: target.file, basis: target.hash });
  }
  return { changes: fitted };
}

interface Names {
  readonly mine: readonly Memory[];
  /** Grows by each new name. */
  readonly taken: Set<string>;
  readonly today: string;
}

function refitCreate(
  change: MemoryChange & { readonly op: "create" },
  { mine, taken, today }: Names,
): MemoryChange | undefined {
  const { memory, evidence } = change;
  const known = mine.find((each) => sameFact(memory, each));
  if (known !== undefined) {
    // Accepted before, and interrupted right after it.
    const isRecorded = evidence.some(
      ({ by, recordId }) => by === "user" && known.evidence.includes(recordId),
    );
    if (isRecorded) return undefined;
    return { op: "confirm", file: known.file, basis: known.hash, evidence };
  }
  const wanted = canonicalFile(change.file);
  const isFree = change.file !== "" && !taken.has(wanted);
  const file = isFree
    ? change.file
    : fileNameFor(memory, { today, isTaken: (name) => taken.has(canonicalFile(name)) });
  taken.add(canonicalFile(file));
  return { ...change, file };
}

/** The file says already what the change would make it say. */
function isDone(change: MemoryChange, target: Memory): boolean {
  return change.op === "update" && memoryContentHash(change.memory) === memoryContentHash(target);
}
