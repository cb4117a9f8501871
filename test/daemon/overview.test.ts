// Stories about the first screen: every figure against a home with known contents, with and without a daemon.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Overview } from "../../src/domain/overview.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { askSocket } from "../helpers/socket-client.ts";
import { hasTerminal, onTerminal } from "../helpers/terminal.ts";
import { learnt, quickStory, started } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, SHOP, TABS } from "./story.ts";

const CAFE = "/home/ana/cafe";
/** The rules keep it aside as a candidate. */
const PREFERENCE = "I prefer short answers without long introductions.";

function aged(days: number, path: string): void {
  const at = Date.now() / 1000 - days * 86_400;
  utimesSync(path, at, at);
}

/**
 * Four sessions of two projects, one made by a script and one of a subagent: young and typed (3 messages, 2 memories), young
 * and typed elsewhere (2 messages, one of them a candidate), old (12 days), about to be deleted (28 days, 1 message, 1 memory).
 */
function fill(story: Story): void {
  const session = (digit: number, cwd: string) =>
    createTranscript({ cwd, sessionId: sessionIdOf(digit), firstNumber: digit * 100 });
  const write = (digit: number, cwd: string, text: string, name = sessionIdOf(digit)) =>
    story.transcript(cwd, `${name}.jsonl`, text);
  const young = session(1, SHOP).user(TABS).assistant("ok").user(RELEASE).assistant("ok").user("thanks");
  write(1, SHOP, young.assistant("ok").text());
  write(2, CAFE, session(2, CAFE).user(PREFERENCE).assistant("ok").user("go on").assistant("ok").text());
  aged(12, write(3, SHOP, session(3, SHOP).user("an old question").assistant("ok").text()));
  aged(28, write(4, CAFE, session(4, CAFE).user(MOCKS).assistant("ok").text()));
  const script = createTranscript({
    cwd: SHOP,
    sessionId: sessionIdOf(5),
    firstNumber: 500,
    entrypoint: "sdk-cli",
  });
  write(5, SHOP, script.user("do it").assistant("ok").text());
  write(6, SHOP, session(6, SHOP).user("a brief").text(), "agent-6");
}

const overviewOf = (story: Story) => story.ask((service) => service.overview());

describe("the figures of the first screen", () => {
  it("before anything was read are those of the disk, and nothing is written", async () => {
    const story = createStory();
    fill(story);

    const { stdout, code } = await runCommand({ home: story.home, args: ["--json"] });

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      state: "stopped",
      reading: false,
      agents: [
        {
          agent: "claude-code",
          sessions: 5,
          projects: 2,
          expiringSessions: 1,
          roots: [{ path: story.home.claudeProjects, found: true }],
        },
      ],
      typedMessages: 0,
      memories: { saved: 0, total: 0 },
      candidates: 0,
      // The one of 12 days is passed over; the one that is about to go is not.
      unread: { sessions: 4 },
      writesTo: [join(story.home.home, ".claude/projects/*/memory")],
      lastWeek: { sessions: 3 },
    } satisfies Record<keyof Overview, unknown> | object);
    expect(existsSync(story.home.stateDir)).toBe(false);
  });

  it("after it was read are those of what was read and saved", async () => {
    const story = createStory();
    fill(story);
    await story.sync();
    writeFileSync(
      join(story.memoryDir(SHOP), "project_by_hand.md"),
      "---\nname: By hand\ndescription: d\n---\nmine\n",
    );

    const overview = await overviewOf(story);

    expect(overview).toMatchObject({
      agents: [{ sessions: 5, projects: 2, expiringSessions: 0 }],
      typedMessages: 6,
      memories: { saved: 3, total: 4 },
      candidates: 1,
      unread: { sessions: 0, bytes: 0 },
      lastWeek: { sessions: 2, model: "claude-haiku-4-5" },
      spent: { usdToday: 0, usdMonth: 0 },
      warnings: [],
    });
    // 2 sessions with 5 messages: 2 x 3,000 + 5 x 150 tokens in, 2 x 300 out, at 1 and 5 dollars a million.
    expect(overview.lastWeek.inputTokens).toBe(6_750);
    expect(overview.lastWeek.usd).toBeCloseTo(0.00975, 6);
  });

  it("are the same at the daemon's socket, in its own screen and without a daemon", async () => {
    const story = quickStory();
    fill(story);
    const daemon = await started(story);
    await learnt(daemon, story.memoryDir(SHOP), story.memoryDir(CAFE));
    await daemon.stop();
    const again = await started(story);

    const answered = await askSocket(story.home.socket, { method: "GET", path: "/v1/overview" });
    const asked = await runCommand({ home: story.home, args: ["--json"] });
    await again.stop();
    const alone = await runCommand({ home: story.home, args: ["--json"] });

    const served: Overview = JSON.parse(answered.text);
    expect(served).toMatchObject({ state: "idle", reading: false, typedMessages: 6, memories: { saved: 3 } });
    expect(JSON.parse(asked.stdout)).toEqual(served);
    expect(JSON.parse(alone.stdout)).toEqual({ ...served, state: "stopped" });
  });

  it("leave out what a person ignores or switches off", async () => {
    const story = createStory();
    fill(story);
    story.config({ projects: { [SHOP]: { mode: "off" }, [CAFE]: { mode: "propose" } } });
    await story.sync();

    const overview = await overviewOf(story);

    expect(overview).toMatchObject({ writesTo: [], unread: { sessions: 0 }, memories: { saved: 0 } });
  });
});

describe("bare engramd", () => {
  const screenOf = (home: ScratchHome, env: Readonly<Record<string, string>> = {}) =>
    runCommand({ home, args: [], env });

  it("without Claude Code says what it looked for", async () => {
    const home = createScratchHome();
    const empty = home.folder.folder("empty");

    const { stdout, stderr, code } = await screenOf(home, { HOME: empty });

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("no coding agent was found yet");
    expect(stdout).toContain("Claude Code: ~/.claude/projects is not there");
  });

  it("in a home with blanks and letters of other scripts finds everything", async () => {
    const base = createScratchHome();
    const home = base.folder.folder("Ünser Häus 日本");
    const story = createStory({ HOME: home }, undefined, {
      ...base,
      home,
      claudeProjects: join(home, ".claude/projects"),
    });
    fill(story);

    const { stdout } = await runCommand({ home: base, args: [], env: { HOME: home, COLUMNS: "60" } });

    expect(stdout).toContain("Claude Code  5 sessions, 2 projects");
    expect(stdout).toContain("writes only to ~/.claude/projects/*/memory");
    expect(stdout).toContain("1 unread session will be deleted by Claude Code");
  });

  it("says it of the home that CLAUDE_CONFIG_DIR names", async () => {
    const home = createScratchHome();
    const other = home.folder.folder("other claude");
    mkdirSync(join(other, "projects"));

    const { stdout } = await screenOf(home, { CLAUDE_CONFIG_DIR: other });

    expect(stdout).toContain(`writes only to ${other}/projects/*/memory`);
  });

  it("with options takes them, and with anything else does not show it", async () => {
    const home = createScratchHome();

    const bad = await runCommand({ home, args: ["--config", "/nonexistent.json"] });
    const help = await runCommand({ home, args: ["--help"] });

    expect(bad.code).toBe(3);
    expect(help.stdout).toContain("Usage: engramd");
  });
});

describe("run", () => {
  it.skipIf(!hasTerminal)(
    "on a terminal shows the first screen once everything is read (needs script)",
    async () => {
      const story = quickStory();
      fill(story);
      const command = [process.execPath, builtEntry(), "run"];

      const { screen, code } = await onTerminal({
        command,
        env: { ...story.home.env, COLUMNS: "100" },
        when: "in the last 7 days",
        typed: "\u0003",
      });

      expect(code).toBe(0);
      expect(screen).toContain("daemon:ready");
      expect(screen).toContain("engramd is watching (offline: no network, no cost)");
      expect(screen).toContain("read 6 of your messages: 3 memories saved, 1 candidate waiting");
      expect(screen).not.toContain('{"level"');
    },
  );

  it.skipIf(!hasTerminal)("with --json gives log lines there as well (needs script)", async () => {
    const home = createScratchHome();

    const { screen } = await onTerminal({
      command: [process.execPath, builtEntry(), "run", "--json"],
      env: home.env,
      when: "daemon:ready",
      typed: "\u0003",
    });

    const lines = screen.split(/\r?\n/).filter((line) => line.startsWith("{"));
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain("daemon:ready");
    expect(screen).not.toContain("engramd is");
  });
});
