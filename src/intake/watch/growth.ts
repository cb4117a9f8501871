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
}

export interface Noticed {
  readonly entry: CatalogEntry;
  readonly folder: string;
  readonly peek: Peek | undefined;
}

export interface Growth {
  /** "Look at this path": from the sweep, the watcher or a hook. Safe to repeat. Undefined: nothing to learn. */
  look(path: string, facts?: FileFacts): Noticed | undefined;
  /** Makes the folder due once it is quiet, or at once where waiting gains nothing. */
  schedule(noticed: Noticed): void;
}

export function createGrowth(deps: GrowthDeps): Growth {
  return {
    look(path, facts) {
      const look = deps.catalog.lookAt(path, facts);
      if (look.kind !== "grew" || look.entry.project === undefined) return undefined;
      const folder = deps.folderOf(look.entry.project);
      if (folder === undefined) {
        deps.catalog.passOver(look.entry, "memory-off");
        return undefined;
      }
      const { agent } = look.entry.source;
      deps.emitter.emit("transcript:grew", { agent, path, bytes: unreadBytes(look.entry.state) });
      return { entry: look.entry, folder, peek: look.peek };
    },
    schedule: (noticed) => schedule(deps, noticed),
  };
}

/** An ended session or "remember" words do not wait for quiet, only for the agent to finish its turn. */
function schedule(deps: GrowthDeps, { entry, folder, peek }: Noticed): void {
  const urgent = peek?.sessionEnded === true || peek?.urgent === true;
  if (urgent && peek?.turn !== "open") return deps.debounce.fireNow(folder);
  const { quietMs, maxWaitMs } = deps.cadence(entry.source.agent);
  deps.debounce.touch(folder, { quietMs: urgent ? Math.min(quietMs, deps.settleMs()) : quietMs, maxWaitMs });
}
