// The trigger for extraction: a transcript grew, so its project's memory folder is due once things are quiet.
// Reads nothing beyond the catalog's peek and never decides whether a job has work.
import type { AgentId, ProjectRef } from "../../domain/sessions.ts";
import type { FileFacts } from "../../system/files.ts";
import type { Emitter } from "../../system/emitter.ts";
import { unreadBytes } from "../transcripts/cursors.ts";
import type { Peek } from "../transcripts/format.ts";
import type { Catalog, CatalogEntry } from "./catalog.ts";
import type { Debounce, Quiet } from "./debounce.ts";

export interface GrowthDeps {
  readonly catalog: Catalog;
  /** Keys are memory folders. */
  readonly debounce: Debounce;
  readonly emitter: Emitter;
  /** How long words of this agent wait: it depends on what reads them, rules or a model. */
  cadence(agent: AgentId): Quiet;
  /** How long an urgent request waits for the agent to finish its turn. */
  settleMs(): number;
  /** Memory folder of a project; undefined when memory is switched off there. */
  folderOf(project: ProjectRef): string | undefined;
  /** Its words are neither read nor passed over; absent: there is no such project. */
  readonly isLeftUnread?: (project: ProjectRef) => boolean;
  /** How long ago a file was last written; absent: everything was written just now. */
  readonly ageMs?: (mtimeMs: number) => number;
  /** Old sessions that are to be read after all, as their agent is about to delete them. */
  readonly isRescued?: (entry: CatalogEntry) => boolean;
}

export interface Noticed {
  readonly entry: CatalogEntry;
  readonly folder: string;
  readonly peek: Peek | undefined;
}

export interface Growth {
  /** "Look at this path": from the sweep, the watcher or a hook. Safe to repeat. Undefined: nothing to learn. */
  look(path: string, facts?: FileFacts): Noticed | undefined;
  /** Sessions passed over as old that must be read now or never. Once a round. */
  rescue(): readonly Noticed[];
  /** Makes the folder due once it is quiet, or at once where waiting gains nothing. */
  schedule(noticed: Noticed): void;
}

export function createGrowth(deps: GrowthDeps): Growth {
  return {
    look(path, facts) {
      const look = deps.catalog.lookAt(path, facts);
      return look.kind === "grew" ? notice(deps, look.entry, look.peek) : undefined;
    },
    rescue() {
      const { isRescued } = deps;
      if (isRescued === undefined) return [];
      return deps.catalog.rescue(isRescued).flatMap((entry) => notice(deps, entry, undefined) ?? []);
    },
    schedule: (noticed) => schedule(deps, noticed),
  };
}

function notice(deps: GrowthDeps, entry: CatalogEntry, peek: Peek | undefined): Noticed | undefined {
  if (entry.project === undefined) return undefined;
  const folder = deps.folderOf(entry.project);
  if (folder === undefined) {
    if (deps.isLeftUnread?.(entry.project) === true) return undefined;
    deps.catalog.passOver(entry, "memory-off");
    return undefined;
  }
  const { agent, path } = entry.source;
  deps.emitter.emit("transcript:grew", { agent, path, bytes: unreadBytes(entry.state) });
  return { entry, folder, peek };
}

/** An ended session or "remember" words do not wait for quiet, only for the agent to finish its turn. */
function schedule(deps: GrowthDeps, { entry, folder, peek }: Noticed): void {
  const urgent = peek?.sessionEnded === true || peek?.urgent === true;
  if (urgent && peek?.turn !== "open") return deps.debounce.fireNow(folder);
  const { quietMs, maxWaitMs } = deps.cadence(entry.source.agent);
  // Where programs run all day, a person would wait for their quiet.
  if (entry.state.scripted && !urgent && deps.debounce.dueAt(folder) !== undefined) return;
  const waitMs = urgent ? Math.min(quietMs, deps.settleMs()) : quietMs;
  // A timer of no time takes a millisecond and more, ten times what the event took.
  if (waitMs === 0) return deps.debounce.fireNow(folder);
  // What was found has been quiet since it was written: nobody waits for a session of last week.
  const passedMs = Math.max(0, deps.ageMs?.(entry.state.mtimeMs) ?? 0);
  deps.debounce.touch(folder, { quietMs: Math.max(0, waitMs - passedMs), maxWaitMs });
}
