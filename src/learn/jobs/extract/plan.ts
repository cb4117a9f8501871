// Findings of one window against the memories already there: what to create, what to confirm, what to leave.
import { fileNameFor } from "../../../memory/files/file-name.ts";
import { canonicalFile } from "../../../memory/gate/facts.ts";
import { sameFact } from "../../../memory/files/same-fact.ts";
import type { Evidence, MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import type { Memory, MemoryDraft } from "../../../domain/memories.ts";

/** One statement worth keeping, with the words that support it. */
export interface Finding {
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
}

export interface PlanContext {
  readonly memories: readonly Memory[];
  /** Every name in the folder, whatever it is. */
  readonly taken: ReadonlySet<string>;
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
  /** Root of this project where several projects share the folder; their memories are not ours to touch. */
  readonly origin: string | undefined;
}

/** Same fact again is confirmed, not copied; a record a file already names is left alone. */
export function planChanges(findings: readonly Finding[], context: PlanContext): MemoryChange[] {
  const ours = context.memories.filter((memory) => isOurs(memory, context.origin));
  const recorded = new Set(context.memories.flatMap((memory) => memory.evidence));
  // Two names a file system may take for one are one here.
  const taken = new Set([...context.taken].map(canonicalFile));
  const creates: (MemoryChange & { op: "create" })[] = [];
  const confirms = new Map<string, MemoryChange & { op: "confirm" }>();
  for (const finding of findings) {
    if (finding.evidence.some((part) => part.by === "user" && recorded.has(part.recordId))) continue;
    const known = ours.find((memory) => sameFact(finding.memory, memory));
    if (known !== undefined) {
      const before = confirms.get(known.file)?.evidence ?? [];
      const evidence = [...before, ...finding.evidence];
      confirms.set(known.file, { op: "confirm", file: known.file, basis: known.hash, evidence });
      continue;
    }
    const twin = creates.findIndex((create) => sameFact(finding.memory, asMemory(create)));
    const first = creates[twin];
    if (first !== undefined) {
      creates[twin] = { ...first, evidence: [...first.evidence, ...finding.evidence] };
      continue;
    }
    const file = fileNameFor(finding.memory, {
      today: context.today,
      isTaken: (name) => taken.has(canonicalFile(name)),
    });
    taken.add(canonicalFile(file));
    creates.push({ op: "create", file, memory: finding.memory, evidence: finding.evidence });
  }
  return [...creates, ...confirms.values()];
}

/**
 * A long session can teach more than one set may hold. What one message teaches stays in one set while it fits: after
 * a crash between two sets the message counts as recorded, and the rest of it would never be saved.
 */
export function partsOf(changes: readonly MemoryChange[]): (readonly MemoryChange[])[] {
  const parts: MemoryChange[][] = [];
  for (const group of groupsOf(changes)) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + group.length <= MEMORY_LIMITS.changesMax) last.push(...group);
    else parts.push(group);
  }
  return parts;
}

/** Neighbours that rest on the same message, at most one set's worth. */
function groupsOf(changes: readonly MemoryChange[]): MemoryChange[][] {
  const groups: MemoryChange[][] = [];
  let before: string | undefined;
  for (const change of changes) {
    const record = change.evidence.find((part) => part.by === "user")?.recordId;
    const last = groups.at(-1);
    const joins = record !== undefined && record === before;
    if (last !== undefined && joins && last.length < MEMORY_LIMITS.changesMax) last.push(change);
    else groups.push([change]);
    before = record;
  }
  return groups;
}

function isOurs(memory: Memory, origin: string | undefined): boolean {
  return origin === undefined || memory.origin === origin;
}

function asMemory(create: MemoryChange & { op: "create" }): Memory {
  return {
    ...create.memory,
    file: create.file,
    frontmatter: "ok",
    hash: "",
    mtimeMs: 0,
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin: undefined,
    links: [],
  };
}
