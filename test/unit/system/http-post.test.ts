// One POST over real sockets: what is sent, what comes back, and that nothing stays open.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type HttpAnswer, httpPost } from "../../../src/system/http-post.ts";
import { checkLeaks } from "../../helpers/leak-check.ts";

checkLeaks();
const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.splice(0)) await one();
});

const NEVER = new AbortController().signal;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  close.push(() => new Promise((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  const port = await listen(server);
  close.unshift(async () => server.closeAllConnections());
  return `http://127.0.0.1:${port}`;
}

function post(url: string, given: { body?: string; signal?: AbortSignal } = {}): Promise<HttpAnswer> {
  return httpPost({ url, headers: { "x-word": "said" }, body: "", signal: NEVER, ...given });
}

async function read({ pieces }: HttpAnswer): Promise<string> {
  let text = "";
  for (;;) {
    const { done, value } = await pieces.next();
    if (done === true) return text;
    text += value.toString();
  }
}

describe("a request", () => {
  it("carries its headers, its length and its words, and nothing else of ours", async () => {
    let seen: IncomingMessage["headers"] = {};
    let words = "";
    const url = await serve((request, response) => {
      seen = request.headers;
      request.on("data", (piece: Buffer) => void (words += piece.toString()));
      request.on("end", () => response.end());
    });

    await read(await post(`${url}/path`, { body: "grüße" }));

    expect(words).toBe("grüße");
    const { host: _, ...headers } = seen;
    expect(headers).toEqual({ "x-word": "said", "content-length": "7", connection: "keep-alive" });
  });

  it("rejects with the system's code when nobody answers, and when the address is none", async () => {
    const port = await listen(createTcpServer());
    await close.pop()?.();

    await expect(post(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await expect(post("nowhere")).rejects.toMatchObject({ code: "ERR_INVALID_URL" });
    await expect(post("ftp://127.0.0.1")).rejects.toMatchObject({ code: "ERR_INVALID_PROTOCOL" });
  });

  it("to an https address says nothing before the other side has proved who it is", async () => {
    let first = Buffer.alloc(0);
    const port = await listen(
      createTcpServer((socket) => {
        socket.once("data", (piece) => {
          first = piece;
          socket.end("no");
        });
      }),
    );

    await expect(post(`https://127.0.0.1:${port}`, { body: "words" })).rejects.toThrow();

    /** The record type of a TLS handshake. */
    expect(first[0]).toBe(0x16);
    expect(first.includes("words")).toBe(false);
  });
});

describe("an answer", () => {
  it("comes piece by piece, with its status and headers", async () => {
    const next: (() => void)[] = [];
    const url = await serve((_, response) => {
      response.writeHead(418, { "x-kind": "tea", "set-cookie": ["a", "b"] });
      response.write("one");
      next.push(() => response.end("two"));
    });

    const { status, headers, pieces } = await post(url);
    const one = await pieces.next();
    next[0]?.();
    const two = await pieces.next();

    expect({ status, kind: headers["x-kind"], cookies: headers["set-cookie"] }).toEqual({
      status: 418,
      kind: "tea",
      cookies: undefined,
    });
    expect([one, two].map(({ value }) => String(value))).toEqual(["one", "two"]);
    expect(await pieces.next()).toMatchObject({ done: true });
  });

  it("that leads elsewhere is not followed", async () => {
    let asked = 0;
    const other = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(307, { location: other }).end("moved"));

    const answer = await post(url);

    expect(answer.status).toBe(307);
    expect(await read(answer)).toBe("moved");
    expect(asked).toBe(0);
  });

  it("that breaks off rejects", async () => {
    const url = await serve((_, response) => {
      response.write("half", () => response.destroy());
    });

    await expect(read(await post(url))).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it.each([
    ["closed", (answer: HttpAnswer) => answer.close()],
    ["aborted", (_: HttpAnswer, abort: AbortController) => abort.abort()],
  ])("that is %s before its end frees its connection", async (_, end) => {
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      void serve((request, response) => {
        request.socket.on("close", () => resolve());
        response.write("endless");
      }).then(async (url) => end(await post(url, { signal: abort.signal }), abort));
    });

    await closed;
  });

  it("that never begins ends with its signal", async () => {
    const abort = new AbortController();
    const url = await serve(() => abort.abort());

    await expect(post(url, { signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});
