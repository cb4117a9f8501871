// One HTTP request through the provider's SDK, the only importer of it; loaded with the first request. The SDK
// decides nothing here: no key, address, header, retry or log of its own, whatever the environment says.
import { BaseAnthropic } from "@anthropic-ai/sdk";
import { MODEL_LIMITS } from "../../../domain/limits.ts";
import { withoutOwnValues } from "../../../memory/secrets/own-values.ts";
import { type HttpAnswer, httpPost } from "../../../system/http-post.ts";
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

/** Statuses an answer object cannot be made with; no server of this API sends them. */
const STATUS_MIN = 200;
const STATUS_MAX = 599;
const ERROR_STATUS_MIN = 300;
/** Answers with these have no body, by definition. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const silent = () => undefined;
const NO_LOG = { error: silent, warn: silent, info: silent, debug: silent } as const;

/** Rejects with whatever the SDK throws; `failures.ts` names it. */
export async function openStream({ baseUrl, key, body, signal, heard }: OpenOptions): Promise<OpenedStream> {
  let isEventStream = false;
  // Without the API's resources (`Anthropic`), which cost a fifth of a request to make and 1 MB of code.
  const sdk = new BaseAnthropic({
    apiKey: key,
    baseURL: baseUrl,
    webhookKey: null,
    maxRetries: 0,
    timeout: MODEL_LIMITS.requestMs,
    logLevel: "off",
    logger: NO_LOG,
    openTelemetry: false,
    async fetch(url, init) {
      const { body: text, signal: over } = init ?? {};
      if (typeof url !== "string" || typeof text !== "string" || !over)
        throw new TypeError("no text to send");
      const answer = await httpPost({
        url,
        headers: headersFor(key),
        // Whoever typed the key: it goes into the header only.
        body: withoutOwnValues(text),
        signal: over,
      });
      heard();
      isEventStream = saysEvents(answer);
      return observed({ answer, isEventStream }, heard);
    },
  });
  withoutWebHeaders(sdk);
  // Not `messages.create`: that prints a warning for models near their end, whatever the log level.
  const events = await sdk.post<AsyncIterable<unknown>>(PATH, { body, stream: true, signal });
  return { events, isEventStream };
}

/**
 * The SDK's two steps that make a `Headers`, in our words. Node loads the whole of `fetch` with its first one: 10 MB
 * of memory, kept as long as the process lives (measured). Ours are sent instead of the SDK's anyway.
 */
function withoutWebHeaders(sdk: BaseAnthropic): void {
  const fetchWithTimeout = sdk.fetchWithTimeout.bind(sdk);
  Object.assign(sdk, {
    async buildRequest({ method, path, body, signal }: Parameters<BaseAnthropic["buildRequest"]>[0]) {
      const req = { method, body: JSON.stringify(body), signal };
      return { req, url: sdk.buildURL(path, null), timeout: sdk.timeout };
    },
    // Without the request's options it hands on what it was given.
    fetchWithTimeout: (...[url, init, ms, over]: Parameters<typeof fetchWithTimeout>) =>
      fetchWithTimeout(url, init, ms, over),
  });
}

/** Made anew: the SDK's may hold what ANTHROPIC_CUSTOM_HEADERS says, another key included. */
function headersFor(key: string): Readonly<Record<string, string>> {
  return {
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "anthropic-version": API_VERSION,
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "user-agent": "engramd",
  };
}

interface Answered {
  readonly answer: HttpAnswer;
  readonly isEventStream: boolean;
}

function saysEvents({ headers }: HttpAnswer): boolean {
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
  return isPlain && headers["content-type"]?.includes("text/event-stream") === true;
}

/**
 * The same answer, bounded, and heard piece by piece: the SDK itself swallows pings. Only what the SDK reads of a
 * `Response`: a real one loads the whole of `fetch` as well.
 */
function observed({ answer, isEventStream }: Answered, heard: () => void): Response {
  const { status, headers, pieces, close } = answer;
  const isError = status >= ERROR_STATUS_MIN;
  if (status < STATUS_MIN || status > STATUS_MAX) {
    close();
    throw modelFailure("model-answer-unusable", { detail: `the status is ${status}` });
  }
  const isRead = !WITHOUT_BODY.has(status) && (isError || isEventStream);
  if (!isRead) close();
  const bytesMax = isError ? ERROR_BYTES_MAX : ANSWER_BYTES_MAX;
  const body = isRead ? bounded({ pieces, close, bytesMax }, heard) : undefined;
  const known = {
    status,
    ok: !isError,
    headers: new Map(Object.entries(headers)),
    body,
    text: () => textOf(body),
  };
  return known as unknown as Response;
}

interface Pieces extends Pick<HttpAnswer, "pieces" | "close"> {
  readonly bytesMax: number;
}

/** Nothing is read ahead: what nobody asks for stays in the connection. */
async function* bounded({ pieces, close, bytesMax }: Pieces, heard: () => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for (;;) {
      const { done, value: piece } = await pieces.next();
      if (done === true) return;
      heard();
      bytes += piece.byteLength;
      if (bytes > bytesMax) return;
      yield piece;
    }
  } finally {
    close();
  }
}

async function textOf(body: AsyncIterable<Buffer> | undefined): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
