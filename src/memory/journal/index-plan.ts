// What the index should say after changes of ours and by hand. Pure; the person's own lines are never its business.
import { type IndexPlan, planIndex } from "../files/index-file.ts";
import { parseIndex } from "../files/index-lines.ts";
import type { Listing, ListingChanges } from "../files/listing.ts";
import type { FolderView } from "../files/store.ts";
import type { JournalOp } from "./entries.ts";

export interface PlanAsk {
  /** Operations of ours that are on disk but in no listing yet. */
  readonly ops: readonly JournalOp[];
  /** Our last listing; undefined at first sight. */
  readonly previous: Listing | undefined;
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
}

export function planOf(view: FolderView, byHand: ListingChanges, ask: PlanAsk): IndexPlan {
  // An index that cannot be read must not be written either.
  if (view.index.problem !== undefined) {
    return { text: undefined, changed: false, left: [], overCap: false };
  }
  const { previous, ops } = ask;
  // Without any index the lines are not taken out by the person one by one: they are made again.
  const lost = view.index.text === undefined ? linedFiles(previous) : [];
  const news = ops.filter((op) => op.op === "created" || op.op === "updated").map((op) => op.file);
  const wrong = ops.length === 0 ? NOTHING_WRONG : wrongInIndex(view);
  return planIndex({
    text: view.index.text,
    memories: view.memories,
    unavailable: view.unavailable,
    ensure: [...lost, ...wrong.unlisted, ...byHand.added, ...news],
    refresh: [...byHand.edited, ...news],
    drop: [
      ...wrong.dead,
      ...[...byHand.vanished, ...ops.filter((op) => op.after === null).map((op) => op.file)].filter(
        (file) => !view.memories.some((memory) => memory.file === file),
      ),
    ],
    droppedByPerson: [...(previous?.droppedByPerson ?? []), ...byHand.linesDroppedByPerson],
    today: ask.today,
  });
}

function linedFiles(listing: Listing | undefined): string[] {
  return [...(listing?.files ?? [])].filter(([, { line }]) => line).map(([file]) => file);
}

interface Wrong {
  /** Memories without a line. */
  readonly unlisted: readonly string[];
  /** Files that a line of ours or of the host names and that are not there. */
  readonly dead: readonly string[];
}

const NOTHING_WRONG: Wrong = { unlisted: [], dead: [] };

/** What the first listing found wrong and left alone is mended together with a write of our own. */
function wrongInIndex(view: FolderView): Wrong {
  const named = parseIndex(view.index.text ?? "").flatMap(({ kept }) =>
    kept === undefined ? [] : [kept.file],
  );
  const present = new Set([
    ...view.memories.map((memory) => memory.file),
    ...view.unavailable,
    ...view.conflictCopies,
    ...view.notMemories.map(({ file }) => file),
  ]);
  const lined = new Set(named);
  return {
    unlisted: view.memories.map((memory) => memory.file).filter((file) => !lined.has(file)),
    // Beyond the bound on entries nobody looked: such a file may be there.
    dead: view.unread > 0 ? [] : named.filter((file) => !present.has(file)),
  };
}
