// A scriptable server that speaks the Messages API on the loopback interface, for clients in this process or any
// other. Refuses what the real API refuses, counts tokens and caches prefixes as it does, never keeps a key.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createPromptCache } from "./model-stub-cache.ts";
import type { PromptCache, StubUsage } from "./model-stub-cache.ts";
import { whyRefused } from "./model-stub-rules.ts";

export interface StubCall {
  readonly tool: string;
  readonly input?: unknown;
  /** Arguments as they are sent, instead of `input`: torn or no JSON at all. */
  readonly json?: string;
  readonly id?: string;
}

/** One answer. Texts and calls come in the order given. */
export interface StubReply {
  readonly blocks?: readonly (string | StubCall)[];
  /** Stop reason; default `tool_use` after a call, else `end_turn`. */
  readonly stop?: string;
  readonly usage?: Partial<StubUsage>;
  /** An error answer, or with status 200 an error event in the stream. */
  readonly error?: { readonly type: string; readonly message?: string };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body of another kind, instead of all of the above. */
  readonly raw?: { readonly type: string; readonly body: string };
  /** Events sent instead of those made from `blocks`. */
  readonly events?: readonly StubEvent[];
  /** Real time before anything is sent. */
  readonly delayMs?: number;
  /** Nothing is sent before this is over. */
  readonly after?: Promise<unknown>;
  /** After this many characters of the stream nothing more comes. */
  readonly hangAfter?: number;
  /** After this many characters of the stream the connection is cut. */
  readonly cutAfter?: number;
}

export type StubEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface StubRequest {
  readonly path: string;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Without `authorization` and `x-api-key`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly key: "present" | "absent";
  /** How the key was sent, `bearer` or `x-api-key`. */
  readonly keyKind: "bearer" | "x-api-key" | undefined;
  /** How it ended: all of it sent, cut by us, or closed by the client before its end. */
  readonly ended: Promise<"sent" | "cut" | "closed">;
}

export interface ModelStub {
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly StubRequest[];
  /** Answers of the next requests, in order; a function makes its answer from the request. */
  reply(...replies: readonly (StubReply | ((request: StubRequest) => StubReply))[]): void;
  /** The answer when no other is left; without it that is an error of status 500. */
  otherwise(reply: StubReply | ((request: StubRequest) => StubReply)): void;
  /** The request with this number (0 is the first), past or future. */
  request(at: number): Promise<StubRequest>;
  /** Sends an event on every stream that hangs. */
  push(event: StubEvent): void;
  close(): Promise<void>;
}

type Reply = StubReply | ((request: StubRequest) => StubReply);

const PATH = "/v1/messages";
const NO_ANSWER_LEFT = "the stub has no answer left";

export async function startModelStub(): Promise<ModelStub> {
  const cache = createPromptCache();
  const requests: StubRequest[] = [];
  const waiting = new Set<() => void>();
  const replies: Reply[] = [];
  const hanging = new Set<ServerResponse>();
  let fallback: Reply = { status: 500, error: { type: "api_error", message: NO_ANSWER_LEFT } };

  const server = createServer((incoming, response) => {
    // Whether anybody is there is no question to a model.
    if (incoming.method === "HEAD") return void response.end();
    const ended = endOf(response);
    void readBody(incoming).then((text) => {
      const request = record(incoming, { text, ended });
      requests.push(request);
      for (const wake of waiting) wake();
      const reply = refusalOf(request) ?? made(replies.shift() ?? fallback, request);
      const answer = () => send(response, { reply, request, cache, hanging });
      if (reply.after !== undefined) void reply.after.then(answer);
      else if (reply.delayMs === undefined) answer();
      else setTimeout(answer, reply.delayMs).unref();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    reply: (...more) => void replies.push(...more),
    otherwise: (reply) => void (fallback = reply),
    request: (at) =>
      new Promise((resolve) => {
        const look = () => {
          const request = requests[at];
          if (request === undefined) return;
          waiting.delete(look);
          resolve(request);
        };
        waiting.add(look);
        look();
      }),
    push(event) {
      for (const response of hanging) response.write(lineOf(event));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

type Ended = "sent" | "cut" | "closed";

/** Answers whose connection we cut ourselves. */
const CUT = new WeakSet<ServerResponse>();

function endOf(response: ServerResponse): Promise<Ended> {
  return new Promise((resolve) => {
    response.on("close", () => {
      resolve(response.writableFinished ? "sent" : CUT.has(response) ? "cut" : "closed");
    });
  });
}

interface Arrived {
  readonly text: string;
  readonly ended: Promise<Ended>;
}

function record(incoming: IncomingMessage, { text, ended }: Arrived): StubRequest {
  const { authorization, "x-api-key": apiKey, ...headers } = incoming.headers;
  const bearer = authorization?.startsWith("Bearer ") === true;
  const keyKind = bearer ? "bearer" : apiKey === undefined ? undefined : "x-api-key";
  return {
    path: incoming.url ?? "",
    body: parse(text),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    key: keyKind === undefined ? "absent" : "present",
    keyKind,
    ended,
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function made(reply: Reply, request: StubRequest): StubReply {
  return typeof reply === "function" ? reply(request) : reply;
}

function refusalOf({ path, key, body }: StubRequest): StubReply | undefined {
  if (path.split("?", 1)[0] !== PATH)
    return { status: 404, error: { type: "not_found_error", message: `no ${path}` } };
  if (key === "absent") return { status: 401, error: { type: "authentication_error", message: "no key" } };
  const why = whyRefused(body);
  return why === undefined
    ? undefined
    : { status: 400, error: { type: "invalid_request_error", message: why } };
}

interface Sending {
  readonly reply: StubReply;
  readonly request: StubRequest;
  readonly cache: PromptCache;
  readonly hanging: Set<ServerResponse>;
}

function send(response: ServerResponse, { reply, request, cache, hanging }: Sending): void {
  const { status = 200, raw, error, headers = {} } = reply;
  if (raw !== undefined) return whole(response, { status, type: raw.type, body: raw.body, headers });
  if (status !== 200) {
    const body = JSON.stringify({ type: "error", error: { message: "", ...error } });
    return whole(response, { status, type: "application/json", body, headers });
  }
  const usage = { ...cache.count(request.body), output_tokens: outputTokens(reply), ...reply.usage };
  const events = reply.events ?? eventsOf(reply, { usage, request });
  const stream = events.map(lineOf).join("");
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  if (reply.hangAfter !== undefined) {
    hanging.add(response);
    response.on("close", () => void hanging.delete(response));
    response.write(stream.slice(0, reply.hangAfter));
    return;
  }
  if (reply.cutAfter === undefined) return void response.end(stream);
  CUT.add(response);
  // Destroyed only once it is on its way, so that the client sees this much of it.
  response.write(stream.slice(0, reply.cutAfter), () => response.destroy());
}

interface Whole {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function whole(response: ServerResponse, { status, type, body, headers }: Whole): void {
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(body);
}

function lineOf(event: StubEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function outputTokens({ blocks = [] }: StubReply): number {
  return Math.ceil(JSON.stringify(blocks).length / 4);
}

interface Made {
  readonly usage: StubUsage;
  readonly request: StubRequest;
}

function eventsOf(reply: StubReply, { usage, request }: Made): StubEvent[] {
  const { blocks = [], error } = reply;
  const { model, messages } = request.body;
  // Ids are unique within a run: each turn of it has more messages than the one before.
  const turn = Array.isArray(messages) ? messages.length : 0;
  const { output_tokens: output, ...input } = usage;
  const message = { id: "msg_stub", type: "message", role: "assistant", content: [], model };
  const start: StubEvent = {
    type: "message_start",
    message: { ...message, usage: { ...input, output_tokens: 1 } },
  };
  const body = blocks.flatMap((block, index) => blockEvents(block, { index, id: `toolu_${turn}_${index}` }));
  if (error !== undefined) return [start, ...body, { type: "error", error: { message: "", ...error } }];
  const called = blocks.some((block) => typeof block !== "string");
  const stop = reply.stop ?? (called ? "tool_use" : "end_turn");
  return [
    start,
    { type: "ping" },
    ...body,
    {
      type: "message_delta",
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: output },
    },
    { type: "message_stop" },
  ];
}

/** Characters of one piece of text or arguments. */
const PIECE_CHARS = 40;

interface Place {
  readonly index: number;
  readonly id: string;
}

function blockEvents(block: string | StubCall, { index, id }: Place): StubEvent[] {
  const [start, text] =
    typeof block === "string"
      ? [{ type: "text", text: "" }, block]
      : [
          { type: "tool_use", id: block.id ?? id, name: block.tool, input: {} },
          block.json ?? JSON.stringify(block.input ?? {}),
        ];
  const deltas = piecesOf(text).map((piece) =>
    typeof block === "string"
      ? { type: "text_delta", text: piece }
      : { type: "input_json_delta", partial_json: piece },
  );
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / PIECE_CHARS) }, (_, at) =>
    text.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  );
}
