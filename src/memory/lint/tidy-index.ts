// What the index would be once it is mended: without dead lines, with a line for every memory, short lines, within its
// caps. The person's own lines stay byte for byte. Pure.
import { indexFaults } from "../files/index-faults.ts";
import { type IndexPlan, planIndex } from "../files/index-file.ts";
import type { FolderFacts } from "./facts.ts";

const NOTHING: IndexPlan = { text: undefined, changed: false, left: [], overCap: false };

/** `gone`: files that are to be removed before. */
export function tidyIndexPlan({ view, hidden, today }: FolderFacts, gone: readonly string[]): IndexPlan {
  if (view.index.problem !== undefined) return NOTHING;
  const away = new Set(gone);
  const { dead, unlisted } = indexFaults(view);
  return planIndex({
    text: view.index.text,
    memories: view.memories.filter(({ file }) => !away.has(file)),
    unavailable: view.unavailable,
    add: unlisted.filter((file) => !away.has(file)),
    shorten: true,
    ensure: [],
    refresh: [],
    drop: [...dead.flatMap(({ kept }) => kept?.file ?? []), ...gone],
    droppedByPerson: [...hidden],
    today,
  });
}
