// The steps of a purge once it is noted what is to go. Each may be done twice: killed anywhere, the next start, or the
// same command, goes on with the first of them.
import type { PurgeFacts } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Ledger } from "../../learn/models/ledger.ts";
import { textHashOf } from "../../memory/gate/text-hash.ts";
import type { Inbox } from "../../memory/inbox/inbox.ts";
import { evidenceIn, type InboxItem, statementsIn } from "../../memory/inbox/items.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import { type PurgeIntent, purgedName } from "../../memory/journal/purge-intents.ts";
import { removeLeftovers } from "../../system/leftovers.ts";
import { forgetMemory } from "./forget.ts";
import { purgeCopies } from "./purge-copies.ts";
import { type NamesDeps, purgeNames } from "./purge-names.ts";
import type { RemainsDeps } from "./purge-remains.ts";
import type { PersonDeps } from "./remember.ts";

export interface PurgeParts extends Omit<PersonDeps, "projectAt">, RemainsDeps, NamesDeps {
  readonly inbox: Inbox;
  readonly ledger: Ledger;
  readonly writer: Pick<MemoryWriter, "ownBullets" | "purges" | "purging" | "trail" | "upkeep">;
  /** Ends the jobs of a folder, which may have the words before them; false when one does not end. */
  settleJobs(memoryDir: string): Promise<boolean>;
  /** Has a folder read once it is quiet. */
  readLater(memoryDir: string): void;
}

/** Those that a killed process left; what cannot be done now is tried again at the next start. */
export async function finishPurges(deps: PurgeParts, failed: (error: unknown) => void): Promise<void> {
  for (const intent of deps.writer.purges.open()) {
    try {
      const project = deps.places.known().find(({ id }) => id === intent.project.id);
      if (project !== undefined) await forgetMeant(intent, project, deps);
      await finishPurge(intent, deps);
    } catch (error) {
      failed(error);
    }
  }
}

/** Removes the file, if it is still what the person meant. Answers why it may not be removed. */
export async function forgetMeant(
  { memoryDir, basis }: PurgeIntent,
  project: ProjectRef,
  deps: PurgeParts,
): Promise<string | undefined> {
  if (basis === null) return undefined;
  const memory = deps.views.view(memoryDir)?.memories.find(({ hash }) => hash === basis);
  // Gone already, or edited since by somebody who wants it.
  return memory === undefined ? undefined : forgetMemory(memory, { project, memoryDir }, deps);
}

/** The history comes last: until then it knows the names the other places are searched for. */
export async function finishPurge(intent: PurgeIntent, deps: PurgeParts): Promise<PurgeFacts["removed"]> {
  const steps = await deps.writer.purging();
  const logLines = purgeNames(await steps.names(intent), deps);
  const files = new Set(intent.files);
  const runs = deps.ledger.rename({
    isMeant: (run) => intent.runs.includes(run.id) || run.memoryDir === intent.memoryDir,
    nameOf: (file) => (files.has(purgedName(file)) ? purgedName(file) : file),
  });
  const candidates = purgeItems(intent, deps);
  const copies = purgeCopies(intent, deps);
  const { entries, images, evidence } = await steps.history(intent);
  removeLeftovers(deps.files, { folder: deps.stateDir, now: Infinity });
  deps.writer.purges.done(intent);
  return { entries, images, evidence, runs, candidates, copies, logLines };
}

/** What waits quotes its records: the words of the memory may stand in it, whatever it says itself. */
function purgeItems(
  { project, memoryDir, texts, records, files }: PurgeIntent,
  { inbox, places }: PurgeParts,
): number {
  const there = places.known().filter((each) => places.placeOf(each).memoryDir === memoryDir);
  const named = new Set(files);
  const isOfIt = (item: InboxItem) =>
    statementsIn(item).some((memory) => texts.includes(textHashOf(memory))) ||
    // A quoted memory is named by its file where others name a record.
    evidenceIn(item).some(({ recordId }) => records.includes(recordId) || named.has(purgedName(recordId))) ||
    item.changes.some(({ file }) => named.has(purgedName(file)));
  const ids = new Set([project.id, ...there.map(({ id }) => id)]);
  return [...ids].reduce((sum, id) => sum + inbox.purge(id, isOfIt), 0);
}
