// The extraction job kind: one small job per memory folder. Holds who asked and why, never content.
import type { JobOutcome } from "../../../domain/jobs.ts";
import { newRunId } from "../../../system/ids.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import type { Instant } from "../../../domain/records.ts";
import type { ExtractDeps, ExtractRequest } from "./contract.ts";
import { estimateFolder, type Foreseen } from "./estimate.ts";
import { type Retold, retellSession } from "./retell.ts";
import type { RetellDeps } from "./retell-reading.ts";
import { extractFolder } from "./steps.ts";

export const EXTRACT = "extract";

/** Why a folder is to be read now. */
export interface ExtractAsk {
  readonly trigger: string;
  /** A person asked: do not wait for the folder to settle. */
  readonly ignoreSettle: boolean;
}

/** A run that has begun and not ended. */
export interface CurrentRun extends Pick<ExtractRequest, "run" | "trigger" | "memoryDir"> {
  readonly startedAt: Instant;
  /** Resolves when nothing of it goes on. */
  readonly ended: Promise<void>;
}

export interface ExtractJob {
  readonly name: typeof EXTRACT;
  /** Runs under way. */
  current(): readonly CurrentRun[];
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

export function createExtractJob(deps: RetellDeps): ExtractJob {
  const asks = new Map<string, ExtractAsk>();
  const running = new Set<CurrentRun>();
  return {
    name: EXTRACT,
    current: () => [...running],
    ask: (memoryDir, ask) => note(asks, memoryDir, ask),
    async run(memoryDir, signal) {
      const ask = asks.get(memoryDir) ?? { trigger: "retry", ignoreSettle: false };
      // Taken out first: an ask that comes while this runs is for the next run.
      asks.delete(memoryDir);
      const run = newRunId(deps.clock.now());
      const request = { run, memoryDir, projects: deps.projectsAt(memoryDir), signal, ...ask };
      const over = begin(running, { request, now: deps.clock.now() });
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

/** Answers what to call at its end. */
function begin(
  running: Set<CurrentRun>,
  { request, now }: { readonly request: ExtractRequest; readonly now: Instant },
): () => void {
  const { run, trigger, memoryDir } = request;
  let tell: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (tell = resolve));
  const current = { run, trigger, memoryDir, startedAt: now, ended };
  running.add(current);
  return () => {
    running.delete(current);
    tell();
  };
}

function note(asks: Map<string, ExtractAsk>, memoryDir: string, ask: ExtractAsk): void {
  if (!asks.has(memoryDir) || ask.ignoreSettle) asks.set(memoryDir, ask);
}
