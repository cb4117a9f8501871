// What a job over one memory folder would hear and send, without doing it: reads the transcripts, asks no model, and
// neither marks nor moves anything. Its marks live in memory, so that a fork counts once.
import { systemCode } from "../../../domain/errors.ts";
import type { ProjectId } from "../../../domain/sessions.ts";
import { positionOf } from "../../../intake/transcripts/cursors.ts";
import type { Seen } from "../../../intake/transcripts/lineage.ts";
import { readTurns } from "../../../intake/transcripts/turns.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import type { ExtractDeps, ExtractRequest } from "./contract.ts";
import { cut } from "./cut.ts";
import { hear, markHeard } from "./hear.ts";
import type { ModelReader } from "../model-reader.ts";
import { groundOf } from "./model-run.ts";
import { readerOf } from "./reader.ts";
import { type Asking, isIgnored, openPass } from "./pass.ts";
import { heardIn } from "./progress.ts";

/** What a job would make of one source. */
export interface Foreseen {
  readonly entry: CatalogEntry;
  /** Messages it would hand to the extraction. */
  readonly heard: number;
  /** Of these, those that nobody has counted yet. */
  readonly typed: number;
  /** Messages of scripts it would pass over. */
  readonly headlessTyped: number;
  readonly requests: number;
  readonly inputTokens: number;
  readonly usd: number;
}

/** Tokens of a usual answer: a sentence or one call that writes a memory (five lines, a quote). */
export const ANSWER_TOKENS = 300;

/** The sources of a folder as a pass would find them, in any order. */
export async function estimateFolder(
  entries: readonly CatalogEntry[],
  request: ExtractRequest,
  deps: ExtractDeps,
): Promise<readonly Foreseen[]> {
  const remembered = { ...deps, seenOf: onceEach(deps.seenOf) };
  const found: Foreseen[] = [];
  for (const entry of entries.toSorted((a, b) => a.state.mtimeMs - b.state.mtimeMs)) {
    if (entry.project === undefined) continue;
    const pass = openPass(entry, entry.project, remembered);
    found.push(await foresee({ pass, request, deps: remembered }));
  }
  return found;
}

/** What is marked for one source counts for the next one; nothing of it is saved. */
function onceEach(seenOf: (projectId: ProjectId) => Seen): (projectId: ProjectId) => Seen {
  const opened = new Map<ProjectId, Seen>();
  return (projectId) => {
    const seen = opened.get(projectId) ?? seenOf(projectId);
    opened.set(projectId, seen);
    return seen;
  };
}

async function foresee(asking: Asking): Promise<Foreseen> {
  const { pass, request, deps } = asking;
  const { source, format, state } = pass.entry;
  const from = positionOf(state);
  const turns = readTurns({
    format,
    source,
    from,
    signal: request.signal,
    pause: deps.clock.yield,
    wantsLarge: () => readerOf(asking) !== undefined,
  });
  const costs: Cost[] = [];
  let isSilent = state.offRecord || isIgnored(pass.entry, deps);
  try {
    for await (const window of turns) {
      const reader = readerOf(asking);
      pass.readBy = reader === undefined ? "rules" : "model";
      const hearing = hear(window, asking);
      pass.headlessTyped += hearing.headless;
      if (reader !== undefined && hearing.fresh.size > 0 && !isSilent) {
        const { pieces, fixedTokens } = cut(hearing, { ...asking, reader, task: groundOf(asking).task });
        costs.push(...pieces.map((piece) => costOf(fixedTokens + piece.window.tokens, reader)));
      }
      markHeard(pass, hearing);
      isSilent ||= hearing.silenced;
    }
  } catch (error) {
    // The pass itself finds it gone and says so.
    if (systemCode(error) !== "source-gone") throw error;
  }
  const { entry, typed, headlessTyped } = pass;
  return { entry, heard: heardIn(pass), typed, headlessTyped, ...sumOf(costs) };
}

type Cost = Pick<Foreseen, "requests" | "inputTokens" | "usd">;

function costOf(inputTokens: number, { usdOf }: ModelReader): Cost {
  // The full price: how much of it a cache gives back depends on how soon the requests follow each other.
  const usage = { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: ANSWER_TOKENS };
  return { requests: 1, inputTokens, usd: usdOf(usage) ?? 0 };
}

/** Of several costs together. */
export function sumOf(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (sum, cost) => ({
      requests: sum.requests + cost.requests,
      inputTokens: sum.inputTokens + cost.inputTokens,
      usd: sum.usd + cost.usd,
    }),
    { requests: 0, inputTokens: 0, usd: 0 },
  );
}
