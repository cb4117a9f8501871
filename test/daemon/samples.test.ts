// Stories about genuine transcripts, where the optional data is there: a pass counts what is in them, writes
// nothing it should not, and learns from one typed sentence.
import { createHash } from "node:crypto";
import { appendFileSync, chmodSync, cpSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SyncReport } from "../../src/domain/service.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { sampleData } from "../helpers/sample-data.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE } from "./story.ts";

const homes = ["samples/claude-code", "samples/claude-code-2.1.197"].flatMap(
  (name) => sampleData(name) ?? [],
);
const DEMO = "-home-dev-src-demo";

/** Both client versions' transcripts in one home; the copies may be written. */
function storyOfSamples(): Story {
  const story = createStory();
  for (const home of homes) {
    cpSync(join(home, ".claude/projects"), story.home.claudeProjects, { recursive: true });
    makeWritable(story.home.claudeProjects);
  }
  return story;
}

/** The data may be read-only, folders included: an ordinary user could not copy the second home over the first. */
function makeWritable(folder: string): void {
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  }
}

/** Every file below the projects with its hash. */
function contents(story: Story): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(story.home.claudeProjects, { recursive: true, encoding: "utf8" })) {
    const path = join(story.home.claudeProjects, name);
    if (statSync(path).isFile())
      found.set(name, createHash("sha256").update(readFileSync(path)).digest("hex"));
  }
  return found;
}

async function syncAsCommand(story: Story, ...args: string[]): Promise<SyncReport> {
  const { stdout, stderr, code } = await runCommand({ home: story.home, args: ["sync", "--json", ...args] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as SyncReport;
}

describe.skipIf(homes.length < 2)("genuine transcripts", () => {
  it("are counted whole by a backfill, left byte-identical, and not read a second time", async () => {
    const story = storyOfSamples();
    story.config({ extract: { headless: true } });
    const before = contents(story);

    const first = await syncAsCommand(story, "--backfill", "all");
    const second = await syncAsCommand(story);
    const third = await syncAsCommand(story, "--backfill", "all");

    expect(first.agents["claude-code"]).toEqual({
      sessions: 20,
      typedMessages: 26,
      headlessSessions: 0,
      damagedLines: 0,
    });
    expect(first.memories).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect(second).toMatchObject({ records: 0, agents: first.agents, sessions: { new: 0, processed: 0 } });
    expect(third).toMatchObject({ records: 0, agents: first.agents });
    expect(contents(story)).toEqual(before);
  });

  it("of scripted runs are only counted until a person wants them", async () => {
    const story = storyOfSamples();
    const before = contents(story);

    const report = await syncAsCommand(story, "--backfill", "all");

    expect(report.agents["claude-code"]).toMatchObject({
      sessions: 0,
      typedMessages: 0,
      headlessSessions: 20,
    });
    expect(report.memories).toMatchObject({ created: 0, candidates: 0 });
    expect(report.skipped.every(({ reason }) => reason === "headless")).toBe(true);
    expect(new Set(report.skipped.map(({ session }) => session)).size).toBe(20);
    expect(contents(story)).toEqual(before);
  });

  it("teach exactly one memory from one interactive sentence typed later", async () => {
    const story = storyOfSamples();
    await syncAsCommand(story, "--backfill", "all");
    const path = join(story.home.claudeProjects, DEMO, "eeb3f460-5091-4e7c-ba4d-15300e2ec4a1.jsonl");
    const recordId = "0a0b0c0d-0000-4000-8000-00000000e001";
    const common = {
      isSidechain: false,
      userType: "external",
      entrypoint: "cli",
      cwd: "/home/dev/src/demo",
      sessionId: "eeb3f460-5091-4e7c-ba4d-15300e2ec4a1",
      version: "2.1.332",
    };
    const lines = [
      {
        ...common,
        parentUuid: null,
        type: "user",
        message: { role: "user", content: RELEASE },
        uuid: recordId,
        timestamp: "2026-11-30T08:00:00.000Z",
      },
      {
        ...common,
        parentUuid: recordId,
        type: "assistant",
        message: {
          id: "msg_e2",
          type: "message",
          role: "assistant",
          content: [{ type: "text", text: "Understood." }],
          stop_reason: "end_turn",
        },
        uuid: "0a0b0c0d-0000-4000-8000-00000000e002",
        timestamp: "2026-11-30T08:00:05.000Z",
      },
    ];
    appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const before = contents(story);

    const report = await syncAsCommand(story);

    expect(report.memories).toMatchObject({ created: 1, updated: 0, confirmed: 0, deleted: 0 });
    const after = contents(story);
    const made = [...after.keys()].filter((name) => !before.has(name));
    expect(made).toHaveLength(1);
    const [file = ""] = made;
    const memory = readFileSync(join(story.home.claudeProjects, file), "utf8");
    expect(file).toMatch(new RegExp(`^${DEMO}/memory/(?:project|feedback)_[a-z0-9_]+\\.md$`));
    expect(memory).toMatch(
      /^---\nname: [a-z0-9-]+\ndescription: .+\nmetadata:\n {2}node_type: memory\n {2}type: (?:project|feedback)\n/,
    );
    expect(memory).toMatch(new RegExp(`\n {2}evidence: .*${recordId}`));
    expect(memory).toContain("originSessionId: eeb3f460-5091-4e7c-ba4d-15300e2ec4a1");
    expect(memory).toContain("release branch");
    const index = readFileSync(join(story.home.claudeProjects, DEMO, "memory/MEMORY.md"), "utf8");
    expect(index.split("\n").filter((line) => line.includes(`](${file.split("/").at(-1)})`))).toHaveLength(1);
    // Nothing but the index and the new file changed; the hand-written memories and their lines stay.
    const changed = [...before].filter(([name, hash]) => after.get(name) !== hash).map(([name]) => name);
    expect(changed).toEqual([`${DEMO}/memory/MEMORY.md`]);
    expect(index).toContain("](feedback_tests.md)");
    expect((await syncAsCommand(story, "--backfill", "all")).memories.created).toBe(0);
  });

  it("are not touched by a dry run, which says what would be read", async () => {
    const story = storyOfSamples();
    story.config({ extract: { headless: true } });
    const before = contents(story);

    const report = await syncAsCommand(story, "--backfill", "all", "--dry-run");

    expect(report.sessions.new).toBe(20);
    expect(report.estimate).toMatchObject({ requests: 0, usd: 0 });
    expect(contents(story)).toEqual(before);
  });
});
