// Counts sessions, and says which are counted and which anybody will read, as the modes of their projects want.
import type { SourceState } from "../../intake/transcripts/cursors.ts";
import type { CatalogEntry } from "../../intake/watch/catalog.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { SyncReport } from "../../domain/service.ts";

type PlaceDeps = Pick<Places, "placeOf">;

/** A project whose mode is `off` is not observed: none of its sessions is counted. */
export function isObserved({ project }: CatalogEntry, places: PlaceDeps): boolean {
  return project === undefined || places.placeOf(project).off !== "mode-off";
}

/** Not of a project whose mode leaves its words unread: nobody waits for them, and nobody misses them. */
export function isToBeRead({ project }: CatalogEntry, places: Pick<Places, "isLeftUnread">): boolean {
  return project === undefined || !places.isLeftUnread(project);
}

/** A program's, and not looked into. */
function isPassedScript({ passedWhy }: SourceState): boolean {
  return passedWhy === "flood" || passedWhy === "observer";
}

/** Sessions of programs that were passed over, by why; undefined where there are none. */
export function passedScripts(entries: Iterable<CatalogEntry>): SyncReport["passedOver"] {
  const passed = [...entries].map(({ state }) => state).filter(isPassedScript);
  const flood = passed.filter(({ passedWhy }) => passedWhy === "flood").length;
  return passed.length === 0 ? undefined : { flood, observer: passed.length - flood };
}

/** Distinct sessions with typed words, per agent; a session may live in more than one file. */
export function countAgents(entries: Iterable<CatalogEntry>, headlessCounts: boolean): SyncReport["agents"] {
  const found = new Map<string, { typed: Map<string, number>; headless: Set<string>; damaged: number }>();
  for (const { source, state } of entries) {
    const agent = found.get(source.agent) ?? { typed: new Map(), headless: new Set(), damaged: 0 };
    found.set(source.agent, agent);
    const typed = state.typed + (headlessCounts ? state.headlessTyped : 0);
    if (typed > 0) agent.typed.set(state.sessionId, (agent.typed.get(state.sessionId) ?? 0) + typed);
    else if (state.headlessTyped > 0 || isPassedScript(state)) agent.headless.add(state.sessionId);
    agent.damaged += state.damaged;
  }
  const agents: Record<string, SyncReport["agents"][string]> = {};
  for (const [agent, { typed, headless, damaged }] of found) {
    agents[agent] = {
      sessions: typed.size,
      typedMessages: [...typed.values()].reduce((sum, count) => sum + count, 0),
      headlessSessions: [...headless].filter((id) => !typed.has(id)).length,
      damagedLines: damaged,
    };
  }
  return agents;
}
