// The client through the real SDK and real sockets: what is sent, what is made of each answer.
import { describe, expect, it } from "vitest";
import type { ModelRequest, ModelTurn } from "../../../../src/domain/models.ts";
import { inputTokensOf } from "../../../../src/domain/models.ts";
import { checkLeaks } from "../../../helpers/leak-check.ts";
import type { StubReply } from "../../../helpers/model-stub.ts";
import { failureOf, useScenes } from "./client.ts";
import { ask, NEVER } from "./request.ts";

checkLeaks();
const openScene = useScenes();

async function answerTo(reply: StubReply): Promise<ModelTurn> {
  const { stub, client } = await openScene();
  stub.reply(reply);
  return client.complete(ask(), NEVER);
}

describe("an answer", () => {
  it("of text is the text, the model that gave it and what it cost", async () => {
    const turn = await answerTo({
      blocks: ["Tabs, not spaces. 🙂 Grüße"],
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 8,
        cache_read_input_tokens: 9,
        output_tokens: 10,
      },
    });

    expect(turn).toEqual({
      blocks: [{ kind: "text", text: "Tabs, not spaces. 🙂 Grüße" }],
      stop: "done",
      usage: { inputTokens: 7, cacheWriteTokens: 8, cacheReadTokens: 9, outputTokens: 10 },
      model: "claude-haiku-4-5",
    });
  });

  it("of two calls keeps both, with their arguments and ids", async () => {
    const turn = await answerTo({
      blocks: [
        "Two notes.",
        { tool: "save", input: { title: "a", tags: ["x", { y: 1 }] }, id: "one" },
        { tool: "save", input: { title: "„b“" }, id: "two" },
      ],
    });

    expect(turn.stop).toBe("tools");
    expect(turn.blocks).toEqual([
      { kind: "text", text: "Two notes." },
      { kind: "tool-call", id: "one", tool: "save", input: { title: "a", tags: ["x", { y: 1 }] } },
      { kind: "tool-call", id: "two", tool: "save", input: { title: "„b“" } },
    ]);
  });

  it.each([
    ["end_turn", "done"],
    ["stop_sequence", "done"],
    ["pause_turn", "done"],
    ["tool_use", "tools"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refused"],
    ["a reason of next year", "done"],
  ] as const)("that stopped for %s counts as %s", async (stop, expected) => {
    expect((await answerTo({ blocks: ["x"], stop })).stop).toBe(expected);
  });

  it("that stopped for an unknown reason after a call waits for its result", async () => {
    expect((await answerTo({ blocks: [{ tool: "save" }], stop: "a reason of next year" })).stop).toBe(
      "tools",
    );
  });

  it("cut inside a call keeps the whole call before it and says that the last one is torn", async () => {
    const turn = await answerTo({
      blocks: [
        { tool: "save", input: { title: "whole" } },
        { tool: "save", json: `{"title": "to` },
      ],
      stop: "max_tokens",
    });

    expect(turn.stop).toBe("length");
    expect(turn.blocks.map((block) => (block.kind === "tool-call" ? block.input : block))).toEqual([
      { title: "whole" },
      undefined,
    ]);
  });

  it("cut before the arguments of a call began does not make it a call without arguments", async () => {
    const cut = await answerTo({ blocks: [{ tool: "save", json: "" }], stop: "max_tokens" });
    const whole = await answerTo({ blocks: [{ tool: "save", json: "" }] });

    expect(cut.blocks).toMatchObject([{ tool: "save", input: undefined }]);
    expect(whole.blocks).toMatchObject([{ tool: "save", input: {} }]);
  });

  it.each([
    ["no JSON", `{"title": }`],
    ["a list", `["title"]`],
    ["a number", "7"],
    ["null", "null"],
    ["nested without end", `{"a":`.repeat(100_000)],
    ["nested deeply", `${`{"a":`.repeat(300)}1${"}".repeat(300)}`],
  ])("whose arguments are %s has a call without any", async (_title, json) => {
    const turn = await answerTo({ blocks: [{ tool: "save", json }] });

    expect(turn.blocks).toEqual([
      { kind: "tool-call", id: expect.any(String), tool: "save", input: undefined },
    ]);
  });

  it("whose arguments hold many brackets in a text is read", async () => {
    const input = { code: "[{".repeat(1_000), quote: 'say "[" \\' };

    expect((await answerTo({ blocks: [{ tool: "save", input }] })).blocks).toMatchObject([{ input }]);
  });

  it("of 200 KB of text arrives whole", async () => {
    const text = "0123456789äöüß🙂\n".repeat(12_000);

    expect((await answerTo({ blocks: [text] })).blocks).toEqual([{ kind: "text", text }]);
  });

  it("without any block is a turn that says nothing", async () => {
    expect(await answerTo({ blocks: [] })).toMatchObject({ blocks: [], stop: "done" });
  });

  it("keeps what it knows when kinds of blocks and events come that it does not", async () => {
    const turn = await answerTo({
      events: [
        { type: "message_start", message: { model: "m", usage: { input_tokens: 3 } } },
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "a" } },
        { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: {} } },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "b" } },
        { type: "an_event_of_next_year", anything: [1] },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
        { type: "message_stop" },
      ],
    });

    expect(turn).toMatchObject({
      blocks: [{ kind: "text", text: "ab" }],
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });

  it("takes arguments that come at once, and no count that is no number of tokens", async () => {
    const turn = await answerTo({
      events: [
        { type: "message_start", message: { usage: { input_tokens: -5, cache_read_input_tokens: "9" } } },
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "i", name: "save", input: { a: 1 } },
        },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1e300 } },
        { type: "message_stop" },
      ],
    });

    expect(turn.blocks).toEqual([{ kind: "tool-call", id: "i", tool: "save", input: { a: 1 } }]);
    expect(turn.usage).toEqual({
      inputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 100_000_000,
    });
  });

  it.each<[string, StubReply]>([
    ["is far larger than was asked for", { blocks: ["x".repeat(1_000_001)] }],
    ["starts a call without a name", { events: badCall() }],
    ["ends before it has begun", { events: [{ type: "message_stop" }] }],
    ["is a list", { raw: { type: "text/event-stream", body: "event: message_start\ndata: [1]\n\n" } }],
    ["is no JSON", { raw: { type: "text/event-stream", body: "event: message_start\ndata: {\n\n" } }],
    ["is a web page", { raw: { type: "text/html", body: "<html>Please log in</html>" } }],
    ["leads elsewhere", { status: 307, headers: { location: "http://127.0.0.1:9/" } }],
    ["has a status of no meaning", { status: 999 }],
  ])("that %s cannot be used", async (_title, reply) => {
    const failure = await failureOf(answerTo(reply));

    expect(failure).toMatchObject({ code: "model-answer-unusable", disposition: "retry" });
    expect(failure.message).not.toContain("log in");
  });
});

function badCall(): NonNullable<StubReply["events"]> {
  return [
    { type: "message_start", message: {} },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "i" } },
    { type: "message_stop" },
  ];
}

describe("a request", () => {
  it("carries the whole conversation as the API wants it", async () => {
    const { stub, client } = await openScene();
    stub.reply({ blocks: ["ok"] });
    const request: ModelRequest = {
      ...ask("first"),
      messages: [
        { role: "user", blocks: [{ kind: "text", text: "first" }] },
        {
          role: "assistant",
          blocks: [
            { kind: "text", text: "" },
            { kind: "tool-call", id: "a", tool: "save", input: { title: "t" } },
            { kind: "tool-call", id: "b", tool: "save", input: undefined },
          ],
        },
        {
          role: "user",
          blocks: [
            { kind: "tool-result", callId: "a", text: "saved", isError: false },
            { kind: "tool-result", callId: "b", text: "no JSON", isError: true },
            { kind: "text", text: "half a pair: \ud83d" },
          ],
        },
      ],
    };

    await client.complete(request, NEVER);

    const mark = { cache_control: { type: "ephemeral" } };
    expect(stub.requests[0]?.body).toEqual({
      model: "claude-haiku-4-5",
      max_tokens: 1_000,
      stream: true,
      system: [{ type: "text", text: "You keep notes.", ...mark }],
      tools: [
        { name: "save", description: "Saves a note.", input_schema: { type: "object", properties: {} } },
      ],
      messages: [
        { role: "user", content: [{ type: "text", text: "first", ...mark }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "save", input: { title: "t" } },
            { type: "tool_use", id: "b", name: "save", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "saved" },
            { type: "tool_result", tool_use_id: "b", content: "no JSON", is_error: true },
            { type: "text", text: "half a pair: \ufffd", ...mark },
          ],
        },
      ],
    });
  });

  it("of the next turn reads the whole one before from the cache, however many calls that had", async () => {
    const { stub, client } = await openScene();
    const calls = Array.from({ length: 30 }, (_, at) => ({ tool: "save", input: { at } }));
    stub.reply({ blocks: calls }, { blocks: ["done"] });

    const first = await client.complete(ask("long ".repeat(1_000)), NEVER);
    const results = first.blocks.flatMap((block) =>
      block.kind === "tool-call"
        ? [{ kind: "tool-result" as const, callId: block.id, text: "ok", isError: false }]
        : [],
    );
    const second = await client.complete(
      {
        ...ask("long ".repeat(1_000)),
        messages: [
          ...ask("long ".repeat(1_000)).messages,
          { role: "assistant", blocks: first.blocks },
          { role: "user", blocks: results },
        ],
      },
      NEVER,
    );

    expect(results).toHaveLength(30);
    expect(first.usage).toMatchObject({ inputTokens: 0, cacheReadTokens: 0 });
    expect(second.usage.cacheReadTokens).toBe(inputTokensOf(first.usage));
    expect(second.usage.cacheWriteTokens).toBeGreaterThan(0);
  });

  it("of another session reads tools and system text from the cache", async () => {
    const { stub, client } = await openScene();
    stub.otherwise({ blocks: ["ok"] });

    await client.complete({ ...ask("one"), system: "s".repeat(4_000) }, NEVER);
    const { usage } = await client.complete({ ...ask("two"), system: "s".repeat(4_000) }, NEVER);

    expect(usage.cacheReadTokens).toBeGreaterThan(1_000);
  });

  it("without system text marks the tools, and without either only the message", async () => {
    const { stub, client } = await openScene();
    stub.otherwise({ blocks: ["ok"] });

    await client.complete({ ...ask(), system: "" }, NEVER);
    await client.complete({ ...ask(), system: "", tools: [] }, NEVER);

    const [withTools, bare] = stub.requests.map(({ body }) => body);
    expect(withTools).not.toHaveProperty("system");
    expect(withTools).toMatchObject({ tools: [{ cache_control: { type: "ephemeral" } }] });
    expect(Object.keys(bare ?? {})).toEqual(["model", "max_tokens", "stream", "messages"]);
  });
});
