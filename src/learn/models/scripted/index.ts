// A client that answers what a test tells it. Never listed among the providers: no person can choose it.
import type { ModelClient, ModelRequest, ModelTurn } from "../../../domain/models.ts";

type Made = Partial<ModelTurn> | Error;
type Make = (request: ModelRequest, signal: AbortSignal) => Made | Promise<Made>;

/** A turn, an error to reject with, or a function of the request that makes one of them. */
export type ScriptedTurn = Made | Make;

export interface ScriptedClient extends ModelClient {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
}

const NO_USAGE = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } as const;

/** Answers the turns in order; a function given alone answers every request. Rejects once none is left. */
export function createScriptedClient(script: readonly ScriptedTurn[] | Make): ScriptedClient {
  const requests: ModelRequest[] = [];
  return {
    provider: "scripted",
    requests,
    async complete(request, signal) {
      signal.throwIfAborted();
      const turn = typeof script === "function" ? script : script[requests.length];
      requests.push(request);
      if (turn === undefined) throw new Error(`the script has no turn ${requests.length}`);
      const made = await beforeAbort(typeof turn === "function" ? turn(request, signal) : turn, signal);
      if (made instanceof Error) throw made;
      const calls = made.blocks?.some(({ kind }) => kind === "tool-call") === true;
      return { blocks: [], stop: calls ? "tools" : "done", usage: NO_USAGE, model: request.model, ...made };
    },
  };
}

function beforeAbort(made: Made | Promise<Made>, signal: AbortSignal): Promise<Made> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    Promise.resolve(made)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
