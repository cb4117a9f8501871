// The next index where a run changes it for its own sake: mended, or put back. Keeps the images an undo needs. Writes no
// memory folder.
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { IndexPlan } from "../files/index-file.ts";
import type { ListingChanges } from "../files/listing.ts";
import type { FolderView } from "../files/store.ts";
import type { IndexWork } from "./entries.ts";
import { onDisk } from "./failures.ts";
import { type PlanAsk, planOf } from "./index-plan.ts";
import type { OpenMemory } from "./open-memory.ts";
import type { Parts } from "./parts.ts";

export interface WorkAsk extends Omit<PlanAsk, "tidy"> {
  readonly memory: OpenMemory;
  readonly indexWork?: IndexWork;
  readonly byHand: ListingChanges;
}

export function planWork(parts: Parts, view: FolderView, ask: WorkAsk): IndexPlan {
  const tidy = ask.indexWork?.kind === "tidy";
  return restored(parts, view, ask) ?? planOf(view, ask.byHand, { ...ask, tidy });
}

/** Undefined: it is planned as ever, because nobody wants it back or somebody wrote it meanwhile. */
function restored(
  parts: Parts,
  { index }: FolderView,
  { indexWork, memory }: WorkAsk,
): IndexPlan | undefined {
  if (indexWork?.kind !== "restore") return undefined;
  const { from, to } = indexWork;
  const isBack = index.hash === to;
  if (!isBack && index.hash !== from) return undefined;
  const text = isBack ? index.text : imageOf(parts, memory, to);
  return text === undefined ? undefined : { text, changed: !isBack, left: [], overCap: false };
}

function imageOf({ journal, stateDir }: Parts, { folderId }: OpenMemory, hash: string): string | undefined {
  return onDisk({ what: "state", path: stateDir }, () => journal.image(folderId, hash)?.toString("utf8"));
}

/** One that grew beyond what is read of an image is not kept, and does not go back. */
export function keepIndexImages(
  { journal, stateDir }: Parts,
  { folderId }: OpenMemory,
  texts: readonly (string | undefined)[],
): void {
  onDisk({ what: "state", path: stateDir }, () => {
    for (const text of texts) {
      if (text !== undefined && Buffer.byteLength(text) <= MEMORY_LIMITS.topicBytesMax)
        journal.keepImage(folderId, text);
    }
  });
}
