// The person's own login of Claude Code, or of Codex, chosen as the model: what is offered and agreed to, one session read through
// it, and what is shown of money. The program is a stand-in that asks a scripted server.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HistoryReply } from "../../src/domain/history.ts";
import type { ModelReport } from "../../src/domain/model-choice.ts";
import type { Status } from "../../src/domain/status.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { addFakeClaude, addPrintingProgram, callsSeen } from "../helpers/fake-claude.ts";
import { addFakeCodex } from "../helpers/fake-codex.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import type { Story } from "./story.ts";
import { createStory, S1, S2, SHOP } from "./story.ts";

let stub: ModelStub;
let story: Story;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  stub = await startModelStub();
  story = createStory();
  env = { PATH: `${addFakeClaude(story.home.folder)}:/usr/bin:/bin` };
  writeFileSync(join(story.home.home, ".claude/.credentials.json"), "{}");
  const session = createTranscript({ cwd: SHOP, startAt: Date.now() - 3_600_000 });
  story.transcript(SHOP, S1, session.user(SQUASH_WORDS).assistant("Will do.").text());
});
afterEach(() => stub.close());

const command = (...args: string[]) => runCommand({ home: story.home, args, env });

it("is offered where a login is found, and the plan names it and no money", async () => {
  const shown = await command("model", "--json");
  const planned = await command("model", "use", "claude-cli");

  const { offers } = JSON.parse(shown.stdout) as ModelReport;
  expect(offers).toEqual([
    { what: "a login of Claude Code is here", command: "engramd model use claude-cli" },
  ]);
  const first = await command();
  expect(first.stdout).toMatch(/a login of Claude Code is here +engramd model use claude-cli/u);
  story.config({ provider: "offline" });
  expect((await command()).stdout).not.toContain("model use");
  story.config({});
  expect(planned.code).toBe(1);
  expect(planned.stdout).toContain("will be sent to Claude Code's own login");
  expect(planned.stdout).toMatch(/A typical day of yours: about [\d,]+ tokens, plan/u);
  expect(planned.stdout).toContain("8 runs and 200,000 tokens of your plan a day");
  expect(planned.stdout).not.toContain("$");
  expect(() => callsSeen(story.home.folder)).toThrow();
});

it("says that no login is found", async () => {
  writeFileSync(join(story.home.home, ".claude.json"), "{}");
  const { rmSync } = await import("node:fs");
  rmSync(join(story.home.home, ".claude/.credentials.json"));

  const { stdout } = await command("model", "use", "claude-cli");

  expect(stdout).toContain("no login of Claude Code is found here");
  expect((await command("model")).stdout).not.toContain("claude-cli");
});

it("reads a session once the person said yes, and every place that shows money says plan", async () => {
  stub.reply({ blocks: [squashWrite(recordIdOf(1))] });
  const use = ["model", "use", "claude-cli", "--base-url", stub.url, "--yes"];
  const used = await command(...use);
  expect(used).toMatchObject({ code: 0, stderr: "" });
  expect(stub.requests).toEqual([]);
  const consent = JSON.parse(readFileSync(join(story.home.stateDir, "consent.json"), "utf8")) as object;
  expect(consent).toMatchObject({ grants: [{ provider: "claude-cli", host: stub.url, by: "person" }] });
  const dry = await command("sync", "--backfill", "all", "--dry-run", "--json");

  await command("sync", "--backfill", "all");

  expect(story.topics(SHOP)).toEqual(["feedback_squash.md"]);
  expect(stub.requests).toHaveLength(1);
  const history = await command("history", "--json");
  expect((JSON.parse(history.stdout) as HistoryReply).runs[0]).toMatchObject({ usd: 0, plan: true });
  for (const [name, { stdout }] of [
    ["history", history],
    ["sync", dry],
    ["model", await command("model", "--json")],
  ] as const)
    expect(DOCUMENTS[name]?.safeParse(JSON.parse(stdout)), name).toMatchObject({ success: true });
  for (const args of [["history"], ["status"], ["model"], []]) {
    const { stdout } = await command(...args);
    expect(stdout, args.join(" ")).toMatch(/\bplan\b/u);
    expect(stdout, args.join(" ")).not.toContain("$");
  }
});

it("is as well a login of Codex, which is offered, asked and shown in the same way", async () => {
  env = { PATH: `${addFakeCodex(story.home.folder)}:/usr/bin:/bin` };
  expect((await command("model", "use", "codex-cli")).stdout).toContain(
    "no login of Codex is found here: run codex login",
  );
  mkdirSync(join(story.home.home, ".codex"));
  writeFileSync(join(story.home.home, ".codex/auth.json"), "{}");
  const { offers } = JSON.parse((await command("model", "--json")).stdout) as ModelReport;
  expect(offers).toEqual([{ what: "a login of Codex is here", command: "engramd model use codex-cli" }]);
  const planned = await command("model", "use", "codex-cli");
  expect(planned.stdout).toContain("will be sent to Codex's own login");
  expect(planned.stdout).not.toContain("$");
  stub.reply({ blocks: [squashWrite(recordIdOf(1))] });
  await command("model", "use", "codex-cli", "--base-url", stub.url, "--yes");

  await command("sync", "--backfill", "all");

  expect(story.topics(SHOP)).toEqual(["feedback_squash.md"]);
  expect(stub.requests[0]?.body["model"]).toBe("gpt-6-luna");
  const history = await command("history", "--json");
  expect((JSON.parse(history.stdout) as HistoryReply).runs[0]).toMatchObject({ usd: 0, plan: true });
  expect((await command()).stdout).toContain("codex-cli gpt-6-luna: plan");
});

/** Some hours from now, whatever time it is. */
const RESETS_AT = (new Date().getUTCHours() + 5) % 24;
const LIMIT = `You\u2019ve hit your 5-hour limit \u00b7 resets ${RESETS_AT % 12 || 12}${RESETS_AT < 12 ? "am" : "pm"} (UTC)`;
const TOOK = { input_tokens: 900, output_tokens: 20 };
const saidBy = (model: string) => ({
  type: "assistant",
  message: { id: "m1", model, content: [{ type: "text", text: LIMIT }], usage: TOOK },
});

it.each([
  [
    "the program's own notice",
    [saidBy("<synthetic>"), { type: "result", is_error: false, result: LIMIT, usage: {} }],
  ],
  [
    "words in the place of an answer",
    [saidBy("claude-haiku-4-5"), { type: "result", subtype: "error_max_turns", is_error: true, usage: TOOK }],
  ],
])(
  "a limit of the plan that a daemon is told by %s closes the provider, over a restart too",
  async (_, lines) => {
    const programs = addPrintingProgram(
      story.home.folder,
      lines.map((line) => JSON.stringify(line)),
    );
    env = { PATH: `${programs}:/usr/bin:/bin` };
    story.config({
      provider: "claude-cli",
      firstStart: { backfillDays: { model: 36_500 } },
      extract: { debounceMs: 100, settleMs: 0, minNewTokens: 0 },
    });
    const calls = () =>
      readFileSync(story.home.folder.at("printing/called"), "utf8").match(/^--print$/gmu)?.length ?? 0;
    const closed = async () => {
      const { stdout } = await command("status", "--json");
      const { provider, sources } = JSON.parse(stdout) as Status;
      expect(sources[0]?.pendingBytes).toBeGreaterThan(0);
      expect(provider.closed?.code).toBe("model-plan-limit");
      return Date.parse(provider.closed?.until ?? "");
    };
    const first = startDaemon({ home: story.home, env });

    const { outcome } = await first.waitForEvent("job:finished");

    expect(outcome).toMatchObject({ result: "delayed", reason: "model-plan-limit" });
    const until = await closed();
    expect(until - Date.now()).toBeGreaterThan(0);
    expect(until - Date.now()).toBeLessThanOrEqual(25 * 3_600_000);
    await first.stop();
    const again = startDaemon({ home: story.home, env });
    await again.waitForEvent("daemon:ready");
    const more = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 60 });
    story.transcript(SHOP, S2, more.user("Please name branches after the ticket.").assistant("Yes.").text());
    await again.waitForEvent("job:finished");
    expect(Math.abs((await closed()) - until)).toBeLessThan(2_000);
    expect(calls()).toBe(1);
    expect(JSON.stringify([...first.log(), ...again.log()])).not.toContain("hit your");
  },
);
