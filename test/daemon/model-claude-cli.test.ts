// The person's own login of Claude Code, or of Codex, chosen as the model: what is offered and agreed to, one session read through
// it, and what is shown of money. The program is a stand-in that asks a scripted server.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HistoryReply } from "../../src/domain/history.ts";
import type { ModelReport } from "../../src/domain/model-choice.ts";
import { createTranscript, recordIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { addFakeClaude, callsSeen } from "../helpers/fake-claude.ts";
import { addFakeCodex } from "../helpers/fake-codex.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import type { Story } from "./story.ts";
import { createStory, S1, SHOP } from "./story.ts";

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
