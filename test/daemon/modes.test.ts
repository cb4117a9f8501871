// The modes of a project in the running service, and what becomes of the words when a mode changes.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DecideReply, InboxReply } from "../../src/domain/inbox.ts";
import type { SyncReport } from "../../src/domain/service.ts";
import type { Status } from "../../src/domain/status.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { askSocket } from "../helpers/socket-client.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import { quickStory, started, turn, written } from "./running.ts";
import type { Story } from "./story.ts";
import { MOCKS, S1, S2, SHOP, TABS } from "./story.ts";

function moded(mode: string): Story {
  return quickStory({}, { projects: { [SHOP]: { mode } } });
}

function setMode(story: Story, mode: string): void {
  story.config({ extract: { debounceMs: 200, settleMs: 0 }, projects: { [SHOP]: { mode } } });
}

async function asked<T>(story: Story, name: string, args: readonly string[]): Promise<T> {
  const { stdout, stderr, code } = await runCommand({ home: story.home, args: [...args, "--json"] });
  expect(code, stderr).toBe(0);
  const document: unknown = JSON.parse(stdout);
  expect(DOCUMENTS[name]?.safeParse(document).error).toBeUndefined();
  return document as T;
}

const statusOf = (story: Story) => asked<Status>(story, "status", ["status"]);

describe("a project whose mode is propose", () => {
  it("writes nothing into the memory folder until a person says yes; history lists it, undo takes it back", async () => {
    const story = moded("propose");
    story.transcript(SHOP, S1, turn(TABS) + turn(MOCKS, 10));
    const daemon = await started(story);
    await daemon.waitForEvent("job:finished");

    const { items } = await asked<InboxReply>(story, "review", ["review"]);
    expect(items.map(({ kind }) => kind)).toEqual(["proposal", "proposal"]);
    expect(existsSync(story.memoryDir(SHOP))).toBe(false);
    const [first, second] = items;
    const { text } = await askSocket(story.home.socket, { path: `/v1/inbox?id=${first?.id ?? ""}` });
    expect(JSON.parse(text)).toMatchObject({ items: [{ id: first?.id }] });

    const accepted = await asked<DecideReply>(story, "review accept", ["review", "accept", first?.id ?? ""]);
    await asked<DecideReply>(story, "review reject", ["review", "reject", second?.id ?? ""]);
    expect(story.topics(SHOP)).toEqual(accepted.items[0]?.files);
    const run = accepted.items[0]?.run ?? "";
    const history = await runCommand({ home: story.home, args: ["history"] });
    expect(history.stdout).toContain(run);
    const [project] = (await statusOf(story)).projects;
    expect(project).toMatchObject({ mode: "propose", memories: 1 });

    expect((await runCommand({ home: story.home, args: ["undo", run] })).code).toBe(0);
    expect(story.topics(SHOP)).toEqual([]);
    expect((await daemon.stop()).code).toBe(0);
  });
});

describe.each([
  ["read-only", "read-only", 1],
  ["off", "mode-off", 0],
] as const)("a project whose mode is %s", (mode, reason, counted) => {
  it.each(["dream", "distill"] as const)("has no %s, whoever asks, and is told the mode", async (kind) => {
    const story = moded(mode);
    const reply = await story.ask((service) => service[kind]({ project: SHOP, dryRun: true }));
    expect(reply).toMatchObject({ outcome: "skipped", reason });
  });

  it("reads nothing and says so; auto again reads what was left, once", async () => {
    const story = moded(mode);
    const path = story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    const report = await asked<SyncReport>(story, "sync", ["sync"]);
    expect(report).toMatchObject({ records: 0, skipped: [{ session: sessionIdOf(1), reason }] });
    const why = await runCommand({ home: story.home, args: ["why", path, "--json"] });
    expect(JSON.parse(why.stdout)).toMatchObject({
      messages: [{ outcome: "skipped", reason: { code: reason } }],
    });
    const status = await statusOf(story);
    expect(status.projects).toMatchObject([{ mode, waitingFor: reason }]);
    expect(status.sources).toMatchObject([{ sessions: counted, pendingBytes: 0, expiringSessions: 0 }]);
    const list = await runCommand({ home: story.home, args: ["project"] });
    expect(list.stdout).toContain(mode);
    expect(existsSync(story.memoryDir(SHOP))).toBe(false);
    expect(existsSync(join(story.home.stateDir, "inbox"))).toBe(false);

    setMode(story, "auto");
    daemon.child.signal("SIGHUP");
    await written(daemon, /tabs/);

    await daemon.waitForEvent("job:finished");
    const again = await asked<SyncReport>(story, "sync", ["sync"]);
    expect(again).toMatchObject({ memories: { created: 0, confirmed: 0 }, skipped: [] });
    expect(again.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 1 });
    expect(story.topics(SHOP)).toHaveLength(1);
    expect((await daemon.stop()).code).toBe(0);
  });
});

it("is shown by project and status also where no daemon runs and nothing was written", async () => {
  const story = moded("off");
  story.transcript(SHOP, S1, turn(TABS));
  await asked<SyncReport>(story, "sync", ["sync"]);

  const { stdout } = await runCommand({ home: story.home, args: ["project", "--json"] });

  expect(JSON.parse(stdout)).toMatchObject({ projects: [{ root: SHOP, mode: "off", memories: 0 }] });
});

describe("a change of mode", () => {
  it("from auto to off and back loses nothing and reads nothing twice", async () => {
    const story = moded("auto");
    const before = turn(TABS);
    story.transcript(SHOP, S1, before);
    await story.sync();
    setMode(story, "off");
    story.transcript(SHOP, S1, before + turn(MOCKS, 10));

    const off = await story.sync({ backfillDays: "all" });
    expect(off).toMatchObject({ records: 0, sessions: { seen: 0 }, agents: {} });
    setMode(story, "auto");
    const back = await story.sync();

    expect(back.memories).toMatchObject({ created: 1, confirmed: 0 });
    expect(back.agents["claude-code"]).toMatchObject({ typedMessages: 2 });
    expect(story.topics(SHOP)).toHaveLength(2);
  });

  it("from propose to auto saves what is new; what waits goes on waiting, but for what is saved", async () => {
    const story = moded("propose");
    story.transcript(SHOP, S1, turn(TABS) + turn(MOCKS, 10));
    await story.sync();
    setMode(story, "auto");
    const options = { cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 50, startAt: Date.UTC(2026, 4, 6) };
    story.transcript(SHOP, S2, createTranscript(options).user(TABS).assistant("ok").text());

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    const { items } = await story.ask((service) => service.inbox({}));
    expect(items.map(({ changes }) => changes[0]?.description)).toEqual([
      expect.stringContaining("real database"),
    ]);
  });

  it("from read-only to propose proposes what was left unread", async () => {
    const story = moded("read-only");
    story.transcript(SHOP, S1, turn(TABS));
    await story.sync();
    setMode(story, "propose");

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, candidates: 1 });
    expect(existsSync(story.memoryDir(SHOP)) ? readdirSync(story.memoryDir(SHOP)) : []).toEqual([]);
  });
});
