// Learns from a stretch by a model, piece by piece: one run a piece, its accepted proposals committed, the cursor moved.
// A run that breaks leaves nothing; what earlier pieces taught stays.
import { estimateTokens } from "../../../domain/tokens.ts";
import { MEMORY_TOOLS } from "../../runs/tools/registry.ts";
import { type Hearing, markHeard } from "./hear.ts";
import { folderFacts, learnPiece, type ModelLearning, taskText } from "./model-run.ts";
import { piecesOf, pieceTokens } from "./pieces.ts";
import { advance, saveCount } from "./progress.ts";
import { systemPrompt } from "./prompt.ts";

/** `job-full`: the job's tokens are used up; `over-budget`: a ceiling is reached. What is left stays unread. */
export type ModelPass = "done" | "job-full" | "over-budget";

/** Every request holds this much beside the task: the system text and the tools. */
const PREFIX_TOKENS = estimateTokens(systemPrompt() + JSON.stringify(MEMORY_TOOLS.map(({ spec }) => spec)));

export async function learnByModel(hearing: Hearing, learning: ModelLearning): Promise<ModelPass> {
  const { pass, request, deps, reader } = learning;
  const { fresh, open } = hearing;
  let folder = folderFacts(learning);
  const listTokens = estimateTokens(taskText(learning, { folder, text: "" }));
  const fixedTokens = PREFIX_TOKENS + listTokens;
  const pieces = piecesOf({
    ...open,
    isFresh: (recordId) => fresh.has(recordId),
    now: deps.clock.now(),
    timeZone: deps.clock.timeZone(),
    tokensMax: pieceTokens({ maxInputTokens: reader.inputTokensMax, fixedTokens }),
  });
  let mayStop = true;
  for (const piece of pieces) {
    request.signal.throwIfAborted();
    if (mayStop && !hasRoom(fixedTokens + piece.window.tokens, learning)) return "job-full";
    if (deps.exhausted(learning.cost.sum()) !== undefined) return "over-budget";
    const isChanged = await learnPiece(piece, folder, learning);
    if (isChanged) folder = folderFacts(learning);
    // Where the cursor cannot stand, stopping would read the same again in the next job.
    mayStop = piece.endOffset !== undefined;
    if (piece.endOffset === undefined) continue;
    markHeard(pass, hearing, piece.endOffset);
    saveCount(pass, deps.catalog);
    const cursor = pass.entry.format.cursorAt(pass.entry.source, piece.endOffset);
    if (cursor !== undefined) advance(pass, cursor, deps.catalog);
  }
  return "done";
}

/** A run reads, then writes; a job begins one only where both requests fit, but its first in any case. */
function hasRoom(tokens: number, { cost, reader }: ModelLearning): boolean {
  const { requests, inputTokens } = cost.sum();
  return requests === 0 || inputTokens + 2 * tokens <= reader.inputTokensMax;
}
