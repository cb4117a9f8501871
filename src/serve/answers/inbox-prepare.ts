// What accepting an item would change in the folder as it is now, and what speaks against it. Asks the gate, writes
// nothing.
import type { Reason } from "../../domain/account.ts";
import type { ChangeSet, MemoryChange } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import { judgeSet } from "../../memory/gate/gate.ts";
import type { InboxItem } from "../../memory/inbox/items.ts";
import { refit } from "../../memory/inbox/refit.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import type { FolderViews } from "./folder-view.ts";

export interface PrepareDeps {
  readonly places: Pick<Places, "placeOf" | "projectsAt">;
  readonly views: FolderViews;
  readonly writer: Pick<MemoryWriter, "preview">;
  /** Local calendar date. */
  today(): string;
}

export interface Prepared extends Pick<ChangeSet, "kind" | "trigger" | "producer" | "project" | "memoryDir"> {
  /** Of the folder now. */
  readonly memories: readonly Memory[];
  /** Empty: all of it is there already, or it is blocked. */
  readonly changes: readonly MemoryChange[];
  readonly sharedFolder: boolean;
  readonly blocked: Reason | null;
}

/** A person says yes to all of an item or to none of it, whoever proposed it. */
export function prepare(item: InboxItem, project: ProjectRef, deps: PrepareDeps): Prepared {
  const { memoryDir } = deps.places.placeOf(project);
  const sharedFolder = deps.places.projectsAt(memoryDir).length > 1;
  const view = deps.views.view(memoryDir);
  const memories = view?.memories ?? [];
  const others = view?.notMemories.map(({ file }) => file) ?? [];
  const today = deps.today();
  const fitted = refit(item, {
    memories,
    taken: new Set([...memories.map(({ file }) => file), ...(view?.unavailable ?? []), ...others]),
    today,
    origin: sharedFolder ? project.root : undefined,
  });
  const set = { kind: "review", trigger: "person", producer: "person", project, memoryDir } as const;
  const base = { ...set, memories, sharedFolder };
  if ("stale" in fitted) {
    return { ...base, changes: [], blocked: { code: "changed-since-read", message: fitted.stale } };
  }
  const { changes } = fitted;
  const facts = { ...deps.writer.preview({ set, today, sharedFolder }), keep: true };
  const refused = judgeSet({ ...set, run: "", changes }, facts).find(({ accepted }) => !accepted);
  if (refused === undefined || refused.accepted) return { ...base, changes, blocked: null };
  return { ...base, changes: [], blocked: { code: refused.reason, message: refused.message } };
}
