// The stub refuses what the real API refuses, and never keeps a key.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelStub } from "./model-stub.ts";
import { startModelStub } from "./model-stub.ts";

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["ok"] });
});
afterEach(() => stub.close());

const KEY = "key-of-a-test";
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const good = { model: "m", max_tokens: 9, stream: true, messages: [user("hello")] };
const mark = { cache_control: { type: "ephemeral" } };
const call = { type: "tool_use", id: "a", name: "save", input: {} };
const result = { type: "tool_result", tool_use_id: "a", content: "" };

function post(body: unknown, path = "/v1/messages", headers: Record<string, string> = { "x-api-key": KEY }) {
  return fetch(`${stub.url}${path}`, { method: "POST", body: JSON.stringify(body), headers });
}

describe("the stub", () => {
  it("answers a good request as a stream of events and keeps it without its key", async () => {
    const answer = await post(good);

    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/^event: message_start\n[^]*event: message_stop\ndata: .*\n\n$/);
    expect(stub.requests).toMatchObject([{ key: "present", body: good }]);
    expect(JSON.stringify(stub.requests)).not.toContain(KEY);
  });

  it.each<[string, unknown]>([
    ["no model", { ...good, model: "" }],
    ["no limit", { ...good, max_tokens: 0 }],
    ["no streaming", { ...good, stream: false }],
    ["no message", { ...good, messages: [] }],
    ["an empty message", { ...good, messages: [user([])] }],
    ["empty text", { ...good, messages: [user("")] }],
    ["an answer first", { ...good, messages: [assistant("x")] }],
    ["five marks", { ...good, messages: [user(Array(5).fill({ type: "text", text: "x", ...mark }))] }],
    ["a call without its result", { ...good, messages: [user("x"), assistant([call]), user("y")] }],
    ["a result without its call", { ...good, messages: [user([result])] }],
    ["a tool without a name", { ...good, tools: [{ input_schema: {} }] }],
    ["half a surrogate pair", { ...good, messages: [user("\ud83d")] }],
  ])("refuses a request with %s", async (_title, body) => {
    expect((await post(body)).status).toBe(400);
  });

  it("takes a call with its result, and emoji", async () => {
    const messages = [user("🙂 \\ud83d"), assistant([call]), user([result])];

    expect((await post({ ...good, messages })).status).toBe(200);
  });

  it("refuses a request without a key and an unknown address", async () => {
    expect((await post(good, "/v1/messages", {})).status).toBe(401);
    expect((await post(good, "/v2/messages")).status).toBe(404);
  });

  it("says so when no answer is left", async () => {
    stub.otherwise({ status: 503 });
    stub.reply({ blocks: ["one"] });

    expect((await post(good)).status).toBe(200);
    expect((await post(good)).status).toBe(503);
  });
});
