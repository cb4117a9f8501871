// How far a dream is, told by what the model asks for. Decides nothing; a listener may stop listening any time.
import { CONSOLIDATION_PHASES, type ConsolidationPhase } from "../../../domain/consolidation.ts";
import type { Tool } from "../../runs/tools/tool.ts";

/** The step a tool belongs to. */
const PHASE_OF: Readonly<Record<string, ConsolidationPhase>> = {
  read: "orient",
  grep: "orient",
  glob: "orient",
  search_sessions: "gather",
  exists: "gather",
  write: "consolidate",
  edit: "consolidate",
  delete: "prune",
};

export interface Progress {
  /** Tells the step unless it, or a later one, was told. */
  reach(phase: ConsolidationPhase): void;
  /** The same tools, telling. */
  watched(tools: readonly Tool[]): readonly Tool[];
}

export function createProgress(tell: (phase: ConsolidationPhase) => void): Progress {
  let reached = -1;
  const reach = (phase: ConsolidationPhase) => {
    const at = CONSOLIDATION_PHASES.indexOf(phase);
    if (at <= reached) return;
    reached = at;
    tell(phase);
  };
  return {
    reach,
    watched: (tools) =>
      tools.map((tool) => ({
        ...tool,
        run(input, context) {
          const phase = PHASE_OF[tool.spec.name];
          if (phase !== undefined) reach(phase);
          return tool.run(input, context);
        },
      })),
  };
}
