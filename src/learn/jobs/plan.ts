// Findings of one window against the memories already there: what to create, what to confirm, what to leave.
import { fileNameFor } from "../../memory/files/file-name.ts";
import { canonicalFile } from "../../memory/gate/facts.ts";
import { sameFact } from "../../memory/files/same-fact.ts";
import type { TimeZone } from "../../domain/calendar.ts";
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { Memory, MemoryDraft } from "../../domain/memories.ts";
import { superseding } from "../offline/draft.ts";
import { restates, successionOf } from "./replace.ts";

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
  readonly timeZone: TimeZone;
  /** Root of this project where several projects share the folder; their memories are not ours to touch. */
  readonly origin: string | undefined;
}

type Create = MemoryChange & { readonly op: "create" };
type Confirm = MemoryChange & { readonly op: "confirm" };
type Update = MemoryChange & { readonly op: "update" };
type Delete = MemoryChange & { readonly op: "delete" };

interface Plan {
  readonly creates: Create[];
  /** By file; one change a file. */
  readonly changed: Map<string, Confirm | Update | Delete>;
}

/**
 * Same fact again is confirmed, not copied; a newer value takes the file of the older one; a record a file already
 * names is left alone.
 */
export function planChanges(findings: readonly Finding[], context: PlanContext): MemoryChange[] {
  const ours = context.memories.filter((memory) => isOurs(memory, context.origin));
  const recorded = new Set(context.memories.flatMap((memory) => memory.evidence));
  // Two names a file system may take for one are one here.
  const taken = new Set([...context.taken].map(canonicalFile));
  const plan: Plan = { creates: [], changed: new Map() };
  for (const finding of findings) {
    if (finding.evidence.some((part) => part.by === "user" && recorded.has(part.recordId))) continue;
    if (isPlanned(finding, { plan, context }) || meetsKnown(finding, { ours, plan, context })) continue;
    const file = fileNameFor(finding.memory, {
      today: context.today,
      isTaken: (name) => taken.has(canonicalFile(name)),
    });
    taken.add(canonicalFile(file));
    plan.creates.push({ op: "create", file, memory: finding.memory, evidence: finding.evidence });
  }
  return [...plan.creates, ...plan.changed.values()];
}

/** Said a moment ago in the same window, or another value of it was. */
function isPlanned(finding: Finding, { plan, context }: { plan: Plan; context: PlanContext }): boolean {
  for (const [index, create] of plan.creates.entries()) {
    const twin = asMemory(create);
    if (isSame(finding.memory, twin)) {
      plan.creates[index] = { ...create, evidence: [...create.evidence, ...finding.evidence] };
      return true;
    }
    if (successionOf(finding, twin, context.timeZone) === "replaces") {
      const memory = superseding(finding.memory, twin);
      plan.creates[index] = { ...create, memory, evidence: finding.evidence };
      return true;
    }
  }
  return false;
}

/** The one answer to whether somebody says again what a memory says. */
export function isSame(draft: MemoryDraft, memory: Memory): boolean {
  return sameFact(draft, memory) || restates(draft, memory);
}

interface Folder {
  readonly ours: readonly Memory[];
  readonly plan: Plan;
  readonly context: PlanContext;
}

/** Whether a memory of the folder says it, or said another value of it. */
function meetsKnown(finding: Finding, folder: Folder): boolean {
  const { plan, context } = folder;
  const now = memoriesNow(folder);
  const known = now.find((memory) => isSame(finding.memory, memory));
  const met = now.map((memory) => ({ memory, succession: successionOf(finding, memory, context.timeZone) }));
  const older = met.flatMap(({ memory, succession }) => (succession === "replaces" ? [memory] : []));
  if (known !== undefined) {
    confirm(known, finding, plan);
    supersede(older, finding, plan);
    return true;
  }
  const [first, ...others] = older.toSorted((a, b) => (b.confirmed ?? "").localeCompare(a.confirmed ?? ""));
  if (first === undefined) return met.some(({ succession }) => succession === "outdated");
  plan.changed.set(first.file, {
    op: "update",
    file: first.file,
    basis: first.hash,
    memory: superseding(finding.memory, first),
    evidence: finding.evidence,
  });
  supersede(others, finding, plan);
  return true;
}

/** As they will be once what is planned is done. */
function memoriesNow({ ours, plan }: Folder): readonly Memory[] {
  return ours.flatMap((memory) => {
    const change = plan.changed.get(memory.file);
    if (change?.op === "delete") return [];
    return [change?.op === "update" ? { ...memory, ...change.memory } : memory];
  });
}

function confirm(known: Memory, finding: Finding, { changed }: Plan): void {
  const before = changed.get(known.file);
  const evidence = [...(before?.evidence ?? []), ...finding.evidence];
  const { file, hash } = known;
  changed.set(
    file,
    before === undefined ? { op: "confirm", file, basis: hash, evidence } : { ...before, evidence },
  );
}

/** A set that takes away more is refused as a whole; what is left over goes with the next words about it. */
const REMOVALS_MAX = 1;

/** Older rules whose place the newer words have taken elsewhere. */
function supersede(older: readonly Memory[], { evidence }: Finding, { changed }: Plan): void {
  for (const { file, hash } of older) {
    const removals = [...changed.values()].filter(({ op }) => op === "delete").length;
    if (removals >= REMOVALS_MAX || changed.has(file)) continue;
    changed.set(file, { op: "delete", file, basis: hash, reason: "superseded", evidence });
  }
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

function asMemory(create: Create): Memory {
  return {
    ...create.memory,
    file: create.file,
    frontmatter: "ok",
    hash: "",
    mtimeMs: 0,
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: create.evidence.map(({ recordId }) => recordId),
    origin: undefined,
    links: [],
  };
}
