// What the waiting line tells of a dream or a distillation: its steps, as the daemon or our own engramd tells them. Shows
// words of ours and numbers only; decides nothing.
import { CONSOLIDATION_PHASES, type ConsolidationKind } from "../../domain/consolidation.ts";
import { fieldOf } from "../../domain/json.ts";
import { findDaemon } from "../../serve/client/daemon-file.ts";
import { followEvents } from "../../serve/client/event-feed.ts";
import { isInside } from "../../system/paths.ts";
import type { CommandContext, UseService } from "./command.ts";
import { withService } from "./service.ts";
import { openWaitLine } from "./wait-line.ts";

export interface Waited {
  readonly kind: ConsolidationKind;
  /** Absolute path inside the project. */
  readonly project: string;
}

/** Asks like `withService`, and shows the steps meanwhile. */
export async function withProgress<T>(
  context: CommandContext,
  { kind, project }: Waited,
  use: UseService<T>,
): Promise<T> {
  const { files, paths } = context;
  const line = openWaitLine(context, { what: kind, afterMs: 0 });
  if (!line.isShown) return withService(context, use);
  const hear = (name: string, data: unknown) => {
    const root = fieldOf(data, "project");
    if (typeof root !== "string" || !isInside(project, root)) return;
    const step = STEPS[kind](name.replace(":", "-"), data);
    if (step !== undefined) line.say(step);
  };
  const endFeed = followEvents({ address: findDaemon({ files, paths }), files }, hear);
  try {
    return await withService(context, use, { hear, line });
  } finally {
    endFeed();
    line.close();
  }
}

const WORDS = {
  orient: "looking at the memories",
  gather: "looking up what was said",
  consolidate: "putting together",
  prune: "tidying up",
} as const;

/** What an event says of each kind; undefined: nothing. */
const STEPS: Readonly<Record<ConsolidationKind, (name: string, data: unknown) => string | undefined>> = {
  dream(name, data) {
    const phase = CONSOLIDATION_PHASES.find((each) => each === fieldOf(data, "phase"));
    if (name !== "dream-advanced" || phase === undefined) return undefined;
    return `${CONSOLIDATION_PHASES.indexOf(phase) + 1}/${CONSOLIDATION_PHASES.length} ${phase}: ${WORDS[phase]}`;
  },
  distill(name, data) {
    const [logs, of] = [fieldOf(data, "logs"), fieldOf(data, "of")];
    if (name !== "distill-advanced" || typeof logs !== "number" || typeof of !== "number") return undefined;
    return `${logs}/${of} logs`;
  },
};
