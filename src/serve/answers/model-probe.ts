// One question to a server of the person's own before it is chosen: does anybody answer, does a tool call come back, and
// does it read a long prompt from its start. Holds nothing of the person's; records nothing.
import type { ModelTarget } from "../../config/provider.ts";
import { AppError } from "../../domain/errors.ts";
import type { ModelClient, ModelRequest } from "../../domain/models.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import type { Clock } from "../../system/clock.ts";
import { answersHttp } from "../../system/http-post.ts";

/** Longest prompt tried, whatever a job may send: a piece of a session with its frame (`PIECE_TOKENS_MAX`). */
const PROMPT_TOKENS_MAX = 32_000;
/** Room for one call, and for a model that thinks aloud before it. */
const ANSWER_TOKENS = 2_048;
const TOOL = "report";

export interface Probe {
  readonly client: ModelClient;
  readonly model: string;
  /** A word nobody can guess. */
  readonly marker: string;
  /**
   * As much as the largest request of a job holds. Servers whose context is shorter often drop the beginning and say
   * nothing.
   */
  readonly promptTokens: number;
}

/** Whatever a server has to do, it says something by then. */
const SIGN_MS = 15_000;

/** Rejects with `probe-silent` where somebody takes the connection and says nothing. */
export async function assertAnswers(
  { baseUrl, host }: Pick<ModelTarget, "baseUrl" | "host">,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const timer = clock.setTimer(SIGN_MS, () => over.abort());
  try {
    await answersHttp(baseUrl, AbortSignal.any([signal, over.signal]));
  } catch {
    signal.throwIfAborted();
    // Whatever else is wrong with it, the question that follows says better.
    if (!over.signal.aborted) return;
    throw new AppError({
      code: "probe-silent",
      message: `${host} takes connections and has not said a word for ${SIGN_MS / 1_000} s`,
      fix: "look whether the server hangs or something else listens there, and check --base-url",
    });
  } finally {
    timer.cancel();
  }
}

/** Resolves when the server can be used; the rejection says why not. */
export async function probeServer(probe: Probe, signal: AbortSignal): Promise<void> {
  const { client, model, marker } = probe;
  const tokens = Math.min(probe.promptTokens, PROMPT_TOKENS_MAX);
  const turn = await client.complete(requestFor(probe, tokens), signal);
  const call = turn.blocks.find((block) => block.kind === "tool-call");
  if (call?.kind !== "tool-call" || call.tool !== TOOL || call.input === undefined) {
    throw new AppError({
      code: "probe-no-tool-call",
      message: `the server answered without the tool call that was asked for (model ${model})`,
      fix: "choose a model that can call tools: --model ID",
    });
  }
  if (call.input["word"] !== marker) {
    throw new AppError({
      code: "probe-context-cut",
      message: `the server did not know the first line of a prompt of ${tokens} tokens: it cuts what is long and does not say so`,
      fix: `give the model a context of more than ${tokens} tokens on the server, or lower extract.maxInputTokens`,
    });
  }
}

function requestFor({ model, marker }: Probe, tokens: number): ModelRequest {
  return {
    model,
    system: "You answer with one tool call and nothing else.",
    tools: [
      {
        name: TOOL,
        description: "Reports the word from the first line.",
        inputSchema: {
          type: "object",
          properties: { word: { type: "string" } },
          required: ["word"],
        },
      },
    ],
    messages: [{ role: "user", blocks: [{ kind: "text", text: longText(marker, tokens) }] }],
    outputTokensMax: ANSWER_TOKENS,
  };
}

function longText(marker: string, tokensMin: number): string {
  const lines = [`The word is ${marker}.`];
  for (let tokens = 0, at = 2; tokens < tokensMin; at++) {
    const line = `Line ${at} says nothing of importance.`;
    tokens += estimateTokens(`${line}\n`);
    lines.push(line);
  }
  return [...lines, `Call the tool ${TOOL} with the word from the first line.`].join("\n");
}
