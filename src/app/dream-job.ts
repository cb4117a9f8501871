// The dream's job over the real parts.
import { delimiter } from "node:path";
import type { AgentId } from "../domain/sessions.ts";
import type { DreamDeps } from "../learn/jobs/consolidate/contract.ts";
import type { ConsolidationJob } from "../learn/jobs/consolidating.ts";
import { createTidying } from "../learn/jobs/consolidate/by-rules.ts";
import { createDreamJob } from "../learn/jobs/consolidate/index.ts";
import { patchBetween } from "../serve/answers/run-diff.ts";
import type { ConsolidationInput, HeldInput } from "./consolidation-input.ts";
import type { Ground } from "./ground.ts";

export function createDream(ground: Ground, input: HeldInput): ConsolidationJob {
  const { files, today } = ground;
  const { writer, reading, waiting } = input;
  const mayRead = (agent: AgentId) => reading.modelFor("dream", [agent]) !== undefined;
  const rehearse: DreamDeps["rehearse"] = (set, options) =>
    writer.rehearse(set, { ...options, today: today(), lossShareMax: ground.config().dream.maxLossShare });
  const deps: DreamDeps = {
    ...ground,
    ...input,
    tidying: createTidying({
      files,
      folderFacts: writer.folderFacts,
      commit: waiting.commit,
      rehearse,
      patchOf: patchBetween,
    }),
    programFolders: () => (ground.input.env["PATH"] ?? "").split(delimiter).filter((each) => each !== ""),
    isIgnored: (sessions) => sessions.some((session) => input.ignored.has(session)),
    mayRead,
    modelFor: (memoryDir) => reading.modelFor("dream", agentsIn(memoryDir, input)),
    openAccount: (memoryDir) => input.budget.open(memoryDir, "dream"),
    preview: waiting.preview,
    viewOf: input.views.view,
    finishOpen: writer.finishOpen,
    commit: waiting.commit,
    rehearse,
    patchOf: patchBetween,
    finishRun({ run, trigger, memoryDir, dryRun = false }, reply, end) {
      const { changes, before, after, reason } = reply;
      const files = dryRun ? [] : changes.map(({ file }) => file);
      const found = { files, ...(dryRun ? {} : { before, after }), ...(reason === null ? {} : { reason }) };
      input.book.consolidated({ id: run, kind: "dream", trigger, memoryDir, ...found, end, isDry: dryRun });
    },
  };
  return createDreamJob(deps);
}

/** Whose words may stand in the memories of a folder: those of any agent where its sessions are gone by now. */
function agentsIn(memoryDir: string, { places, catalog }: ConsolidationInput): readonly AgentId[] {
  const entries = places.projectsAt(memoryDir).flatMap(({ id }) => catalog.entriesOf(id));
  const agents =
    entries.length > 0 ? entries.map(({ source }) => source.agent) : catalog.roots.map(({ agent }) => agent);
  return [...new Set(agents)];
}
