// What goes wrong with a request, through the real SDK and real sockets: each failure has its name, nothing waits,
// nothing leaks and no error holds a key.
import { getEventListeners } from "node:events";
import { createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { AppError } from "../../../../src/domain/errors.ts";
import { JOB_LIMITS, MODEL_LIMITS } from "../../../../src/domain/limits.ts";
import { mayBeBilled, MODEL_FAILURES } from "../../../../src/learn/models/failure.ts";
import { checkLeaks } from "../../../helpers/leak-check.ts";
import type { StubReply } from "../../../helpers/model-stub.ts";
import { failureOf, KEY, until, useScenes } from "./client.ts";
import { ask, fixedKey, NEVER } from "./request.ts";

checkLeaks();
const openScene = useScenes();

async function failing(reply: StubReply): Promise<AppError> {
  const { stub, client } = await openScene();
  stub.reply(reply);
  const failure = await failureOf(client.complete(ask(), NEVER));
  expect(stub.requests).toHaveLength(1);
  expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(KEY);
  return failure;
}

const invalid = (message: string) => ({ type: "invalid_request_error", message });

describe("an error answer", () => {
  it.each<[number, StubReply["error"], string]>([
    [400, invalid("prompt is too long: 210000 tokens > 200000 maximum"), "model-too-long"],
    [400, invalid("This model's maximum context length is 8192 tokens"), "model-too-long"],
    [400, invalid("Your credit balance is too low to access the API"), "model-credit"],
    [400, invalid("max_tokens: field required"), "model-request-rejected"],
    [401, { type: "authentication_error" }, "model-key-rejected"],
    [402, { type: "billing_error" }, "model-credit"],
    [403, { type: "permission_error" }, "model-key-rejected"],
    [404, { type: "not_found_error", message: "model: claude-2" }, "model-not-found"],
    [408, undefined, "model-timeout"],
    [409, undefined, "model-server-error"],
    [413, { type: "request_too_large" }, "model-too-long"],
    [418, undefined, "model-request-rejected"],
    [422, undefined, "model-request-rejected"],
    [429, { type: "rate_limit_error" }, "model-rate-limited"],
    [500, { type: "api_error" }, "model-server-error"],
    [500, { type: "overloaded_error" }, "model-overloaded"],
    [503, undefined, "model-server-error"],
    [529, undefined, "model-overloaded"],
  ])("of status %i with %j is %s", async (status, error, code) => {
    const failure = await failing({ status, ...(error === undefined ? {} : { error }) });

    const { disposition, fix } = MODEL_FAILURES[code as keyof typeof MODEL_FAILURES];
    expect(failure).toMatchObject({ code, disposition, fix });
    expect(failure.cause).toBeUndefined();
    expect(failure.message).toMatch(new RegExp(`127\\.0\\.0\\.1:\\d+ answered ${status}`));
  });

  it.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{}, undefined],
    [{ "retry-after": "17" }, 17_000],
    [{ "retry-after-ms": "250.5", "retry-after": "17" }, 251],
    [{ "retry-after": "Mon, 04 May 2026 09:00:30 GMT" }, 30_000],
    [{ "retry-after": "Mon, 04 May 2020 09:00:30 GMT" }, undefined],
    [{ "retry-after": "99999999999999999999" }, MODEL_LIMITS.retryAfterMsMax],
    [{ "retry-after": "Mon, 04 May 2099 09:00:30 GMT" }, MODEL_LIMITS.retryAfterMsMax],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after-ms": "NaN" }, undefined],
  ])("with %j asks to wait %s ms", async (headers, expected) => {
    const failure = await failing({ status: 429, headers });

    expect(failure).toMatchObject({ code: "model-rate-limited", retryAfterMs: expected });
  });

  it("says itself whether another try makes sense", async () => {
    const header = "x-should-retry";

    expect((await failing({ status: 429, headers: { [header]: "false" } })).disposition).toBe("give-up");
    expect((await failing({ status: 400, headers: { [header]: "true" } })).disposition).toBe("retry");
    expect((await failing({ status: 400, headers: { [header]: "maybe" } })).disposition).toBe("give-up");
  });

  it.each<[string, StubReply]>([
    ["model-key-rejected", { status: 401, error: { type: "authentication_error" } }],
    ["model-key-rejected", { status: 403 }],
    ["model-credit", { status: 402 }],
    ["model-not-found", { status: 404, error: { type: "not_found_error" } }],
  ])(
    "that a person has to mend, %s, is tried again in a while, whatever the server says",
    async (code, reply) => {
      const asked = async (headers: Readonly<Record<string, string>>) => failing({ ...reply, headers });

      for (const headers of [{}, { "x-should-retry": "false" }, { "retry-after": "1" }]) {
        expect(await asked(headers)).toMatchObject({
          code,
          disposition: "retry",
          retryAfterMs: MODEL_LIMITS.mendMs,
        });
      }
      expect((await asked({ "retry-after": "1800" })).retryAfterMs).toBe(1_800_000);
    },
  );

  it("of many megabytes is not read to its end", async () => {
    const failure = await failing({
      status: 500,
      raw: { type: "application/json", body: JSON.stringify({ error: { message: "x".repeat(5_000_000) } }) },
    });

    expect(failure.code).toBe("model-server-error");
    expect(failure.message).not.toContain("xx");
  });
});

describe("an answer that is no stream of events", () => {
  it.each([{ "content-type": "text/html" }, { "content-encoding": "gzip" }])(
    "but %j is named, not read, and its connection closed",
    async (headers) => {
      const { stub, client } = await openScene();
      stub.reply({ blocks: ["never read"], headers, hangAfter: 100 });

      const failure = await failureOf(client.complete(ask(), NEVER));

      expect(failure.code).toBe("model-answer-unusable");
      expect(await stub.requests[0]?.ended).toBe("closed");
    },
  );

  it.each([
    [204, "model-stream-cut"],
    [205, "model-stream-cut"],
    [304, "model-answer-unusable"],
  ])("but of status %i, which has no body, is %s", async (status, code) => {
    expect((await failing({ status, raw: { type: "text/event-stream", body: "" } })).code).toBe(code);
  });
});

describe("an error inside a stream", () => {
  it.each([
    ["overloaded_error", "model-overloaded"],
    ["rate_limit_error", "model-rate-limited"],
    ["api_error", "model-server-error"],
    ["authentication_error", "model-key-rejected"],
    ["an_error_of_next_year", "model-server-error"],
  ])("of type %s is %s, whatever came before it", async (type, code) => {
    const failure = await failing({ blocks: ["half an answer"], error: { type, message: "sorry" } });

    expect(failure.code).toBe(code);
    const known = type.endsWith("year") ? "" : `, ${type}`;
    expect(failure.message).toMatch(new RegExp(`sent an error within the answer${known}\\)$`));
  });
});

describe("what a server says about the request", () => {
  /** What a person typed, and what no log may hold. */
  const WORDS = `prompt: Ada keeps the spare key under the geranium, code ${["41", "77"].join("")}`;
  const type = "invalid_request_error";
  const html = `<html><title>${WORDS}</title><body>billing? ${WORDS}</body></html>`;
  const event = (data: string) => ({ type: "text/event-stream", body: `event: error\ndata: ${data}\n\n` });

  it.each<[string, string, StubReply]>([
    ["in an error answer", "model-request-rejected", { status: 400, error: { type, message: WORDS } }],
    ["as its type", "model-server-error", { status: 500, error: { type: WORDS, message: WORDS } }],
    [
      "with a known phrase",
      "model-credit",
      { status: 400, error: { type, message: `credit balance ${WORDS}` } },
    ],
    ["with a length", "model-too-long", { status: 400, error: { type, message: `too long: ${WORDS}` } }],
    ["as text", "model-request-rejected", { status: 422, raw: { type: "text/plain", body: WORDS } }],
    [
      "as JSON of another kind",
      "model-request-rejected",
      {
        status: 400,
        raw: {
          type: "application/json",
          body: JSON.stringify({ detail: [WORDS], code: WORDS, error: WORDS }),
        },
      },
    ],
    [
      "in headers",
      "model-rate-limited",
      { status: 429, headers: { "retry-after": WORDS, "request-id": WORDS } },
    ],
    ["as the place to go to", "model-answer-unusable", { status: 302, headers: { location: `/${WORDS}` } }],
    ["as a web page", "model-server-error", { status: 502, raw: { type: "text/html", body: html } }],
    ["as a login page", "model-answer-unusable", { raw: { type: "text/html", body: html } }],
    [
      "in a stream",
      "model-overloaded",
      { blocks: ["x"], error: { type: "overloaded_error", message: WORDS } },
    ],
    ["as an unknown type in a stream", "model-server-error", { blocks: ["x"], error: { type: WORDS } }],
    ["as an error without a form", "model-server-error", { raw: event(JSON.stringify({ error: WORDS })) }],
    ["as an error that is no JSON", "model-stream-cut", { raw: event(`{"error": ${WORDS}`) }],
    [
      "as an event that is no JSON",
      "model-answer-unusable",
      { raw: { type: "text/event-stream", body: `event: message_start\ndata: {"x": ${WORDS}\n\n` } },
    ],
  ])("is found in nothing it rejects with: %s", async (_where, code, reply) => {
    const failure = await failing(reply);

    expect(failure.code).toBe(code);
    // The stub's port may hold any digits.
    const told = inspect(failure, { depth: 9, showHidden: true }).replaceAll(/127\.0\.0\.1:\d+/gu, "");
    expect(told).not.toMatch(/geranium|4177|prompt|Ada/u);
    expect(failure.message).toMatch(/127\.0\.0\.1:\d+/u);
  });

  it("is told by the API's own word for it, and by no other", async () => {
    const answered = async (word: string) => (await failing({ status: 500, error: { type: word } })).message;

    expect(await answered("api_error")).toMatch(/answered 500, api_error\)$/u);
    expect(await answered("geranium_error")).toMatch(/answered 500\)$/u);
  });

  it("decides nothing by a phrase that stands in what it quotes", async () => {
    const message = `messages.0: not accepted: "${"word ".repeat(50)} my credit balance, too long"`;

    expect((await failing({ status: 400, error: invalid(message) })).code).toBe("model-request-rejected");
    expect((await failing({ status: 400, error: invalid("the page billing.html") })).code).toBe(
      "model-request-rejected",
    );
  });
});

describe("a connection", () => {
  it.each([0, 60, 400, 700])("cut after %i characters never makes a short turn", async (cutAfter) => {
    const failure = await failing({ blocks: ["x".repeat(500)], cutAfter });

    expect(failure).toMatchObject({ code: "model-stream-cut", disposition: "retry" });
  });

  it("that ends properly before the answer does is a cut all the same", async () => {
    const failure = await failing({ events: [{ type: "message_start", message: {} }] });

    expect(failure.code).toBe("model-stream-cut");
  });

  it("cut right behind the whole answer has given that answer", async () => {
    const { stub, client } = await openScene();
    stub.reply({ blocks: ["whole"], cutAfter: 100_000 });

    expect((await client.complete(ask(), NEVER)).blocks).toEqual([{ kind: "text", text: "whole" }]);
    expect(await stub.requests[0]?.ended).toBe("cut");
  });

  it("that nobody takes is named with its reason", async () => {
    const { stub, client } = await openScene();
    await stub.close();

    const failure = await failureOf(client.complete(ask(), NEVER));

    expect(failure).toMatchObject({ code: "model-unreachable", disposition: "retry" });
    expect(failure.message).toContain(`${new URL(stub.url).host}, ECONNREFUSED`);
  });

  it("to a name that does not exist is named with its reason", async () => {
    const { client } = await openScene({ baseUrl: "http://no-such-host.invalid" });

    const failure = await failureOf(client.complete(ask(), NEVER));

    expect(failure.code).toBe("model-unreachable");
    expect(failure.message).toMatch(/no-such-host\.invalid, (?:ENOTFOUND|EAI_AGAIN)/);
  });

  it("to something that speaks another protocol is named", async () => {
    const server = createServer((socket) => socket.resume().end("220 mail ready\r\n"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { client } = await openScene({ baseUrl: `http://127.0.0.1:${port}` });

    const failure = await failureOf(client.complete(ask(), NEVER));
    await new Promise((resolve) => server.close(resolve));

    expect(failure.code).toBe("model-unreachable");
  });

  it("whose address is none is named", async () => {
    const { client } = await openScene({ baseUrl: "not an address" });

    expect((await failureOf(client.complete(ask(), NEVER))).code).toBe("model-unreachable");
  });
});

describe("a server that is silent", () => {
  it("before it answers is given up", async () => {
    const { stub, client, clock } = await openScene();
    stub.reply({ hangAfter: 0 });
    const failed = failureOf(client.complete(ask(), NEVER));
    const request = await stub.request(0);

    await clock.advance(MODEL_LIMITS.silenceMs);

    expect(await failed).toMatchObject({ code: "model-timeout", disposition: "retry" });
    expect((await failed).message).toContain("nothing came for too long");
    expect(await request.ended).toBe("closed");
  });

  it("in the middle of its answer is given up", async () => {
    const { stub, client, clock } = await openScene();
    stub.reply({ blocks: ["x".repeat(500)], hangAfter: 600 });
    const failed = failureOf(client.complete(ask(), NEVER));
    const request = await stub.request(0);

    await clock.advance(MODEL_LIMITS.silenceMs);

    expect((await failed).code).toBe("model-timeout");
    expect(await request.ended).toBe("closed");
  });

  it("but for pings is waited for, until the whole request has taken too long", async () => {
    const { stub, client, clock } = await openScene();
    stub.reply({ blocks: [], hangAfter: 0 });
    const failed = failureOf(client.complete(ask(), NEVER));
    await stub.request(0);
    for (let passed = 0; passed < 200_000; passed += 100_000) {
      await clock.advance(100_000);
      stub.push({ type: "ping" });
      await until(() => (clock.nextTimerIn() ?? 0) >= 100_000);
    }

    await clock.advance(100_000);

    expect((await failed).code).toBe("model-timeout");
    expect((await failed).message).toContain("not finished in time");
  });

  it("only after its whole answer has given that answer", async () => {
    const { stub, client, clock } = await openScene();
    stub.reply({ blocks: ["whole"], hangAfter: 100_000 });
    const turn = client.complete(ask(), NEVER);
    await stub.request(0);
    // A ping behind the answer: once it is heard, all of the answer has arrived.
    await clock.advance(1);
    stub.push({ type: "ping" });
    await until(() => clock.nextTimerIn() === MODEL_LIMITS.silenceMs);

    await clock.advance(MODEL_LIMITS.silenceMs);

    expect((await turn).blocks).toEqual([{ kind: "text", text: "whole" }]);
  });
});

describe("whether a failed request may be billed", () => {
  it.each<[boolean, string, StubReply]>([
    [true, "cut", { blocks: ["x".repeat(500)], cutAfter: 400 }],
    [true, "cut before its first word", { blocks: ["x"], cutAfter: 0 }],
    [true, "with an error in its stream", { blocks: ["half"], error: { type: "overloaded_error" } }],
    [true, "that a gateway did not wait for", { status: 504 }],
    [true, "with an answer nobody can read", { raw: { type: "text/event-stream", body: "data: {\n\n" } }],
    [false, "refused for overload", { status: 529 }],
    [false, "refused for its key", { status: 401 }],
    [false, "refused for its form", { status: 400, error: invalid("max_tokens: field required") }],
  ])("is %s for one %s", async (billed, _what, reply) => {
    expect(mayBeBilled(await failing(reply))).toBe(billed);
  });

  it("depends on whether the connection had been made", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { client } = await openScene({ baseUrl: `http://127.0.0.1:${port}` });

    const broken = await failureOf(client.complete(ask(), NEVER));
    await new Promise((resolve) => server.close(resolve));
    const refused = await failureOf(client.complete(ask(), NEVER));

    expect([broken.code, refused.code]).toEqual(["model-unreachable", "model-unreachable"]);
    expect([mayBeBilled(broken), mayBeBilled(refused)]).toEqual([true, false]);
  });
});

describe("an abort", () => {
  it.each([0, 600])(
    "after %i characters closes the connection and rejects with its reason",
    async (hangAfter) => {
      const { stub, client } = await openScene();
      const controller = new AbortController();
      const reason = new Error("the daemon stops");
      stub.reply({ blocks: ["x".repeat(500)], hangAfter });
      const answer = client.complete(ask(), controller.signal).catch((error: unknown) => error);
      const request = await stub.request(0);

      controller.abort(reason);

      expect(await answer).toBe(reason);
      expect(await request.ended).toBe("closed");
    },
  );

  it("that never comes leaves nothing on the signal, however many requests it was for", async () => {
    const { stub, client } = await openScene();
    const { signal } = new AbortController();
    stub.reply({ blocks: ["a"] }, { status: 500 }, { blocks: ["b"], cutAfter: 200 });

    await client.complete(ask(), signal);
    await failureOf(client.complete(ask(), signal));
    await failureOf(client.complete(ask(), signal));

    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("before the request sends nothing", async () => {
    const { stub, client } = await openScene();

    await expect(client.complete(ask(), AbortSignal.abort("gone"))).rejects.toBe("gone");

    expect(stub.requests).toEqual([]);
  });

  it("while the key is looked for sends nothing", async () => {
    const controller = new AbortController();
    const { stub, client } = await openScene({
      keys: {
        read(signal) {
          controller.abort("gone");
          return Promise.reject(signal.reason);
        },
      },
    });

    await expect(client.complete(ask(), controller.signal)).rejects.toBe("gone");

    expect(stub.requests).toEqual([]);
  });
});

describe("the key", () => {
  it("must be there before anything is sent", async () => {
    const { stub, client } = await openScene({ keys: fixedKey(undefined) });

    expect(await failureOf(client.complete(ask(), NEVER))).toMatchObject({
      code: "model-key-missing",
      disposition: "retry",
      retryAfterMs: MODEL_LIMITS.mendMs,
    });

    expect(stub.requests).toEqual([]);
  });

  it("is read once, and again after it was refused or a job's time has passed", async () => {
    let reads = 0;
    const { stub, client, clock } = await openScene({
      keys: {
        read: () => Promise.resolve({ value: `key-${++reads}`, from: "file" }),
      },
    });
    stub.reply({ blocks: [] }, { blocks: [] }, { status: 401 }, { blocks: [] }, { blocks: [] });

    await client.complete(ask(), NEVER);
    await client.complete(ask(), NEVER);
    expect(reads).toBe(1);

    await failureOf(client.complete(ask(), NEVER));
    await client.complete(ask(), NEVER);
    expect(reads).toBe(2);

    await clock.advance(JOB_LIMITS.jobMs);
    await client.complete(ask(), NEVER);
    expect(reads).toBe(3);
  });
});
