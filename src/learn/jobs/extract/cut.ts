// What of a stretch a model would be asked, request by request: the same for a job and for an estimate of one. Sends
// nothing, marks nothing.
import { estimateTokens } from "../../../domain/tokens.ts";
import type { Hearing } from "./hear.ts";
import type { ModelReader } from "../model-reader.ts";
import type { Asking } from "./pass.ts";
import { type Piece, piecesOf, pieceTokens } from "./pieces.ts";
import { PREFIX } from "./prefix.ts";

export interface Cut {
  /** One request each, when the model has nothing to look up or to write. */
  readonly pieces: readonly Piece[];
  /** Input tokens of each request beside the piece: system text, tools, list of memories. */
  readonly fixedTokens: number;
}

export interface Cutting extends Asking {
  readonly reader: ModelReader;
  /** `Ground.task` */
  readonly task: string;
  /** How often a piece turned out to be longer than the model reads. Default 0. */
  readonly halvings?: number;
}

export function cut({ fresh, open }: Hearing, cutting: Cutting): Cut {
  const { deps, reader, task, halvings = 0 } = cutting;
  const fixedTokens = PREFIX.size.tokens + estimateTokens(task);
  const pieces = piecesOf({
    ...open,
    isFresh: (recordId) => fresh.has(recordId),
    now: deps.clock.now(),
    timeZone: deps.clock.timeZone(),
    tokensMax: Math.floor(
      pieceTokens({ maxInputTokens: reader.inputTokensMax, fixedTokens }) / 2 ** halvings,
    ),
  });
  return { pieces, fixedTokens };
}
