// One HTTP request through the provider's SDK, the only importer of it; loaded with the first request. The SDK
// decides nothing here: no key, address, header, retry or log of its own, whatever the environment says.
import type { ClientOptions } from "@anthropic-ai/sdk";
import { MODEL_LIMITS } from "../../../domain/limits.ts";
import { modelFailure } from "../failure.ts";

export interface OpenOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Called with every piece of the answer, pings too. */
  readonly heard: () => void;
}

export interface OpenedStream {
  readonly events: AsyncIterable<unknown>;
  /** Whether the answer says that it is a stream of events; a web page does not. */
  readonly isEventStream: boolean;
}

/** The protocol version `answer.ts` is written for. */
const API_VERSION = "2026-10-21";
const PATH = "/v1/messages";
/** Bytes of one answer read: each short piece of text comes in an event of about 150 bytes. */
const ANSWER_BYTES_MAX = 16 * MODEL_LIMITS.answerCharsMax;
/** Bytes of an error answer read; the API's own are below 1 KiB. */
const ERROR_BYTES_MAX = 65_536;

const STATUS_MAX = 599;

const silent = () => undefined;
const NO_LOG = { error: silent, warn: silent, info: silent, debug: silent } as const;

/** Rejects with whatever the SDK throws; `failures.ts` names it. */
export async function openStream({ baseUrl, key, body, signal, heard }: OpenOptions): Promise<OpenedStream> {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  let isEventStream = false;
  const sdk = new Anthropic({
    apiKey: key,
    baseURL: baseUrl,
    webhookKey: null,
    maxRetries: 0,
    timeout: MODEL_LIMITS.requestMs,
    logLevel: "off",
    logger: NO_LOG,
    openTelemetry: false,
    async fetch(url, init) {
      const response = await send(url, { key, body: init?.body, signal: init?.signal });
      heard();
      isEventStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
      return observed(response, heard);
    },
  });
  // Not `messages.create`: that prints a warning for models near their end, whatever the log level.
  const events = await sdk.post<AsyncIterable<unknown>>(PATH, { body, stream: true, signal });
  return { events, isEventStream };
}

type Fetch = NonNullable<ClientOptions["fetch"]>;
type Init = NonNullable<Parameters<Fetch>[1]>;

interface Sent {
  readonly key: string;
  readonly body: Init["body"] | undefined;
  readonly signal: Init["signal"] | undefined;
}

/** Headers are made anew: the SDK's may hold what ANTHROPIC_CUSTOM_HEADERS says, another key included. */
function send(url: Parameters<Fetch>[0], { key, body, signal }: Sent): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      accept: "text/event-stream",
      "anthropic-version": API_VERSION,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "user-agent": "engramd",
    },
    body: body ?? null,
    signal: signal ?? null,
    // A redirect would carry the words to a host nobody allowed.
    redirect: "manual",
  });
}

/** The same answer, bounded, and heard piece by piece: the SDK itself swallows pings. */
function observed(response: Response, heard: () => void): Response {
  const { status, statusText, headers, ok } = response;
  // No answer can be made with it, and no server of this API sends it.
  if (status > STATUS_MAX) throw modelFailure("model-answer-unusable", { detail: `the status is ${status}` });
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      heard();
      bytes += piece.byteLength;
      if (bytes <= (ok ? ANSWER_BYTES_MAX : ERROR_BYTES_MAX)) controller.enqueue(piece);
      else controller.terminate();
    },
  });
  return new Response(response.body?.pipeThrough(counted) ?? null, { status, statusText, headers });
}
