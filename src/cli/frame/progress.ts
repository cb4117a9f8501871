// The one line that shows how far a dream or a distillation is while a person waits: on a terminal, and gone afterwards.
// Never with --json, in a pipe or on a dumb terminal. Shows words of ours and numbers only; decides nothing.
import { CONSOLIDATION_PHASES, type ConsolidationKind } from "../../domain/consolidation.ts";
import { findDaemon } from "../../serve/client/daemon-file.ts";
import { followEvents } from "../../serve/client/event-feed.ts";
import { fieldOf } from "../../serve/client/wire.ts";
import type { Timer } from "../../system/clock.ts";
import { isInside } from "../../system/paths.ts";
import { durationText } from "../render/time.ts";
import type { CommandContext, UseService } from "./command.ts";
import { withService } from "./service.ts";

export interface Waited {
  readonly kind: ConsolidationKind;
  /** Absolute path inside the project. */
  readonly project: string;
}

/** Asks like `withService`, and shows the steps meanwhile. */
export async function withProgress<T>(
  context: CommandContext,
  waited: Waited,
  use: UseService<T>,
): Promise<T> {
  const { host, call, files, paths } = context;
  const isShown =
    !call.globals.json && host.out.isTerminal && host.err.isTerminal && host.env["TERM"] !== "dumb";
  if (!isShown) return withService(context, use);
  const line = openLine(context, waited);
  const endFeed = followEvents({ address: findDaemon({ files, paths }), files }, line.hear);
  try {
    return await withService(context, use, { hear: line.hear });
  } finally {
    endFeed();
    line.close();
  }
}

/** A model thinks for minutes: the seconds show that somebody is there. */
const DRAWN_EVERY_MS = 1_000;

const WORDS = {
  orient: "looking at the memories",
  gather: "looking up what was said",
  consolidate: "putting together",
  prune: "tidying up",
} as const;

interface ProgressLine {
  /** An event, by its name inside or outside. */
  hear(name: string, data: unknown): void;
  close(): void;
}

function openLine({ host: { err }, clock }: CommandContext, { kind, project }: Waited): ProgressLine {
  const startedMs = clock.monotonicMs();
  let step = "";
  let shown = 0;
  let timer: Timer | undefined;
  // With blanks: nothing is written that a terminal could take for an order.
  const clear = () => {
    if (shown > 0) err.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  const draw = () => {
    timer?.cancel();
    timer = clock.setTimer(DRAWN_EVERY_MS, draw);
    const words = `${kind}${step}, ${durationText(clock.monotonicMs() - startedMs)}`;
    // A line that wraps could not be cleared.
    const text = words.slice(0, Math.max(0, (err.columns || COLUMNS_DEFAULT) - 1));
    clear();
    err.write(text);
    shown = text.length;
  };
  draw();
  return {
    hear(name, data) {
      const root = fieldOf(data, "project");
      if (typeof root !== "string" || !isInside(project, root)) return;
      const next = STEPS[kind](name.replace(":", "-"), data);
      if (next === undefined) return;
      step = ` ${next}`;
      draw();
    },
    close() {
      timer?.cancel();
      clear();
    },
  };
}

/** Where the terminal does not tell. */
const COLUMNS_DEFAULT = 80;

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
