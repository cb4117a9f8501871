// How jobs write: by the gate into a memory folder, or where a person decides into the inbox; and never without the lock
// of the state folder.
import type { ChangeSet } from "../domain/changes.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Settling } from "../learn/jobs/settling.ts";
import { createSettling } from "../learn/jobs/settling.ts";
import type { Waiting } from "../learn/jobs/waiting.ts";
import { createWaiting } from "../learn/jobs/waiting.ts";
import type { Inbox } from "../memory/inbox/inbox.ts";
import { createInbox } from "../memory/inbox/inbox.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "../memory/journal/commit.ts";
import type { Ground } from "./ground.ts";

export interface Committing {
  readonly inbox: Inbox;
  readonly settling: Settling;
  readonly waiting: Waiting;
  readonly commit: (set: ChangeSet, options: Omit<CommitOptions, "today">) => Promise<CommitResult>;
}

export function createCommitting(
  ground: Ground,
  { places, writer }: { readonly places: Places; readonly writer: MemoryWriter },
): Committing {
  const { files, clock, emitter, paths, today, config, instance } = ground;
  const commit: Committing["commit"] = (set, options) =>
    instance.whileHeld(() =>
      writer.commit(set, { ...options, today: today(), lossShareMax: config().dream.maxLossShare }),
    );
  const appendLog: MemoryWriter["appendLog"] = (memoryDir, bullets) =>
    instance.whileHeld(() => writer.appendLog(memoryDir, bullets));
  const inbox = createInbox({ files, stateDir: paths.stateDir, clock });
  const settling = createSettling({ files, clock, settleMs: () => config().extract.settleMs });
  const waiting = createWaiting(
    {
      inbox,
      places,
      emitter,
      today,
      commit,
      preview: writer.preview,
      writer: { ...writer, appendLog },
      extractsToLog: () => config().extract.target === "daily-log",
    },
    { wroteOurselves: settling.wroteOurselves },
  );
  return { inbox, settling, waiting, commit };
}
