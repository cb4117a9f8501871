// A scriptable server on the loopback interface that the program of Codex takes for its own: model requests are answered in
// order, everything else is not there. Never keeps a key.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ResponsesReply {
  /** The text of the answer. */
  readonly text?: string;
  /** An item in the place of a text: a call of some tool. */
  readonly item?: Readonly<Record<string, unknown>>;
  /** Nothing more comes after the begin. */
  readonly hang?: boolean;
  /** An error answer. */
  readonly status?: number;
  readonly body?: object;
}

export interface ResponsesStub {
  readonly url: string;
  /** Model requests so far, parsed. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  /** Method and path of everything else that was asked. */
  readonly others: readonly string[];
  reply(...replies: readonly ResponsesReply[]): void;
  /** Resolves once a model request has come. */
  asked(): Promise<void>;
  close(): Promise<void>;
}

const USAGE = {
  input_tokens: 1_200,
  input_tokens_details: { cached_tokens: 200 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 1_250,
};

export async function startResponsesStub(): Promise<ResponsesStub> {
  const requests: Readonly<Record<string, unknown>>[] = [];
  const others: string[] = [];
  const replies: ResponsesReply[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      if (incoming.method !== "POST" || incoming.url !== "/responses") {
        others.push(`${incoming.method} ${incoming.url}`);
        return void response.writeHead(404).end("{}");
      }
      requests.push(JSON.parse(Buffer.concat(pieces).toString("utf8")) as Record<string, unknown>);
      for (const wake of waiting.splice(0)) wake();
      const reply = replies.shift() ?? { text: '{"calls":[]}' };
      if (reply.status !== undefined) {
        response.writeHead(reply.status, { "content-type": "application/json" });
        return void response.end(JSON.stringify(reply.body ?? {}));
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of eventsOf(reply))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (reply.hang !== true) response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    others,
    reply: (...more) => void replies.push(...more),
    asked: () =>
      requests.length > 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type StubEvent = Readonly<Record<string, unknown>> & { readonly type: string };

function eventsOf({ text = "", item, hang }: ResponsesReply): readonly StubEvent[] {
  const start = { type: "response.created", response: { id: "resp_1" } };
  if (hang === true) return [start];
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const output = [item ?? message];
  return [
    start,
    ...output.map((each) => ({ type: "response.output_item.done", output_index: 0, item: each })),
    { type: "response.completed", response: { id: "resp_1", status: "completed", output, usage: USAGE } },
  ];
}
