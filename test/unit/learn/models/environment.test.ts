// What the environment says to the SDK must not matter: the person allowed one address and gave one key.
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, vi } from "vitest";
import { bundleScript } from "../../../helpers/bundle-script.ts";
import { startChild } from "../../../helpers/child-process.ts";
import { checkLeaks } from "../../../helpers/leak-check.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { KEY, useScenes } from "./client.ts";
import { ask, fixedKey, NEVER } from "./request.ts";

checkLeaks();
const openScene = useScenes();

describe("the environment", () => {
  it("brings no key, address, header or word of its own into a request of another process", async () => {
    const { stub: ours } = await openScene();
    const { stub: theirs } = await openScene();
    ours.reply({ blocks: ["one"] }, { raw: { type: "text/event-stream", body: "event: x\ndata: {\n\n" } });
    const script = bundleScript(`${import.meta.dirname}/client-child.ts`, createTempFolder().path);

    const child = startChild({
      command: process.execPath,
      args: [script, ours.url, KEY],
      env: {
        PATH: process.env["PATH"] ?? "",
        ANTHROPIC_BASE_URL: theirs.url,
        ANTHROPIC_API_KEY: "another-key",
        ANTHROPIC_AUTH_TOKEN: "another-token",
        ANTHROPIC_CUSTOM_HEADERS:
          "x-api-key: another-key\nauthorization: Basic x\nx-spy: words\nanthropic-version: 1",
        ANTHROPIC_LOG: "debug",
        ANTHROPIC_PROFILE: "another",
      },
    });
    const { code } = await child.exit;

    const [first, second]: readonly unknown[] = JSON.parse(child.stdout());
    expect([first, second]).toMatchObject([{ blocks: [{ text: "one" }] }, "model-answer-unusable"]);
    expect({ code, stderr: child.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(theirs.requests).toEqual([]);
    expect(ours.requests[0]).toMatchObject({ key: "present", keyKind: "bearer" });
    expect(ours.requests[0]?.headers).not.toHaveProperty("x-spy");
    expect(ours.requests[0]?.headers["anthropic-version"]).not.toBe("1");
  });

  it("asks without loading any of `fetch`, which would stay in memory", async () => {
    const { stub } = await openScene();
    stub.reply({ blocks: ["one"] }, { status: 529 });
    const script = bundleScript(`${import.meta.dirname}/client-child.ts`, createTempFolder().path);

    const child = startChild({ command: process.execPath, args: [script, stub.url, KEY], env: {} });
    await child.exit;

    expect(JSON.parse(child.stdout())).toMatchObject([{ blocks: [{ text: "one" }] }, "model-overloaded", []]);
  });

  it("gives no key where we have none", async () => {
    const { stub, client } = await openScene({ keys: fixedKey(undefined) });
    vi.stubEnv("ANTHROPIC_API_KEY", "another-key");

    const failure: unknown = await client.complete(ask(), NEVER).catch((error: unknown) => error);
    vi.unstubAllEnvs();

    expect(failure).toMatchObject({ code: "model-key-missing" });
    expect(stub.requests).toEqual([]);
  });
});

describe("our headers", () => {
  it("are the ones this SDK sends: the same protocol version, the key in the same place", async () => {
    const { stub, client } = await openScene();
    stub.otherwise({ blocks: ["ok"] });
    const sdk = new Anthropic({ apiKey: KEY, baseURL: stub.url, maxRetries: 0 });

    await client.complete(ask(), NEVER);
    const answer = await sdk.messages.create({
      model: "m",
      max_tokens: 1,
      stream: true,
      messages: [{ role: "user", content: "x" }],
    });
    for await (const event of answer) void event;

    const [ours, theirs] = stub.requests;
    expect(ours?.headers["anthropic-version"]).toBe(theirs?.headers["anthropic-version"]);
    expect(ours?.keyKind).toBe(theirs?.keyKind);
  });
});
