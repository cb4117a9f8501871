// State `inbox/<projectId>.jsonl`: what waits for a person's yes, for a second sighting, or was refused and may be
// looked at. Written before any cursor moves; the same again changes nothing. Never holds a secret.
import { join } from "node:path";
import type { MemoryChange } from "../../domain/changes.ts";
import { fieldOf } from "../../domain/json.ts";
import { INBOX_LIMITS, STATE_LIMITS } from "../../domain/limits.ts";
import type { MemoryDraft } from "../../domain/memories.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import { readJsonLines } from "../../system/json-lines.ts";
import { findSecrets } from "../secrets/scanner.ts";
import {
  type Comparer,
  createComparer,
  expiresAt,
  grown,
  type InboxItem,
  itemId,
  type ItemKind,
  type Offered,
  parseItem,
  statementsIn,
} from "./items.ts";

export interface InboxCounts {
  readonly proposals: number;
  readonly candidates: number;
  readonly quarantine: number;
}

/** Items that went without a person's word, since the project is known. */
export interface InboxLosses {
  readonly expired: number;
  /** There were too many; the newest stayed. */
  readonly dropped: number;
}

export interface Inbox {
  /**
   * Keeps what is not waiting yet; what is grows by the new words. Answers how many items are new. The same again
   * writes nothing.
   */
  put(projectId: string, offered: readonly Offered[]): number;
  /** Oldest first. What has expired is not among them. */
  list(projectId: string): readonly InboxItem[];
  count(projectId: string): InboxCounts;
  losses(projectId: string): InboxLosses;
  /** A person has decided. */
  remove(projectId: string, ids: ReadonlySet<string>): void;
  /** These are memories now, so nobody needs to be asked any more. */
  settle(projectId: string, saved: readonly MemoryDraft[]): void;
  /** Takes out what one session said; answers how many items went or lost words. */
  forgetSession(projectId: string, sessionId: string): number;
  /** Takes out those that are meant, and what of the file cannot be read; answers how many there were. */
  purge(projectId: string, isMeant: (item: InboxItem) => boolean): number;
}

export interface InboxDeps {
  readonly files: Files;
  readonly stateDir: string;
  readonly clock: Pick<Clock, "now">;
}

interface Content extends InboxLosses {
  readonly items: readonly InboxItem[];
}

export function createInbox(deps: InboxDeps): Inbox {
  const list = (projectId: string) => load(deps, projectId).items;
  /** Answers by how many items it changed. */
  const change = (projectId: string, to: (items: readonly InboxItem[]) => readonly InboxItem[]) => {
    const content = load(deps, projectId);
    const items = to(content.items);
    const isSame =
      items.length === content.items.length && items.every((item, at) => item === content.items[at]);
    if (!isSame) save(deps, projectId, { ...content, items });
    const kept = new Set(items);
    return content.items.filter((item) => !kept.has(item)).length;
  };
  return {
    list,
    put(projectId, offered) {
      const safe = offered.filter((each) => each.changes.length > 0 && !holdsSecret(each));
      if (safe.length === 0) return 0;
      const now = deps.clock.now();
      const same = createComparer();
      let fresh = 0;
      change(projectId, (items) => {
        const known = new Set(items.map(({ id }) => id));
        const after = safe.reduce((all, each) => withOffer(all, each, { projectId, now, ...same }), items);
        fresh = after.filter(({ id }) => !known.has(id)).length;
        return after;
      });
      return fresh;
    },
    count(projectId) {
      const items = list(projectId);
      const of = (wanted: ItemKind) => items.filter(({ kind }) => kind === wanted).length;
      return { proposals: of("proposal"), candidates: of("candidate"), quarantine: of("quarantine") };
    },
    losses(projectId) {
      const { expired, dropped } = load(deps, projectId);
      return { expired, dropped };
    },
    remove: (projectId, ids) => void change(projectId, (items) => items.filter(({ id }) => !ids.has(id))),
    settle(projectId, saved) {
      const same = createComparer();
      if (saved.length > 0)
        change(projectId, (items) => items.filter((item) => !isSettled(item, saved, same)));
    },
    forgetSession: (projectId, sessionId) =>
      change(projectId, (items) => items.flatMap((item) => withoutSession(item, sessionId))),
    purge(projectId, isMeant) {
      if (deps.files.look(pathOf(deps, projectId)) === undefined) return 0;
      const content = load(deps, projectId);
      const items = content.items.filter((item) => !isMeant(item));
      // Also where none is meant: what has expired or is damaged may hold the words.
      save(deps, projectId, { ...content, items });
      return content.items.length - items.length;
    },
  };
}

interface Place extends Pick<Comparer, "sameChange"> {
  readonly projectId: string;
  readonly now: number;
}

/** What an offer leaves of the items that were there; pure. */
function withOffer(
  items: readonly InboxItem[],
  offered: Offered,
  { projectId, now, sameChange }: Place,
): readonly InboxItem[] {
  const met = new Set<MemoryChange>();
  const after = items.map((item) => {
    if (!meets(item.kind, offered.kind)) return item;
    const changes = item.changes.map((change) => {
      const same = offered.changes.filter((other) => sameChange(change, other));
      for (const each of same) met.add(each);
      return grown(
        change,
        same.flatMap(({ evidence }) => evidence),
      );
    });
    return changes.every((change, at) => change === item.changes[at])
      ? item
      : { ...item, changes, seen: now };
  });
  const rest = restOf(offered, met);
  if (rest.length === 0) return after;
  const own = { ...offered, changes: rest };
  const id = itemId(projectId, own);
  if (after.some((item) => item.id === id)) return after;
  // What is more than a candidate now is no candidate any more, but its words count.
  const absorbed =
    offered.kind === "candidate" ? [] : after.filter((item) => isCandidateOf(item, own, sameChange));
  const changes = absorbed.reduce((all, item) => absorb(all, item, sameChange), own.changes);
  return [
    ...after.filter((item) => !absorbed.includes(item)),
    { ...own, changes, id, since: now, seen: now },
  ];
}

/** A candidate that a proposal says already waits there; what was refused once may still be heard as a candidate. */
function meets(there: ItemKind, offered: ItemKind): boolean {
  return there === offered || (there === "proposal" && offered === "candidate");
}

/** A replacement and what it replaces belong together: unless all of it waits already, none of it is taken apart. */
function restOf({ changes }: Offered, met: ReadonlySet<MemoryChange>): readonly MemoryChange[] {
  const rest = changes.filter((change) => !met.has(change));
  const isLinked = changes.some(({ op }) => op === "delete" || op === "update");
  return rest.length > 0 && isLinked ? changes : rest;
}

function isCandidateOf(
  item: InboxItem,
  { changes }: Pick<Offered, "changes">,
  sameChange: Comparer["sameChange"],
): boolean {
  return (
    item.kind === "candidate" &&
    item.changes.every((change) => changes.some((other) => sameChange(change, other)))
  );
}

function absorb(
  changes: readonly MemoryChange[],
  item: InboxItem,
  sameChange: Comparer["sameChange"],
): readonly MemoryChange[] {
  return changes.map((change) => {
    const same = item.changes.filter((other) => sameChange(change, other));
    return grown(
      change,
      same.flatMap(({ evidence }) => evidence),
    );
  });
}

function isSettled(
  item: InboxItem,
  saved: readonly MemoryDraft[],
  { sameStatement }: Pick<Comparer, "sameStatement">,
): boolean {
  const statements = statementsIn(item);
  return (
    statements.length === item.changes.length &&
    statements.every((statement) => saved.some((memory) => sameStatement(statement, memory)))
  );
}

/** A change that rests on nothing else goes, and the whole item with it: what is left was never meant alone. */
function withoutSession(item: InboxItem, sessionId: string): InboxItem[] {
  const changes = item.changes.map((change) => {
    const evidence = change.evidence.filter(({ session }) => session.id !== sessionId);
    return evidence.length === change.evidence.length ? change : { ...change, evidence };
  });
  if (changes.every((change, at) => change === item.changes[at])) return [item];
  const isGone = changes.some(({ evidence }) => evidence.every(({ by }) => by === "memory"));
  return isGone ? [] : [{ ...item, changes }];
}

/** Every text of it: names and messages are printed, quotes and bodies read. */
function holdsSecret(offered: Offered): boolean {
  const texts = [
    offered.refusal?.message ?? "",
    ...offered.changes.flatMap((change) => [
      change.file,
      ...("memory" in change ? [change.memory.name, change.memory.description, change.memory.body] : []),
      ...change.evidence.map(({ quote }) => quote),
    ]),
  ];
  return findSecrets(texts.join("\n")).length > 0;
}

function pathOf({ stateDir }: InboxDeps, projectId: string): string {
  return join(stateDir, "inbox", `${projectId}.jsonl`);
}

/** Without what has expired, which goes from the disk with the next change. A damaged line is left out. */
function load(deps: InboxDeps, projectId: string): Content {
  const { values } = readJsonLines(deps.files, {
    path: pathOf(deps, projectId),
    maxBytes: STATE_LIMITS.stateFileBytesMax,
  });
  const items = values.flatMap((value) => parseItem(value) ?? []);
  const now = deps.clock.now();
  const alive = items.filter((item) => expiresAt(item) > now);
  const { expired, dropped } = values.flatMap((value) => parseLosses(value) ?? []).at(-1) ?? NO_LOSSES;
  return { items: alive, expired: expired + items.length - alive.length, dropped };
}

const NO_LOSSES: InboxLosses = { expired: 0, dropped: 0 };

function parseLosses(value: unknown): InboxLosses | undefined {
  const [expired, dropped] = [fieldOf(value, "expired"), fieldOf(value, "dropped")];
  return typeof expired === "number" && typeof dropped === "number" ? { expired, dropped } : undefined;
}

function save(deps: InboxDeps, projectId: string, { items, expired, dropped }: Content): void {
  const kept = bounded(items);
  const losses = { v: 1, expired, dropped: dropped + items.length - kept.length };
  const text = [losses, ...kept.map((item) => ({ v: 1, ...item }))]
    .map((value) => `${JSON.stringify(value)}\n`)
    .join("");
  deps.files.ensureFolder(join(deps.stateDir, "inbox"));
  deps.files.replace(pathOf(deps, projectId), text);
}

const MAX: Readonly<Record<ItemKind, number>> = {
  proposal: INBOX_LIMITS.proposalsMax,
  candidate: INBOX_LIMITS.candidatesMax,
  quarantine: INBOX_LIMITS.quarantineMax,
};

/** The newest of each kind, within the size of the file. */
function bounded(items: readonly InboxItem[]): readonly InboxItem[] {
  const counts = new Map<ItemKind, number>();
  let bytes = 0;
  const newest = items.toReversed().filter((item) => {
    const count = (counts.get(item.kind) ?? 0) + 1;
    counts.set(item.kind, count);
    bytes += Buffer.byteLength(JSON.stringify(item));
    return count <= MAX[item.kind] && bytes <= INBOX_LIMITS.bytesMax;
  });
  return newest.toReversed();
}
