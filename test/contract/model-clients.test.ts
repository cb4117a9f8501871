// What every model provider must keep, whoever answers. Runs over the registry: a provider that speaks another
// protocol brings its own stage, and nothing here changes.
import { createServer } from "node:http";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { ModelClient, ModelRequest } from "../../src/domain/models.ts";
import { MODEL_FAILURES } from "../../src/learn/models/failure.ts";
import type { FoundKey, KeySource } from "../../src/learn/models/key.ts";
import type { ProviderFactory, ProviderSettings } from "../../src/learn/models/registry.ts";
import { MODEL_PROVIDERS } from "../../src/learn/models/registry.ts";
import { createClock } from "../../src/system/clock.ts";
import { createRunCommand } from "../../src/system/command.ts";
import { createFiles } from "../../src/system/files.ts";
import { addFakeClaude } from "../helpers/fake-claude.ts";
import { addFakeCodex } from "../helpers/fake-codex.ts";
import { checkLeaks } from "../helpers/leak-check.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { createTempFolder } from "../helpers/temp-folder.ts";

checkLeaks();
const open: ModelStub[] = [];
afterEach(async () => {
  for (const stub of open.splice(0)) await stub.close();
});

const KEY = ["a", "key", "nobody", "may", "see"].join("-");
const NEVER = new AbortController().signal;
const REQUEST: ModelRequest = {
  model: "some-model",
  system: "You keep notes.",
  tools: [{ name: "save", description: "Saves.", inputSchema: { type: "object" } }],
  messages: [{ role: "user", blocks: [{ kind: "text", text: "Anything worth keeping?" }] }],
  outputTokensMax: 100,
};

/** What a provider is given that is a program: one that asks the stub, and a key it must not be handed. */
function programs(): ProviderSettings["programs"] {
  const folder = createTempFolder();
  const home = folder.folder("home");
  return {
    files: createFiles(),
    run: createRunCommand(createClock()),
    env: {
      PATH: `${addFakeClaude(folder)}:${addFakeCodex(folder)}:/usr/bin:/bin`,
      HOME: home,
      ANTHROPIC_API_KEY: KEY,
    },
    home,
    stateDir: folder.at("state"),
  };
}

interface Stage {
  readonly stub: ModelStub;
  readonly client: ModelClient;
}

interface StageOptions {
  readonly from?: FoundKey["from"];
  readonly apiKeyEnv?: string;
}

describe.each(Object.entries<ProviderFactory>(MODEL_PROVIDERS))("%s", (name, make) => {
  async function stage({ from = "file", apiKeyEnv = "SOME_KEY" }: StageOptions = {}): Promise<Stage> {
    const stub = await startModelStub();
    open.push(stub);
    const keys: KeySource = {
      read: () => Promise.resolve({ value: KEY, from }),
    };
    const client = make({
      baseUrl: stub.url,
      keys,
      apiKeyEnv,
      clock: createManualClock(),
      programs: programs(),
    });
    return { stub, client };
  }

  it("goes by the name it is listed under, and does nothing before it is asked", async () => {
    const { stub, client } = await stage();

    expect(client.provider).toBe(name);
    expect(stub.requests).toEqual([]);
  });

  it("gives text and calls in their order, with what they cost", async () => {
    const { stub, client } = await stage();
    stub.reply({ blocks: ["Two.", { tool: "save", input: { n: 1 } }, { tool: "save", input: { n: 2 } }] });

    const turn = await client.complete(REQUEST, NEVER);

    expect(turn).toMatchObject({
      blocks: [{ text: "Two." }, { tool: "save", input: { n: 1 } }, { tool: "save", input: { n: 2 } }],
      stop: "tools",
      model: "some-model",
    });
    expect(turn.usage.outputTokens).toBeGreaterThan(0);
  });

  it("gives every call an id of its own within a run", async () => {
    const { stub, client } = await stage();
    const call = { tool: "save", input: {} };
    stub.reply({ blocks: [call, call] });

    const { blocks } = await client.complete(REQUEST, NEVER);

    expect(new Set(blocks.map((block) => (block.kind === "tool-call" ? block.id : ""))).size).toBe(2);
  });

  it("reads on after results it was given", async () => {
    const { stub, client } = await stage();
    stub.reply({ blocks: [{ tool: "save", input: {}, id: "x" }] }, { blocks: ["Done."] });
    const first = await client.complete(REQUEST, NEVER);

    const second = await client.complete(
      {
        ...REQUEST,
        messages: [
          ...REQUEST.messages,
          { role: "assistant", blocks: first.blocks },
          { role: "user", blocks: [{ kind: "tool-result", callId: "x", text: "saved", isError: false }] },
        ],
      },
      NEVER,
    );

    expect(second).toMatchObject({ blocks: [{ text: "Done." }], stop: "done" });
    expect(second.usage.cacheReadTokens).toBeGreaterThan(0);
  });

  it.each([
    { status: 401 },
    { status: 429 },
    { status: 500 },
    { blocks: ["x".repeat(500)], cutAfter: 300 },
    { raw: { type: "text/html", body: "<html>" } },
    { status: 400, error: { type: "invalid_request_error", message: KEY } },
  ])("names the failure of %j, sends it once and shows no key", async (reply) => {
    const { stub, client } = await stage();
    stub.reply(reply);

    const failure: unknown = await client.complete(REQUEST, NEVER).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(AppError);
    expect(Object.keys(MODEL_FAILURES)).toContain(failure instanceof AppError ? failure.code : "");
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(KEY);
    expect(stub.requests).toHaveLength(1);
  });

  it("ends with the reason of an abort and lets go of the connection", async () => {
    const { stub, client } = await stage();
    const controller = new AbortController();
    stub.reply({ blocks: ["x".repeat(500)], hangAfter: 300 });
    const answer = client.complete(REQUEST, controller.signal);
    const request = await stub.request(0);

    controller.abort("stopped");

    await expect(answer).rejects.toBe("stopped");
    expect(await request.ended).toBe("closed");
  });
});

describe("a local server", () => {
  it.each<[StageOptions, boolean]>([
    [{ from: "variable", apiKeyEnv: "ANTHROPIC_API_KEY" }, false],
    [{ from: "variable", apiKeyEnv: "MY_SERVER_KEY" }, true],
    [{ from: "file", apiKeyEnv: "ANTHROPIC_API_KEY" }, true],
  ])("with %j sees the key: %s", async ({ from = "file", apiKeyEnv = "" }, expected) => {
    const sent: (string | undefined)[] = [];
    // A server that looks at the header itself: the stub keeps no key.
    const server = createServer(({ headers }, response) => {
      sent.push(headers.authorization);
      response.writeHead(500, { connection: "close" }).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const keys: KeySource = { read: () => Promise.resolve({ value: KEY, from }) };
    const settings = { baseUrl, keys, apiKeyEnv, clock: createManualClock(), programs: programs() };
    const client = MODEL_PROVIDERS.local(settings);

    await expect(client.complete(REQUEST, NEVER)).rejects.toMatchObject({ code: "model-server-error" });
    await new Promise((resolve) => server.close(resolve));

    expect(sent.map((value) => value?.includes(KEY) === true)).toEqual([expected]);
  });
});
