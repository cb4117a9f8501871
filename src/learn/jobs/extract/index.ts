// The extraction job kind: one small job per memory folder. Holds who asked and why, never content.
import type { JobOutcome } from "../../../domain/jobs.ts";
import { newRunId } from "../../../system/ids.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import type { ExtractDeps } from "./contract.ts";
import { estimateFolder, type Foreseen } from "./estimate.ts";
import { type Retold, retellSession } from "./retell.ts";
import type { RetellDeps } from "./retell-reading.ts";
import { extractFolder } from "./steps.ts";
import type { RunningRuns } from "../running.ts";

export const EXTRACT = "extract";

/** Why a folder is to be read now. */
export interface ExtractAsk {
  readonly trigger: string;
  /** A person asked: do not wait for the folder to settle. */
  readonly ignoreSettle: boolean;
}

export interface ExtractJob {
  readonly name: typeof EXTRACT;
  /** Notes the ask for the folder's next run; the stronger of two asks wins. */
  ask(memoryDir: string, ask: ExtractAsk): void;
  run(memoryDir: string, signal: AbortSignal): Promise<JobOutcome>;
  /** What the rules make of a session's messages now; changes nothing. */
  retell(entry: CatalogEntry): Promise<Retold>;
  /** What runs over these sources of the folder would hear and send; asks no model and changes nothing. */
  estimate(
    memoryDir: string,
    entries: readonly CatalogEntry[],
    assume?: Assumed,
  ): Promise<readonly Foreseen[]>;
}

/** For an estimate of what is not so: another reader, other marks. */
export interface Assumed extends Partial<Pick<ExtractDeps, "readerFor" | "seenOf">> {
  readonly signal?: AbortSignal;
}

export function createExtractJob(deps: RetellDeps, running: RunningRuns): ExtractJob {
  const asks = new Map<string, ExtractAsk>();
  return {
    name: EXTRACT,
    ask: (memoryDir, ask) => note(asks, memoryDir, ask),
    async run(memoryDir, signal) {
      const ask = asks.get(memoryDir) ?? { trigger: "retry", ignoreSettle: false };
      // Taken out first: an ask that comes while this runs is for the next run.
      asks.delete(memoryDir);
      const run = newRunId(deps.clock.now());
      const request = { run, memoryDir, projects: deps.projectsAt(memoryDir), signal, ...ask };
      const { trigger } = ask;
      const over = running.begin({ run, kind: EXTRACT, trigger, memoryDir, startedAt: deps.clock.now() });
      let isAnswered = false;
      try {
        const outcome = await extractFolder(request, deps);
        isAnswered = outcome.result !== "delayed";
        return outcome;
      } finally {
        if (!isAnswered) note(asks, memoryDir, ask);
        over();
      }
    },
    retell: (entry) => retellSession(entry, deps),
    estimate(memoryDir, entries, { signal = new AbortController().signal, ...assumed } = {}) {
      const run = newRunId(deps.clock.now());
      const ask = { trigger: "estimate", ignoreSettle: true };
      const projects = deps.projectsAt(memoryDir);
      return estimateFolder(entries, { run, memoryDir, projects, signal, ...ask }, { ...deps, ...assumed });
    },
  };
}

function note(asks: Map<string, ExtractAsk>, memoryDir: string, ask: ExtractAsk): void {
  if (!asks.has(memoryDir) || ask.ignoreSettle) asks.set(memoryDir, ask);
}
