// The client of other tests: what it answers, records and does at an abort.
import { describe, expect, it } from "vitest";
import { createScriptedClient } from "../../../../src/learn/models/scripted/index.ts";
import { ask, NEVER } from "./request.ts";

describe("a scripted client", () => {
  it("answers its turns in order, fills in what they leave out, and keeps the requests", async () => {
    const call = { kind: "tool-call", id: "1", tool: "save", input: {} } as const;
    const client = createScriptedClient([{ blocks: [call] }, { stop: "length" }]);

    expect(await client.complete(ask("a"), NEVER)).toMatchObject({ blocks: [call], stop: "tools" });
    expect(await client.complete(ask("b"), NEVER)).toMatchObject({ blocks: [], stop: "length" });
    await expect(client.complete(ask("c"), NEVER)).rejects.toThrow("no turn 3");
    expect(client.requests.slice(0, 2)).toEqual([ask("a"), ask("b")]);
  });

  it("answers from the request when it is given a function", async () => {
    const client = createScriptedClient((request) => ({ model: `${request.model}!` }));

    expect((await client.complete(ask(), NEVER)).model).toBe("claude-haiku-4-5!");
  });

  it("rejects with the errors it was given", async () => {
    await expect(createScriptedClient([new Error("no")]).complete(ask(), NEVER)).rejects.toThrow("no");
  });

  it("ends a turn that never comes at an abort, with its reason", async () => {
    const controller = new AbortController();
    const answer = createScriptedClient([() => new Promise(() => undefined)]).complete(
      ask(),
      controller.signal,
    );

    controller.abort("stopped");

    await expect(answer).rejects.toBe("stopped");
    await expect(createScriptedClient([{}]).complete(ask(), AbortSignal.abort("before"))).rejects.toBe(
      "before",
    );
  });
});
