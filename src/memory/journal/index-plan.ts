// What the index should say after changes of ours and by hand. Pure; the person's own lines are never its business.
import { type IndexPlan, planIndex } from "../files/index-file.ts";
import { indexFaults } from "../files/index-faults.ts";
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
  /** Also without an operation of ours: mends what is wrong, and shortens lines that are too long. */
  readonly tidy?: boolean;
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
  // What the first listing found wrong and left alone is mended together with a write of our own.
  const wrong = ops.length > 0 || ask.tidy === true ? indexFaults(view) : NOTHING_WRONG;
  const present = new Set(view.memories.map(({ file }) => file));
  return planIndex({
    text: view.index.text,
    memories: view.memories,
    unavailable: view.unavailable,
    add: wrong.unlisted,
    shorten: ask.tidy === true,
    ensure: [...lost, ...byHand.added, ...news],
    refresh: [...byHand.edited, ...news],
    drop: [
      ...wrong.dead.flatMap(({ kept }) => kept?.file ?? []),
      ...[...byHand.vanished, ...ops.filter((op) => op.after === null).map((op) => op.file)].filter(
        (file) => !present.has(file),
      ),
    ],
    droppedByPerson: [...(previous?.droppedByPerson ?? []), ...byHand.linesDroppedByPerson],
    today: ask.today,
  });
}

function linedFiles(listing: Listing | undefined): string[] {
  return [...(listing?.files ?? [])].filter(([, { line }]) => line).map(([file]) => file);
}

const NOTHING_WRONG = { unlisted: [], dead: [] } as const;
