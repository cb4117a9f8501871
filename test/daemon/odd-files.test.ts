// Stories about what may lie in a transcript folder: odd bytes, odd sizes, odd names, things that are no files.
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../helpers/daemon-process.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createStory, SHOP, S1, TABS, MOCKS } from "./story.ts";

const from = (firstNumber: number, sessionId = sessionIdOf(1)) =>
  createTranscript({ cwd: SHOP, sessionId, firstNumber });

describe("a transcript", () => {
  it("with CRLF, a byte order mark and no final newline is read whole once the line is ended", async () => {
    // Fault 33
    const story = createStory();
    const text = from(1).user(TABS).assistant("ok").user("hello").text().replaceAll("\n", "\r\n");
    const path = story.transcript(SHOP, S1, `\uFEFF${text.slice(0, -2)}`);
    const first = await story.sync();
    appendFileSync(path, `\r\n${from(20).user(MOCKS).assistant("ok").text()}`);

    const second = await story.sync();

    expect(first.memories.created).toBe(1);
    expect(second.memories.created).toBe(1);
    expect(second.agents["claude-code"]).toMatchObject({ typedMessages: 3, damagedLines: 0 });
  });

  it("with an invalid byte inside typed words keeps the words around it", async () => {
    // Fault 34
    const story = createStory();
    const [before, after] = from(1)
      .user(`Remember that integration tests hit a real data@@base server.`)
      .text()
      .split("@@");
    story.transcript(
      SHOP,
      S1,
      Buffer.concat([Buffer.from(before ?? ""), Buffer.from([0xff]), Buffer.from(after ?? "")]),
    );

    const report = await story.sync();

    expect(report.agents["claude-code"]?.typedMessages).toBe(1);
    expect(report.memories.created).toBe(1);
  });

  it("with a line of many megabytes skips that line, says so, and reads what follows", async () => {
    // Fault 35
    const story = createStory();
    const huge = JSON.stringify({
      type: "user",
      uuid: "00000000-0000-4000-8000-0000000000ee",
      sessionId: sessionIdOf(1),
      cwd: SHOP,
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "x", content: "y".repeat(9 << 20) }],
      },
    });
    story.transcript(SHOP, S1, from(1).user("hello").raw(huge).user(TABS).assistant("ok").text());

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    const [source] = (await story.ask((service) => service.status())).sources;
    expect(source).toMatchObject({ skippedLines: 1, damagedLines: 0, pendingBytes: 0 });
  });

  it("nested a million levels deep costs one damaged line", async () => {
    // Fault 36
    const story = createStory();
    const deep = `{"type":"user","x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
    story.transcript(SHOP, S1, from(1).user("hello").raw(deep).user(TABS).assistant("ok").text());

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
    expect(report.damagedLines).toBe(1);
  });

  it("with strange, missing and future times gives all its messages, none of them from the future", async () => {
    // B45c
    const story = createStory();
    const times = [
      undefined,
      "2026-05-04T09:00:00+09:00",
      1_777_885_200_000,
      "not-a-date",
      "2999-01-01T00:00:00Z",
    ];
    const session = from(1);
    for (const [n, timestamp] of times.entries()) {
      session.user(n === 4 ? TABS : `note ${n}`, { timestamp });
    }
    story.transcript(SHOP, S1, session.assistant("ok").text());

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ typedMessages: 5, damagedLines: 0 });
    expect(story.learnt(SHOP)).not.toContain("2999");
  });
});

describe("a transcript folder", () => {
  it("with pipes, sockets, devices, folders and loops named like transcripts is swept without a hang", async () => {
    // Faults 38, 39
    const story = createStory();
    const real = story.transcript(SHOP, S1, from(1).user(TABS).assistant("ok").text());
    const folder = dirname(real);
    execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    const server = createServer().listen(join(folder, "socket.jsonl"));
    onTestFinished(() => void server.close());
    symlinkSync("/dev/zero", join(folder, "device.jsonl"));
    symlinkSync("/etc/passwd", join(folder, "link.jsonl"));
    mkdirSync(join(folder, "folder.jsonl"));
    symlinkSync("..", join(folder, "loop"));
    symlinkSync(".", join(story.home.claudeProjects, "itself"));
    symlinkSync("nowhere.jsonl", join(folder, "dangling.jsonl"));

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 1, damagedLines: 0 });
    expect(report.memories.created).toBe(1);
  });

  it.each(["constructor", "__proto__", "toString", "a\nb", "\u001b[31mred", "back\\slash", "n".repeat(255)])(
    "called %j is a project folder like any other",
    async (name) => {
      // Faults 40, 41
      const story = createStory();
      const folder = join(story.home.claudeProjects, name);
      mkdirSync(folder);
      writeFileSync(join(folder, S1), from(1).user(TABS).assistant("ok").text());

      const report = await story.sync();

      expect(report.memories.created).toBe(1);
      expect(report.agents["claude-code"]).toMatchObject({ sessions: 1 });
    },
  );

  it("with twins in composed and decomposed spelling has two sessions", async () => {
    // Fault 42
    const story = createStory();
    story.transcript(SHOP, "caf\u00e9.jsonl", from(1, "caf\u00e9").user(TABS).assistant("ok").text());
    story.transcript(SHOP, "cafe\u0301.jsonl", from(20, "cafe\u0301").user(MOCKS).assistant("ok").text());

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 2, typedMessages: 2 });
    expect(report.memories.created).toBe(2);
  });

  it("with names full of escapes puts none of them on the terminal", async () => {
    // Faults 40, 107
    const story = createStory();
    const cwd = "/home/ana/\u001b]0;owned\u0007\u001b[2Jshop\nfake line";
    story.transcript(cwd, "\u001b[31mred.jsonl", createTranscript({ cwd }).user(TABS).assistant("ok").text());
    await story.sync();

    for (const args of [["sync"], ["status"], ["list", "--all"]]) {
      const { stdout, stderr } = await runCommand({ home: story.home, args });
      expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(stdout).not.toMatch(/^fake line/m);
      if (args[0] === "list") expect(stdout).toContain("tabs");
    }
  });
});
