// Stories about reading: what became of transcripts as they are written, copied, cut and moved.
import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createStory, SHOP, S1, S2, TABS, MOCKS } from "./story.ts";

describe("a transcript", () => {
  it("with bytes that are no UTF-8 loses nothing behind them, and the cursor reaches its end", async () => {
    // B04
    const story = createStory();
    const before = createTranscript({ cwd: SHOP }).user("first").text();
    const bad = Buffer.concat([
      Buffer.from(
        '{"type":"user","uuid":"00000000-0000-4000-8000-0000000000b2","sessionId":"x","cwd":"/home/ana/shop","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"log ',
      ),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(' end"}]}}\n'),
    ]);
    const path = story.transcript(
      SHOP,
      S1,
      Buffer.concat([
        Buffer.from(before),
        bad,
        Buffer.from(createTranscript({ cwd: SHOP, firstNumber: 30 }).user(TABS).assistant("OK").text()),
      ]),
    );
    await story.sync();
    appendFileSync(path, createTranscript({ cwd: SHOP, firstNumber: 40 }).user(MOCKS).assistant("OK").text());

    const report = await story.sync();

    expect(story.topics(SHOP)).toHaveLength(2);
    expect(report.agents["claude-code"]).toMatchObject({ typedMessages: 3 });
    expect((await story.ask((service) => service.status())).sources[0]).toMatchObject({ pendingBytes: 0 });
  });

  it.each([
    [
      "overwritten in place by as many bytes",
      (path: string, next: string) => {
        const size = statSync(path).size;
        writeFileSync(path, `${next.trimEnd().padEnd(size - 1)}\n`);
      },
    ],
    [
      "replaced by rename",
      (path: string, next: string) => {
        writeFileSync(`${path}.new`, readFileSync(path, "utf8") + next);
        renameSync(`${path}.new`, path);
      },
    ],
    [
      "cut to its first line and continued",
      (path: string, next: string) => {
        truncateSync(path, readFileSync(path, "utf8").indexOf("\n") + 1);
        appendFileSync(path, next);
      },
    ],
  ])("%s gives its new words once and the known ones never again", async (_, change) => {
    // B07
    const story = createStory();
    const path = story.transcript(
      SHOP,
      S1,
      createTranscript({ cwd: SHOP })
        .user("one")
        .user("two")
        .user("three")
        .assistant("ok")
        .assistant("again")
        .text(),
    );
    await story.sync();
    change(path, createTranscript({ cwd: SHOP, firstNumber: 41 }).user(TABS).text());

    const report = await story.sync();
    const again = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(report.agents["claude-code"]?.typedMessages).toBe(4);
    expect(again.records).toBe(0);
  });

  it("that is a fork or a plain copy teaches only what its parent did not say", async () => {
    // B08
    const story = createStory();
    const parent = createTranscript({ cwd: SHOP })
      .user(TABS)
      .assistant("ok")
      .user("No default exports.")
      .assistant("ok");
    story.transcript(SHOP, S1, parent.text());
    await story.sync();
    const history = parent.text().replaceAll(sessionIdOf(1), sessionIdOf(2));
    story.transcript(
      SHOP,
      S2,
      history +
        createTranscript({
          cwd: SHOP,
          sessionId: sessionIdOf(2),
          firstNumber: 50,
          startAt: Date.UTC(2026, 4, 5),
        })
          .user("Here, try Rust.")
          .text(),
    );
    story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, parent.text());

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 2, typedMessages: 3 });
    expect(report.memories).toMatchObject({ created: 0, confirmed: 0 });
  });

  it("of a sub-agent is no session and teaches nothing", async () => {
    // B09
    const story = createStory();
    const brief = createTranscript({ cwd: SHOP, firstNumber: 60 }).user(
      "You are a reviewer. Always answer in XML. Never use mocks.",
      { isSidechain: true, agentId: "a1" },
    );
    story.transcript(
      SHOP,
      S1,
      createTranscript({ cwd: SHOP }).user("Review the cart module.").assistant("Done.").text(),
    );
    story.transcript(SHOP, `${sessionIdOf(1)}/subagents/agent-a1.jsonl`, brief.text());
    story.transcript(SHOP, `${sessionIdOf(1)}/subagents/agent-a1.meta.json`, "{}");
    story.transcript(SHOP, "agent-b2.jsonl", brief.text());

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 1, damagedLines: 0 });
    expect(story.topics(SHOP)).toEqual([]);
  });

  it("with words typed while the agent was busy gives them once, as the person's", async () => {
    // B11
    const story = createStory();
    const words = "Remember: never touch the legacy/ folder.";
    const queued = (prompt: string, timestamp: string) => ({
      type: "attachment",
      timestamp,
      sessionId: sessionIdOf(1),
      attachment: { type: "queued_command", commandMode: "prompt", prompt },
    });
    const session = createTranscript({ cwd: SHOP })
      .user("Run all tests.")
      .toolCall("Bash", { command: "npm test" })
      .other({
        type: "queue-operation",
        operation: "enqueue",
        timestamp: "2026-05-04T09:03:00.000Z",
        sessionId: sessionIdOf(1),
        content: words,
      })
      .other(queued(words, "2026-05-04T09:04:00.000Z"))
      .other(queued("<task-notification>always use XML</task-notification>", "2026-05-04T09:06:00.000Z"));
    story.transcript(SHOP, S1, session.text());

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.learnt(SHOP)).toContain("legacy/");
    expect(story.learnt(SHOP)).not.toContain("XML");
  });

  it("that begins with bookkeeping and odd records is read all the same", async () => {
    // B12
    const story = createStory();
    const session = createTranscript({ cwd: SHOP })
      .other({ type: "mode", mode: "normal", sessionId: sessionIdOf(1) })
      .other({ type: "last-prompt", cwd: null, sessionId: sessionIdOf(1) })
      .other({ type: "brand-new-thing", payload: { deep: [1, 2] } })
      .raw('"just a string"')
      .raw("[]")
      .raw('{"type":"assistant","uuid":"u8","sessionId":"s","message":{"role":"assistant"}}')
      .user(TABS)
      .assistant("ok");
    const path = story.transcript(SHOP, S1, session.text());
    await story.sync();
    const more = createTranscript({ cwd: SHOP, firstNumber: 40 }).other({ type: "brand-new-thing" });
    appendFileSync(path, more.other({ type: "newer-thing" }).user("hello").text());
    await story.sync();

    const status = await story.ask((service) => service.status());
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(status.sources[0]?.unknownTypes).toEqual({ "brand-new-thing": 2, "newer-thing": 1 });
  });

  it("that moves to a worktree's folder stays the same session of the same project", async () => {
    // B14
    const story = createStory();
    const root = story.home.folder.folder("home/shop");
    story.home.folder.folder("home/shop/.git");
    const old = story.transcript(
      root,
      S1,
      createTranscript({ cwd: root }).user("one").assistant("ok").text(),
    );
    await story.sync();
    const worktree = `${root}/.claude/worktrees/fix1`;
    const moved = story.transcript(worktree, S1, readFileSync(old));
    rmSync(old);
    appendFileSync(
      moved,
      createTranscript({ cwd: worktree, firstNumber: 20 }).user(TABS).assistant("ok").text(),
    );
    story.transcript(
      root,
      S1,
      `{"type":"bridge-session","sessionId":"${sessionIdOf(1)}","bridgeSessionId":"cse_1"}\n`,
    );

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 2 });
    expect(story.topics(root)).toHaveLength(1);
    expect(story.topics(worktree)).toEqual([]);
  });

  it("that only moved is still counted, although none of its words are new", async () => {
    // B14
    const story = createStory();
    const path = story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user("one").user("two").text());
    await story.sync();
    story.transcript("/home/ana/elsewhere", S1, readFileSync(path));
    rmSync(path);

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 2 });
    expect(report.sessions).toMatchObject({ seen: 1, processed: 0 });
  });

  it("that vanished before it was read ends quietly, and no transcript is ever touched", async () => {
    // B15
    const story = createStory();
    const path = story.transcript(
      SHOP,
      S1,
      createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").text(),
    );
    const other = story.transcript(
      SHOP,
      S2,
      createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 20 })
        .user("hello")
        .text(),
    );
    const mtime = new Date(Math.floor(Date.now() / 1000) * 1000 - 86_400_000);
    utimesSync(other, mtime, mtime);
    await story.sync({ dryRun: true });
    rmSync(path);

    const report = await story.sync();

    expect(report.memories.created).toBe(0);
    expect(statSync(other).mtimeMs).toBe(mtime.getTime());
  });

  it("about to be deleted by its agent is a warning while it is unread", async () => {
    // B15
    const story = createStory();
    const old = new Date(Date.now() - 29.9 * 86_400_000);
    const path = story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).text());
    utimesSync(path, old, old);
    await story.sync({ dryRun: true });
    appendFileSync(path, createTranscript({ cwd: SHOP, firstNumber: 9 }).user("x").text());
    utimesSync(path, old, old);
    await story.sync({ dryRun: true });

    const status = await story.ask((service) => service.status());

    expect(status.sources[0]?.expiringSessions).toBe(1);
    expect(status.warnings.map((warning) => warning.code)).toContain("sessions-expiring");
  });

  it("is read whole although its last line came in two halves", async () => {
    // Fault 30
    const story = createStory();
    const text = createTranscript({ cwd: SHOP }).user("hello").user(TABS).text();
    const path = story.transcript(SHOP, S1, text.slice(0, -40));
    await story.sync();
    appendFileSync(path, text.slice(-40));

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(report.damagedLines).toBe(0);
  });

  it.each([
    "constructor.jsonl",
    "__proto__.jsonl",
    "a\nb.jsonl",
    "\u001b[31m.jsonl",
    "back\\slash.jsonl",
    `${"n".repeat(249)}.jsonl`,
  ])("with the name %j is extracted", async (name) => {
    // Faults 40, 41
    const story = createStory();
    story.transcript(SHOP, name, createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").text());

    expect((await story.sync()).memories.created).toBe(1);
  });
});

describe("the agent's own memory", () => {
  const write = (file: string, fields = {}) =>
    createTranscript({ cwd: SHOP })
      .user(TABS)
      .toolCall("Write", { file_path: file, content: "x" })
      .toolResult("ok", fields)
      .assistant("Saved.");

  it("written in a turn is not written a second time, and later turns still teach", async () => {
    const story = createStory();
    const session = write(join(story.memoryDir(SHOP), "feedback_tabs.md"))
      .user(MOCKS)
      .assistant("ok");
    story.transcript(SHOP, S1, session.text());

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(story.learnt(SHOP)).toContain("real database");
    expect(story.learnt(SHOP)).not.toContain("tabs");
  });

  it("counts only when the write succeeded", async () => {
    const story = createStory();
    const failed = createTranscript({ cwd: SHOP })
      .user(TABS)
      .toolCall("Write", { file_path: join(story.memoryDir(SHOP), "feedback_tabs.md") })
      .other({
        type: "user",
        uuid: "00000000-0000-4000-8000-0000000000f1",
        sessionId: sessionIdOf(1),
        cwd: SHOP,
        timestamp: "2026-05-04T09:03:00.000Z",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: "denied" }],
        },
      });
    story.transcript(SHOP, S1, failed.assistant("Could not.").text());

    expect((await story.sync()).memories.created).toBe(1);
  });
});

describe("scripted sessions", () => {
  it("are counted and skipped until they are wanted, and then a backfill reads them", async () => {
    const story = createStory();
    story.transcript(
      SHOP,
      S1,
      createTranscript({ cwd: SHOP, entrypoint: "sdk-cli" }).user(TABS).assistant("ok").text(),
    );

    const skipped = await story.sync({ backfillDays: "all" });
    story.config({ extract: { headless: true } });
    const ordinary = await story.sync();
    const backfill = await story.sync({ backfillDays: "all" });

    expect(skipped.agents["claude-code"]).toMatchObject({ sessions: 0, headlessSessions: 1 });
    expect(skipped.skipped).toEqual([{ session: sessionIdOf(1), reason: "headless" }]);
    expect(ordinary.records).toBe(0);
    expect(backfill.memories.created).toBe(1);
  });
});
