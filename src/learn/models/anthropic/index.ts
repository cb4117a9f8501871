// A model behind the Messages API: the vendor's own server or any other that speaks it. Sends one request and
// retries nothing; no error it rejects with holds a key or anything the server said.
import { JOB_LIMITS } from "../../../domain/limits.ts";
import type { ModelClient, ModelRequest, ModelTurn } from "../../../domain/models.ts";
import type { Clock } from "../../../system/clock.ts";
import { loadLate } from "../../../system/late-module.ts";
import { modelFailure } from "../failure.ts";
import type { KeySource } from "../key.ts";
import type { RequestWatch } from "../request-watch.ts";
import { startWatch } from "../request-watch.ts";
import type { AnswerProblem } from "./answer.ts";
import { createAnswer } from "./answer.ts";
import { toBody } from "./body.ts";
import { failureOf } from "./failures.ts";

export interface AnthropicClientOptions {
  /** The name the person chose: `anthropic` or `local`. */
  readonly provider: string;
  /** Without `/v1`. */
  readonly baseUrl: string;
  readonly keys: KeySource;
  /** Without a key nothing is sent, unless this is false. */
  readonly keyNeeded: boolean;
  readonly clock: Clock;
}

/** Sent where no key is needed: some servers want the header, whatever it says. */
const NO_KEY = "none";

/**
 * Make one for each job: the key is read with its first request and kept no longer than a job may last. A key that
 * is not accepted is forgotten at once.
 */
export function createAnthropicClient(options: AnthropicClientOptions): ModelClient {
  const { provider, baseUrl, clock } = options;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : "the address in baseUrl";
  const kept = keepKey(options);
  return {
    provider,
    async complete(request, signal) {
      signal.throwIfAborted();
      const watch = startWatch({ clock, signal });
      const progress = { answered: false };
      try {
        const key = await kept.read(watch.signal);
        const turn = await ask({ request, watch, progress, baseUrl, host, key });
        signal.throwIfAborted();
        return turn;
      } catch (error) {
        signal.throwIfAborted();
        const expired = watch.expired();
        if (expired !== undefined) {
          throw modelFailure("model-timeout", { detail: `${host}, ${EXPIRED[expired]}` });
        }
        const failure = failureOf(error, { host, now: clock.now(), answered: progress.answered });
        if (failure.code === "model-key-rejected") kept.forget();
        throw failure;
      } finally {
        watch.stop();
      }
    },
  };
}

const EXPIRED = {
  silence: "nothing came for too long",
  "whole-request": "the answer was not finished in time",
} as const;

const PROBLEMS: Readonly<Record<AnswerProblem, string>> = {
  "too-large": "the answer is far larger than was asked for",
  malformed: "an event is not in the format",
};

interface Ask {
  readonly request: ModelRequest;
  readonly watch: RequestWatch;
  readonly progress: { answered: boolean };
  readonly baseUrl: string;
  readonly host: string;
  readonly key: string;
}

async function ask({ request, watch, progress, baseUrl, host, key }: Ask): Promise<ModelTurn> {
  const { signal, heard } = watch;
  // With it the SDK comes into memory.
  const { openStream } = await loadLate(() => import("./connection.ts"));
  const stream = await openStream({ baseUrl, key, body: toBody(request), signal, heard });
  progress.answered = true;
  if (!stream.isEventStream) {
    throw modelFailure("model-answer-unusable", { detail: `${host} did not answer with a stream of events` });
  }
  const answer = createAnswer();
  try {
    for await (const event of stream.events) {
      const problem = answer.take(event);
      if (problem !== undefined) {
        throw modelFailure("model-answer-unusable", { detail: `${host}, ${PROBLEMS[problem]}` });
      }
    }
  } catch (error) {
    // What a connection does after the whole answer has arrived changes nothing.
    if (answer.turn() === undefined) throw error;
  }
  const turn = answer.turn();
  if (turn !== undefined) return turn;
  // The SDK ends an aborted stream without an error.
  signal.throwIfAborted();
  throw modelFailure("model-stream-cut", { detail: host });
}

interface KeptKey {
  read(signal: AbortSignal): Promise<string>;
  forget(): void;
}

function keepKey({ keys, keyNeeded, clock, provider }: AnthropicClientOptions): KeptKey {
  let kept: { readonly value: string; readonly atMs: number } | undefined;
  return {
    async read(signal) {
      if (kept !== undefined && clock.monotonicMs() - kept.atMs < JOB_LIMITS.jobMs) return kept.value;
      const found = await keys.read(signal);
      if (found === undefined && keyNeeded) throw modelFailure("model-key-missing", { detail: provider });
      kept = { value: found?.value ?? NO_KEY, atMs: clock.monotonicMs() };
      return kept.value;
    },
    forget: () => void (kept = undefined),
  };
}
