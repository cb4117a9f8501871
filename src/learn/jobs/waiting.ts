// The inbox as jobs see it: where a set is written, or waits for a person, and what is kept for one. Decides
// by the project's mode only.
import type { ChangeSet, MemoryChange } from "../../domain/changes.ts";
import type { MemoryDraft } from "../../domain/memories.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import { wasRemoved } from "../../memory/gate/rules/removed.ts";
import type { Inbox } from "../../memory/inbox/inbox.ts";
import type { InboxItem, Offered } from "../../memory/inbox/items.ts";
import { logSet } from "../../memory/inbox/log-set.ts";
import { factsWithWaiting, proposeSet } from "../../memory/inbox/propose.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "../../memory/journal/commit.ts";
import type { Emitter } from "../../system/emitter.ts";

type SetOptions = Omit<CommitOptions, "today">;

export interface WaitingParts {
  /** Local calendar date. */
  today(): string;
  /** Writes. */
  commit(set: ChangeSet, options: SetOptions): Promise<CommitResult>;
  preview: MemoryWriter["preview"];
  readonly inbox: Inbox;
  readonly writer: Pick<MemoryWriter, "trail" | "appendLog">;
  /** Whether what sessions teach goes into the daily log, for the distillation. */
  extractsToLog(): boolean;
  readonly places: Places;
  readonly emitter: Emitter;
}

export interface Waiting {
  /** Writes, or where a person decides lets the set wait for them; the result tells. */
  commit(set: ChangeSet, options: SetOptions): Promise<CommitResult>;
  /** What the gate judges a model's proposals by, as the folder is now. */
  preview: MemoryWriter["preview"];
  /** What waits for a person or a second sighting, oldest first. */
  pendingOf(project: ProjectRef): readonly InboxItem[];
  /**
   * Keeps for a person what the gate has not let in, but for what they rejected or removed before. Answers how many
   * items are new. Safe to repeat.
   */
  keepForReview(project: ProjectRef, offered: readonly Offered[]): number;
  /** These are memories now: nothing waits for them any more. */
  settle(project: ProjectRef, saved: readonly MemoryDraft[]): void;
  isProposing(project: ProjectRef): boolean;
}

export function createWaiting(
  parts: WaitingParts,
  { wroteOurselves }: { wroteOurselves(memoryDir: string): void },
): Waiting {
  const { inbox, places, emitter } = parts;
  const isProposing = (project: ProjectRef) => places.placeOf(project).mode === "propose";
  const preview: Waiting["preview"] = (ask) => {
    const facts = parts.preview(ask);
    const { project } = ask.set;
    return isProposing(project) ? factsWithWaiting(facts, inbox.list(project.id)) : facts;
  };
  return {
    isProposing,
    preview,
    pendingOf: (project) => inbox.list(project.id),
    keepForReview(project, offered) {
      if (offered.length === 0) return 0;
      const { removed, evidence } = parts.writer.trail(places.placeOf(project).memoryDir);
      const recorded = new Set(evidence.flatMap(({ records }) => records.map(({ id }) => id)));
      const isWanted = (change: MemoryChange) =>
        !wasRemoved(change, removed) && !isRecorded(change, recorded);
      return inbox.put(
        project.id,
        offered.filter(({ changes }) => changes.every(isWanted)),
      );
    },
    settle: (project, saved) => inbox.settle(project.id, saved),
    async commit(set, options) {
      if (isProposing(set.project)) {
        return proposeSet(set, { ...options, today: parts.today() }, { inbox, emitter, preview });
      }
      // Who reworks a folder writes into its files, whatever sessions are made into.
      if (set.kind === "extract" && parts.extractsToLog()) {
        const { writer } = parts;
        const result = await logSet(set, { ...options, today: parts.today() }, { writer, emitter, preview });
        wroteOurselves(set.memoryDir);
        return result;
      }
      const result = await parts.commit(set, options);
      wroteOurselves(set.memoryDir);
      inbox.settle(set.project.id, savedBy(result));
      return result;
    },
  };
}

/** Work that is repeated after a crash: a memory rests on these words by now. */
function isRecorded({ evidence }: MemoryChange, recorded: ReadonlySet<string>): boolean {
  const read = evidence.filter(({ by }) => by !== "memory");
  return read.length > 0 && read.every(({ recordId }) => recorded.has(recordId));
}

function savedBy({ verdicts }: CommitResult): MemoryDraft[] {
  return verdicts.flatMap(({ accepted, change }) => (accepted && "memory" in change ? [change.memory] : []));
}
