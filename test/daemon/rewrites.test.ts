// Stories about files that do not simply grow: rewritten, cut, copied, replaced, deleted while somebody reads them.
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createStory, SHOP, S1, S2, TABS, MOCKS, RELEASE } from "./story.ts";

const from = (firstNumber: number, sessionId = sessionIdOf(1)) =>
  createTranscript({
    cwd: SHOP,
    sessionId,
    firstNumber,
    startAt: Date.UTC(2026, 4, 4) + firstNumber * 3_600_000,
  });

describe("a rewritten transcript", () => {
  it("that is longer than before, with a record across the old end, gives every new word once", async () => {
    // B07b
    const story = createStory();
    const path = story.transcript(SHOP, S1, from(1).user("one").assistant("ok").user("three").text());
    await story.sync();
    const size = statSync(path).size;
    const next = from(21).user("a").user(TABS).user("c").user(MOCKS).assistant("ok").text();
    expect(next.length).toBeGreaterThan(size);
    expect(next[size - 1]).not.toBe("\n");

    writeFileSync(path, next);
    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 2 });
    expect(report.damagedLines).toBe(0);
    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 6 });
    expect((await story.sync()).records).toBe(0);
  });

  it("cut while half a line was waiting at its end never mixes old and new bytes", async () => {
    // B07e
    const story = createStory();
    const old = from(1).user("one").assistant("ok").user("three").text();
    const half = from(9).user(TABS).text().slice(0, -30);
    const path = story.transcript(SHOP, S1, old + half);
    await story.sync();
    const first = old.indexOf("\n") + 1;

    truncateSync(path, first);
    appendFileSync(path, from(31).user(MOCKS).assistant("ok").text());
    const report = await story.sync();

    expect(report).toMatchObject({ damagedLines: 0, memories: { created: 1 } });
    expect(story.learnt(SHOP)).toContain("real database");
    expect(story.learnt(SHOP)).not.toContain("tabs");
    expect(report.agents["claude-code"]).toMatchObject({ typedMessages: 3 });
  });

  it("in place with its time put back is noticed all the same", async () => {
    // B07a
    const story = createStory();
    const path = story.transcript(
      SHOP,
      S1,
      from(1)
        .user("one")
        .user("two, a little longer than it was")
        .user("three")
        .assistant("ok")
        .user("five")
        .text(),
    );
    await story.sync();
    const { size, mtime } = statSync(path);

    writeFileSync(
      path,
      `${from(11)
        .user(TABS)
        .text()
        .trimEnd()
        .padEnd(size - 1)}\n`,
    );
    utimesSync(path, mtime, mtime);
    const report = await story.sync();

    expect(statSync(path).size).toBe(size);
    expect(report.memories.created).toBe(1);
  });

  it("whose last known record is gone is looked at whole again, and nothing is learnt twice", async () => {
    // Reference: cursor gone after compaction.
    const story = createStory();
    const path = story.transcript(
      SHOP,
      S1,
      from(1).user(TABS).assistant("ok").user(MOCKS).assistant("ok").text(),
    );
    await story.sync();
    const [kept = ""] = readFileSync(path, "utf8").split("\n");

    writeFileSync(
      path,
      `${kept}\n${from(51).user("a summary came here").user(RELEASE).assistant("ok").text()}`,
    );
    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1, updated: 0, confirmed: 0 });
    expect(story.topics(SHOP)).toHaveLength(3);
    expect(report.agents["claude-code"]).toMatchObject({ typedMessages: 4 });
  });

  it("replaced by another session's content under the same name is read from its start", async () => {
    // Fault 32
    const story = createStory();
    const path = story.transcript(SHOP, S1, from(1).user(TABS).assistant("ok").text());
    await story.sync();

    writeFileSync(`${path}.tmp`, from(70).user("quite other words").user(MOCKS).assistant("ok").text());
    renameSync(`${path}.tmp`, path);

    expect((await story.sync()).memories).toMatchObject({ created: 1, confirmed: 0 });
  });
});

describe("a copied transcript", () => {
  const parent = () => from(1).user(TABS).assistant("ok").user("No default exports.").assistant("fine");

  it("with nothing new is no new session and causes no run", async () => {
    // B08b
    const story = createStory();
    story.transcript(SHOP, S1, parent().text());
    const before = await story.sync();
    story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, parent().text());

    const report = await story.sync();

    expect(report.agents).toEqual(before.agents);
    expect(report.runs).toEqual([]);
    expect(report.memories).toMatchObject({ created: 0, updated: 0, confirmed: 0 });
  });

  it("with fresh record ids but the same times and words teaches nothing", async () => {
    // B08c
    const story = createStory();
    story.transcript(SHOP, S1, parent().text());
    const before = await story.sync();
    const fresh = parent()
      .text()
      .replaceAll(sessionIdOf(1), sessionIdOf(4))
      .replaceAll("00000000-0000-4000-8000", "99999999-0000-4000-8000");
    story.transcript(SHOP, `${sessionIdOf(4)}.jsonl`, fresh);

    const report = await story.sync();

    expect(report.agents).toEqual(before.agents);
    expect(report.runs).toEqual([]);
    expect(report.memories).toMatchObject({ created: 0, updated: 0, confirmed: 0 });
  });

  it("is a new session only for the words typed after the fork", async () => {
    // B08
    const story = createStory();
    story.transcript(SHOP, S1, parent().text());
    await story.sync();
    const history = parent().text().replaceAll(sessionIdOf(1), sessionIdOf(2));
    story.transcript(SHOP, S2, history + from(60, sessionIdOf(2)).user(MOCKS).assistant("ok").text());

    const report = await story.sync();

    expect(report.agents["claude-code"]).toMatchObject({ sessions: 2, typedMessages: 3 });
    expect(report.memories).toMatchObject({ created: 1, confirmed: 0 });
    expect(story.learnt(SHOP)).toContain(`originSessionId: ${sessionIdOf(2)}`);
  });
});

describe("a vanishing transcript", () => {
  it("ends its job once as gone, keeps what it taught, and leaves the daemon's other work alone", async () => {
    // B15: removed while it is being read, that is between two slices.
    const story = createStory();
    const filler = Array.from({ length: 120 }, (_, n) =>
      from(100 + 2 * n)
        .user(`note ${n}`)
        .assistant("x".repeat(100_000))
        .text(),
    ).join("");
    const path = story.transcript(
      SHOP,
      S1,
      from(1).user(TABS).assistant("ok").text() + filler + from(900).user(MOCKS).text(),
    );
    const other = story.transcript(SHOP, S2, from(950, sessionIdOf(2)).user(RELEASE).assistant("ok").text());
    utimesSync(path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));

    const { report, events } = await story.inside(async ({ parts, service, events }) => {
      parts.emitter.on("memory:written", () => rmSync(path, { force: true }));
      return { report: await service.sync({}), events };
    });

    expect(report.skipped).toContainEqual({ session: sessionIdOf(1), reason: "source-gone" });
    expect(events.seen("transcript:vanished")).toHaveLength(1);
    expect(events.seen("transcript:vanished")[0]?.unreadBytes).toBeGreaterThan(0);
    expect(events.seen("job:started")).toHaveLength(1);
    expect(story.learnt(SHOP)).toContain("tabs");
    expect(story.learnt(SHOP)).toContain("release branch");
    expect(story.learnt(SHOP)).not.toContain("real database");
    expect((await story.sync()).skipped).toEqual([]);
    expect(statSync(other).size).toBeGreaterThan(0);
  });

  it("that was read leaves its memories, and its deletion changes nothing", async () => {
    // B15
    const story = createStory();
    const path = story.transcript(SHOP, S1, from(1).user(TABS).assistant("ok").text());
    await story.sync();
    const before = story.learnt(SHOP);
    rmSync(path);

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect(story.learnt(SHOP)).toBe(before);
    expect((await story.ask((service) => service.status())).warnings).toEqual([]);
  });

  it("root that goes away and comes back is read on, not again", async () => {
    // Faults 21, 23
    const story = createStory();
    const path = story.transcript(SHOP, S1, from(1).user(TABS).assistant("ok").text());
    const away = `${story.home.claudeProjects}.away`;
    const first = await story.sync();

    renameSync(story.home.claudeProjects, away);
    const without = await story.sync();
    renameSync(away, story.home.claudeProjects);
    appendFileSync(path, from(20).user(MOCKS).assistant("ok").text());
    const back = await story.sync();

    expect(without.memories).toMatchObject({ created: 0, deleted: 0 });
    expect(back.memories).toMatchObject({ created: 1, confirmed: 0 });
    // One turn of the same shape, and not the old one besides.
    expect(back.records).toBe(first.records);
    expect(back.agents["claude-code"]).toMatchObject({ typedMessages: 2 });
  });

  it("root that is removed and made again is read, also when it was not there at the start", async () => {
    // Faults 21, 22
    const story = createStory();
    rmSync(dirname(story.home.claudeProjects), { recursive: true });
    expect((await story.sync()).records).toBe(0);
    mkdirSync(story.home.claudeProjects, { recursive: true });
    story.transcript(SHOP, S1, from(1).user(TABS).assistant("ok").text());

    expect((await story.sync()).memories.created).toBe(1);

    rmSync(join(story.home.claudeProjects), { recursive: true });
    await story.sync();
    story.transcript(SHOP, S2, from(30, sessionIdOf(2)).user(MOCKS).assistant("ok").text());
    expect((await story.sync()).memories.created).toBe(1);
  });
});

describe("a long reading that is interrupted", () => {
  it("counts every message once and learns the rest the next time", async () => {
    const story = createStory();
    const filler = (n: number) =>
      Array.from({ length: 60 }, (_, k) =>
        from(n + 2 * k)
          .user(`note ${n + k}`)
          .assistant("x".repeat(100_000))
          .text(),
      ).join("");
    const told = [
      from(1).user(TABS).assistant("ok"),
      from(301).user(MOCKS).assistant("ok"),
      from(601).user(RELEASE),
    ];
    const [tabs = "", mocks = "", release = ""] = told.map((each) => each.text());
    const path = story.transcript(SHOP, S1, tabs + filler(100) + mocks + filler(400) + release);

    await story.inside(async ({ parts, events }) => {
      parts.emitter.on("memory:written", ({ file }) => {
        if (file.includes("database"))
          parts.queue.describe().jobs.forEach(({ key }) => parts.queue.cancel(key));
      });
      await parts.rounds.run(new AbortController().signal);
      parts.due(story.memoryDir(SHOP), { trigger: "test", now: true });
      expect((await events.waitFor("job:finished")).outcome).toMatchObject({ result: "failed" });
    });
    const between = story.topics(SHOP).length;
    const report = await story.sync();

    expect(between).toBe(2);
    expect(story.topics(SHOP)).toHaveLength(3);
    expect(report.memories).toMatchObject({ created: 1, confirmed: 0 });
    expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 123 });
    expect(readFileSync(path, "utf8")).toContain(RELEASE);
  });
});
