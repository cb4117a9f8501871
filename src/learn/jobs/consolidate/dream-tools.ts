// The tools of one dream, made anew for each run, and what is learnt from their use: what is gone, which rule a memory
// stayed beside, whether a file was to be emptied.
import type { ConsolidationNote } from "../../../domain/consolidation.ts";
import { canonicalFile, type ProposalFacts } from "../../../memory/gate/facts.ts";
import { MEMORY_TOOLS } from "../../runs/tools/registry.ts";
import type { Tool } from "../../runs/tools/tool.ts";
import { localTimeIn } from "../local-time.ts";
import type { Dreaming } from "./contract.ts";
import { createDeleteTool } from "./delete.ts";
import { createExistsTool } from "./exists.ts";
import { createWriteGuard, type WriteGuard } from "./guarded-write.ts";
import { createProjectLook } from "./project-look.ts";
import { newerThanRule } from "./report.ts";
import { isOver, isRule } from "./said.ts";
import { createSessionSearch, type SessionSearch } from "./search-sessions.ts";
import { readInsisted, readWords, sessionsSince } from "./session-words.ts";

export interface DreamTools extends Pick<WriteGuard, "isSpoilt" | "failed"> {
  /** In a fixed order: the list is part of the prefix a provider may cache. */
  readonly all: readonly Tool[];
  readonly search: SessionSearch;
  /** Sessions a search may look into. */
  readonly sessions: number;
  noted(): readonly ConsolidationNote[];
}

export function createDreamTools(dreaming: Dreaming, facts: ProposalFacts): DreamTools {
  const { ask, project, deps, signal } = dreaming;
  const time = localTimeIn(facts.timeZone);
  const since = deps.holds.lastSuccessAt(ask.memoryDir) ?? 0;
  const wordsAsk = { projects: ask.projects, since, signal };
  const search = createSessionSearch({ read: () => readWords(wordsAsk, deps), time });
  const look = project.present ? createProjectLook({ ...deps, root: project.root, signal }) : undefined;
  const exists = createExistsTool({ look, time });
  const memoryNamed = (name: string) =>
    facts.memories.find(({ file }) => canonicalFile(file) === canonicalFile(name));
  const beside = new Set<string>();
  const deletion = createDeleteTool({
    isRule: (name) => isRule(name, facts),
    isOver(name) {
      const memory = memoryNamed(name);
      return memory === undefined || isOver(memory, { gone: exists.gone, today: facts.today });
    },
    async beforeOverruling(name) {
      const memory = memoryNamed(name);
      if (memory === undefined) return;
      for (const id of await readInsisted(memory, { ...wordsAsk, since: 0 }, deps)) search.insisted.add(id);
    },
    keptBesideRule: (file) => void beside.add(file),
  });
  const guard = createWriteGuard((recordId) => memoryNamed(recordId) !== undefined);
  return {
    all: [...guard.guarded(MEMORY_TOOLS), search.tool, exists.tool, deletion],
    search,
    sessions: sessionsSince(wordsAsk, deps).length,
    isSpoilt: guard.isSpoilt,
    failed: guard.failed,
    noted: () => [...beside].map(newerThanRule),
  };
}
