// Codex's program as a model: what it is called with, what its lines mean, when nothing of them is believed.
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { expect, it } from "vitest";
import type { ModelClient } from "../../../../src/domain/models.ts";
import { createCliClient } from "../../../../src/learn/models/cli/client.ts";
import { CODEX_CLI } from "../../../../src/learn/models/codex-cli/index.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createRunCommand } from "../../../../src/system/command.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { addPrintingProgram } from "../../../helpers/fake-claude.ts";
import { checkLeaks } from "../../../helpers/leak-check.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { failureOf } from "./client.ts";
import { ask, NEVER } from "./request.ts";

checkLeaks();

const KEY = ["a", "key", "of", "ours"].join("-");
const NOW = Date.parse("2026-11-30T19:00:00Z");

interface Scene {
  readonly folder: TempFolder;
  readonly client: ModelClient;
}

function printing(lines: readonly object[], env: Readonly<Record<string, string>> = {}): Scene {
  const folder = createTempFolder();
  const programs = addPrintingProgram(
    folder,
    lines.map((line) => JSON.stringify(line)),
    { name: "codex" },
  );
  const client = createCliClient(CODEX_CLI, {
    files: createFiles(),
    clock: createManualClock({ startAt: NOW }),
    run: createRunCommand(createClock()),
    env: { PATH: `${programs}:/usr/bin:/bin`, ...env },
    home: folder.folder("home"),
    stateDir: folder.at("state"),
    baseUrl: undefined,
  });
  return { folder, client };
}

const item = (type: string, more: object = {}) => ({
  type: "item.completed",
  item: { id: "i", type, ...more },
});
const said = (text: string) => item("agent_message", { text });
const USAGE = {
  input_tokens: 1_200,
  cached_input_tokens: 200,
  cache_write_input_tokens: 3,
  output_tokens: 50,
};
const done = { type: "turn.completed", usage: USAGE };
const failed = (message: string) => ({ type: "turn.failed", error: { message } });
const called = (calls: unknown) => said(JSON.stringify({ calls }));

it("is given no key, no words others can list, and a home of ours that leads to the login", async () => {
  const env = {
    OPENAI_API_KEY: KEY,
    CODEX_API_KEY: KEY,
    ANTHROPIC_API_KEY: KEY,
    CODEX_HOME: "/somewhere/codex",
  };
  const { folder, client } = printing([called([]), done], env);

  await client.complete(ask("What I typed"), NEVER);

  const seen = readFileSync(folder.at("printing/called"), "utf8");
  for (const word of [KEY, "What I typed", "You keep notes"]) expect(seen).not.toContain(word);
  const home = folder.at("state/codex-cli/home");
  expect(seen).toContain(`\nCODEX_HOME=${home}\n`);
  expect(seen).toContain(`\nHOME=${home}\n`);
  expect(readlinkSync(`${home}/auth.json`)).toBe("/somewhere/codex/auth.json");
  expect(lstatSync(home).mode & 0o777).toBe(0o700);
  expect(existsSync(folder.at("state/codex-cli/tmp"))).toBe(false);
  expect(readdirSync(folder.at("state/codex-cli/work"))).toEqual([]);
});

it("answers with calls whose arguments are text, beside words and with what they took", async () => {
  const calls = [
    { tool: "save", arguments: '{"n":1}' },
    { tool: "save", arguments: "torn" },
  ];
  const { client } = printing([item("reasoning", { text: "hm" }), said("Two."), called(calls), done]);

  expect(await client.complete(ask(), NEVER)).toEqual({
    blocks: [
      { kind: "text", text: "Two." },
      { kind: "tool-call", id: "call_1_0", tool: "save", input: { n: 1 } },
      { kind: "tool-call", id: "call_1_1", tool: "save", input: undefined },
    ],
    stop: "tools",
    usage: { inputTokens: 997, cacheReadTokens: 200, cacheWriteTokens: 3, outputTokens: 50 },
    model: "claude-haiku-4-5",
  });
});

it.each([
  [[called([]), done], "done", 0],
  [[said("Nothing."), done], "done", 1],
  [[said("Half"), failed("Incomplete response returned, reason: max_output_tokens")], "length", 0],
  [[failed("Incomplete response returned, reason: content_filter")], "refused", 0],
])("%j ends with %s", async (lines: readonly object[], stop, blocks) => {
  const turn = await printing(lines).client.complete(ask(), NEVER);

  expect(turn.stop).toBe(stop);
  expect(turn.blocks).toHaveLength(blocks);
});

it.each([
  [
    [item("command_execution", { command: "ls" }), called([{ tool: "save", arguments: "{}" }]), done],
    "model-program-unusable",
  ],
  [[{ type: "item.started", item: { type: "file_change" } }, called([]), done], "model-program-unusable"],
  [[item("mcp_tool_call"), called([]), done], "model-program-unusable"],
  [[], "model-program-unusable"],
  [[called([])], "model-program-unusable"],
  [[done], "model-answer-unusable"],
  [[failed("unexpected status 401 Unauthorized: SAID, url: x")], "model-login"],
  [[failed("unexpected status 402 Payment Required: SAID")], "model-credit"],
  [[failed("unexpected status 503 Service Unavailable: SAID 401")], "model-server-error"],
  [[failed("exceeded retry limit, last status: 429 Too Many Requests")], "model-rate-limited"],
  [[failed("Codex ran out of room in the model's context window. SAID")], "model-too-long"],
  [[failed("Selected model is at capacity. SAID")], "model-overloaded"],
  [[failed("Quota exceeded. Check your plan and billing details.")], "model-credit"],
  [
    [failed("stream disconnected before completion: stream closed before response.completed")],
    "model-stream-cut",
  ],
  [[failed("stream disconnected before completion: SAID")], "model-server-error"],
  [[failed("SAID unexpected status 401")], "model-answer-unusable"],
])("%j is the failure %s, in no word of what was said", async (lines: readonly object[], code: string) => {
  const failure = await failureOf(printing(lines).client.complete(ask(), NEVER));

  expect(failure.code).toBe(code);
  expect(failure.message).not.toMatch(/SAID|\bls\b/u);
});

const LIMIT = "You\u2019ve hit your usage limit. Visit x to purchase more credits or try again at";

it.each([
  ["8:20 PM.", "2026-11-30T20:21:00Z"],
  ["7:00 AM.", "2026-12-01T07:01:00Z"],
  ["Dec 4th, 2026 7:40 AM.", "2026-12-04T07:41:00Z"],
  ["Jan 4th, 2031 7:40 AM.", "2026-12-01T00:00:00Z"],
  ["some time.", "2026-12-01T00:00:00Z"],
])("a limit that ends at %s closes it until then, and never for long", async (time, until) => {
  const failure = await failureOf(printing([failed(`${LIMIT} ${time}`)]).client.complete(ask(), NEVER));

  expect(failure).toMatchObject({ code: "model-plan-limit", retryAfterMs: Date.parse(until) - NOW });
});
