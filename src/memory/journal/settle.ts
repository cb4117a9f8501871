// After files changed, by us or by hand: index, listing and evidence follow from what is on disk now.
import { join } from "node:path";
import type { ContentHash } from "../../domain/memories.ts";
import { atOnce, type Steps } from "../../system/breather.ts";
import { INDEX_FILE } from "../files/file-name.ts";
import {
  diffListing,
  type Listing,
  type ListingChanges,
  listingOf,
  loadListing,
  saveListing,
  withDropped,
} from "../files/listing.ts";
import { type FolderView, readingFolder } from "../files/store.ts";
import type { IndexWork, JournalOp, WrittenOp } from "./entries.ts";
import { onDisk, stepsOnDisk } from "./failures.ts";
import { keepIndexImages, planWork } from "./index-work.ts";
import { replaceIndex } from "./index-write.ts";
import { recordingHandEdits } from "./hand-edits.ts";
import { assertReadable, type OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";

/** The host agent edits the index too; after this many lost races the index waits for the next write. */
const INDEX_TRIES = 5;

export interface Settled {
  readonly index: { readonly before: ContentHash | null; readonly after: ContentHash | null };
  /** Files whose line left, or got none, because of the caps. */
  readonly left: readonly string[];
  readonly overCap: boolean;
  /** What a person, or the host agent, did since our last listing. */
  readonly byHand: ListingChanges;
  readonly view: FolderView;
}

export interface SettleAsk {
  readonly memory: OpenMemory;
  /** Operations of ours that are on disk but in no listing yet. */
  readonly ops: readonly JournalOp[];
  readonly project: { readonly id: string; readonly root: string };
  readonly today: string;
  /** Also mend the index, or put it back; images of it are kept then. */
  readonly indexWork?: IndexWork;
}

/** Brings index and listing up to date; writes neither when it would say the same. */
export function settle(parts: Parts, ask: SettleAsk): Settled {
  return atOnce(settling(parts, ask));
}

/** The same in steps; whoever stops between them holds the folder meanwhile. */
export function* settling(parts: Parts, ask: SettleAsk): Steps<Settled> {
  const { memory } = ask;
  const state = { what: "state", path: parts.stateDir } as const;
  const path = listingPath(parts, memory.folderId);
  const previous = onDisk(state, () => loadListing(parts.files, path));
  const round = yield* stepsOnDisk(
    { what: "memory", path: memory.memoryDir },
    settlingIndex(parts, { ...ask, previous }),
  );
  const listing = withDropped(listingOf(round.view, previous), round.byHand.linesDroppedByPerson);
  yield* stepsOnDisk(state, recordingHandEdits(parts, { ...ask, changes: round.byHand, view: round.view }));
  onDisk(state, () => {
    if (!sameListing(previous, listing)) {
      parts.files.ensureFolder(join(parts.stateDir, "listing"));
      saveListing(parts.files, { path, listing });
    }
  });
  tellIndex(parts, memory, round);
  return round;
}

/** `listing/<folderId>.json` below the state folder. */
export function listingPath(parts: Pick<Parts, "stateDir">, folderId: string): string {
  return join(parts.stateDir, "listing", `${folderId}.json`);
}

type IndexAsk = SettleAsk & { readonly previous: Listing | undefined };

function* settlingIndex(parts: Parts, ask: IndexAsk): Steps<Settled> {
  const { memory, indexWork } = ask;
  for (let attempt = 1; ; attempt++) {
    const view = yield* readingFolder(memory.folder);
    assertReadable(view, { memory, files: ask.ops.map((op) => op.file) });
    const byHand = changesByHand(view, ask);
    yield;
    const before = view.index.hash ?? null;
    const plan = planWork(parts, view, { ...ask, byHand });
    if (!plan.changed || plan.text === undefined || attempt === INDEX_TRIES) {
      return { index: { before, after: before }, left: plan.left, overCap: plan.overCap, byHand, view };
    }
    memory.assertHeld();
    if (indexWork !== undefined) keepIndexImages(parts, memory, [view.index.text, plan.text]);
    const after = replaceIndex(memory, { text: plan.text, before });
    yield;
    if (after === undefined) continue;
    const written = { ...view, index: { text: plan.text, hash: after, problem: undefined } };
    return { index: { before, after }, left: plan.left, overCap: plan.overCap, byHand, view: written };
  }
}

function changesByHand(view: FolderView, { previous, ops }: IndexAsk): ListingChanges {
  const changes = diffListing(previous, view);
  const without = (files: readonly string[], kinds: readonly WrittenOp[]) =>
    files.filter((file) => !ops.some((op) => op.file === file && kinds.includes(op.op)));
  // A file made or edited by hand stays so when we only confirm it.
  const added = without(changes.added, ["created"]);
  const edited = without(changes.edited, ["created", "updated"]);
  const vanished = without(changes.vanished, ["deleted"]);
  // An index that is gone, or cannot be read now, says nothing about single lines.
  const linesDroppedByPerson = view.index.text === undefined ? [] : changes.linesDroppedByPerson;
  const unchanged = [added, edited, vanished, linesDroppedByPerson].every((files) => files.length === 0);
  return { added, edited, vanished, linesDroppedByPerson, unchanged };
}

function sameListing(a: Listing | undefined, b: Listing): boolean {
  if (a === undefined || a.files.size !== b.files.size) return false;
  if (a.droppedByPerson.join("/") !== b.droppedByPerson.join("/")) return false;
  return [...b.files].every(([file, listed]) => {
    const known = a.files.get(file);
    return known?.contentHash === listed.contentHash && known.line === listed.line;
  });
}

function tellIndex(parts: Parts, memory: OpenMemory, { index, left, overCap, view }: Settled): void {
  if (overCap) {
    parts.emitter.emit("warning:raised", {
      code: "index-over-cap",
      message: `the text of ${INDEX_FILE} in ${memory.memoryDir} leaves no room for entries`,
    });
  }
  if (index.before === index.after) return;
  const lines = (view.index.text ?? "").split("\n").length - 1;
  parts.emitter.emit("index:written", { dir: memory.memoryDir, lines, left });
}
