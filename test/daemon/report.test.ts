// What is told afterwards of a dream and a distillation: what each file became and why, how large the folder was and is,
// why one failed. Also of what people and hands did.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { diffLines, historyLines } from "../../src/cli/render/history.ts";
import { statusLines } from "../../src/cli/render/status.ts";
import type { HistoryRun } from "../../src/domain/history.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createRunCounts } from "../../src/serve/answers/runs.ts";
import { ANSWERS } from "../../src/serve/control/documents.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { createTempFolder } from "../helpers/temp-folder.ts";
import { checkerOf } from "../schemas/documents.ts";
import { createStory, S1, S2, type Story } from "./story.ts";

const PAGE = { width: 100, now: Date.now() };
const printed = (lines: ReturnType<typeof historyLines>) =>
  lines.map((line) => line.map(({ text }) => text).join("")).join("\n");

function topic(name: string, text: string): string {
  return `---\nname: ${name}\ndescription: ${text}\ntype: reference\n---\n${text}\n`;
}

/** A project with a memory folder that holds these files. */
async function planted(files: Readonly<Record<string, string>>) {
  const root = createTempFolder().folder("shop");
  const story = createStory();
  story.transcript(root, S1, createTranscript({ cwd: root }).user("hello").assistant("ok").text());
  await story.sync();
  const memoryDir = story.memoryDir(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(memoryDir, name)), { recursive: true });
    writeFileSync(join(memoryDir, name), text);
  }
  return { root, story, memoryDir };
}

const TWICE = {
  "reference_host.md": topic("host", "The staging host is called willow."),
  "reference_host_again.md": topic("host-again", "The staging host is called willow."),
};
const FILLERS = Object.fromEntries(
  ["reed", "moss", "fern", "clay", "slate", "birch", "cedar"].map((place) => [
    `reference_${place}.md`,
    topic(place, `The printer of ${place} is on floor ${place.length} of the ${place} house.`),
  ]),
);

async function newest(story: Story, root: string, kind: string): Promise<HistoryRun> {
  const { runs } = await story.ask((service) => service.history({ project: root }));
  const found = runs.find((run) => run.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${runs.map((run) => run.kind).join(", ")}`);
  return found;
}

describe("the history of a dream", () => {
  it("says what was dropped and why, and both sizes, in history and diff", async () => {
    const { root, story } = await planted({ ...TWICE, ...FILLERS });
    const counts = createRunCounts();
    const reply = await story.inside(({ parts, service }) => {
      parts.listen(counts);
      return service.dream({ project: root, force: true });
    });

    expect(counts.all()).toMatchObject([{ kind: "dream", outcome: "succeeded", runs: 1 }]);
    const run = await newest(story, root, "dream");
    const diff = await story.ask((service) => service.diff({ run: run.id }));

    const because = "reference_host.md says the same";
    expect(run).toMatchObject({
      id: reply.run,
      outcome: "succeeded",
      before: reply.before,
      after: reply.after,
      undoable: true,
    });
    expect(run.before?.files).toBe(9);
    expect(run.after?.files).toBe(8);
    expect(run.changes).toContainEqual({ file: "reference_host_again.md", op: "deleted", why: because });
    expect(diff).toMatchObject({ before: reply.before, after: reply.after });
    expect(diff.files.find(({ file }) => file === "reference_host_again.md")).toMatchObject({ because });

    const list = printed(historyLines({ v: 1, runs: [run] }, PAGE));
    expect(list).toContain(`    dropped reference_host_again.md: ${because}`);
    expect(list).toContain("9 memories before, 8 after");
    const shown = printed(diffLines(diff, PAGE));
    expect(shown).toContain(`deleted reference_host_again.md: ${because}`);
    expect(shown).toContain("9 memories before, 8 after");
  });

  it("of one memory says what each run did to it, and nothing about others", async () => {
    const { root, story } = await planted({ ...TWICE, ...FILLERS });
    await story.ask((service) => service.dream({ project: root, force: true }));

    const name = "reference_host_again.md";
    const { runs } = await story.ask((service) => service.history({ project: root, name }));

    expect(runs.flatMap(({ changes = [] }) => changes.map(({ file }) => file))).toEqual([name]);
    expect(printed(historyLines({ v: 1, runs }, PAGE, name))).toContain(`dropped ${name}`);
  });
});

describe("the history of a distillation", () => {
  it("names the day of the log, and both sizes", async () => {
    const { root, story } = await planted({});
    await story.ask((service) =>
      service.log({ project: root, text: "From now on always use pnpm instead of npm here." }),
    );
    const reply = await story.ask((service) => service.distill({ project: root }));

    const run = await newest(story, root, "distill");

    expect(reply.outcome).toBe("succeeded");
    expect(run).toMatchObject({ before: { files: 0 }, after: { files: 1 } });
    expect(run.changes?.map(({ why }) => why)).toEqual([reply.changes[0]?.why]);
    expect(run.changes?.[0]?.why).toMatch(/^noted in the log of \d{4}-\d\d-\d\d$/u);
  });
});

describe("the history of everything else", () => {
  it("says who did it", async () => {
    const { root, story, memoryDir } = await planted({ ...TWICE, ...FILLERS });
    const said = { project: root, text: "Ana has the key of the archive." };
    const { file } = await story.ask((service) => service.remember(said));
    const name = file ?? "";
    await story.ask((service) => service.forget({ project: root, name }));
    const gone = await newest(story, root, "forget");
    await story.ask((service) => service.undo({ run: gone.id }));
    const path = join(memoryDir, "reference_reed.md");
    writeFileSync(path, `${readFileSync(path, "utf8")}And Ben has the other one.\n`);
    rmSync(join(memoryDir, "reference_moss.md"));
    await story.ask((service) => service.remember({ project: root, text: "Ben has the key of the shed." }));

    const { runs } = await story.ask((service) => service.history({ project: root }));
    const why = (kind: string, of = name) =>
      runs
        .filter((run) => run.kind === kind)
        .flatMap(({ changes = [] }) => changes.flatMap((each) => (each.file === of ? [each.why] : [])));

    expect(why("remember")).toEqual(["the person said so to engramd"]);
    expect(why("forget")).toEqual(["the person forgot it"]);
    expect(why("undo")).toEqual(["put back"]);
    expect(why("edit", "reference_reed.md")).toEqual(["by hand"]);
    expect(why("edit", "reference_moss.md")).toEqual(["by hand"]);
  });

  it("never says the name of what was purged", async () => {
    const { root, story } = await planted({ ...TWICE, ...FILLERS });
    await story.ask((service) => service.dream({ project: root, force: true }));
    await story.ask((service) => service.forget({ project: root, name: "host", purge: true }));

    const told = await story.ask(async (service) => {
      const { runs } = await service.history({ project: root });
      return [runs, ...(await Promise.all(runs.map(({ id }) => service.diff({ run: id }))))];
    });

    expect(JSON.stringify(told)).not.toMatch(/reference_host\.md/u);
  });
});

describe("the status of a dream that failed", () => {
  it("says why, what it was, and when it is tried again, whatever else is done meanwhile", async () => {
    const stub = await startModelStub();
    onTestFinished(() => stub.close());
    stub.otherwise({ blocks: ["Nothing to keep."] });
    const { root, story } = await planted({ ...TWICE, ...FILLERS, "MEMORY.md": "# What I know\n" });
    // No room for a single request.
    const dream = { maxInputTokens: 1_000 };
    const firstStart = { backfillDays: { model: 36_500 } };
    story.config({ provider: "local", baseUrl: stub.url, dream, firstStart });

    const { status, reply, early } = await story.inside(async ({ parts, service }) => {
      parts.recordConsent();
      await service.sync({ project: root });
      const reply = await service.dream({ project: root, force: true });
      const early = await service.status();
      await parts.consider();
      const session = { cwd: root, sessionId: sessionIdOf(2), firstNumber: 20 };
      const said = createTranscript(session).user("The printer of reed is new.").assistant("ok");
      story.transcript(root, S2, said.text());
      await service.sync({ project: root });
      expect(stub.requests).not.toEqual([]);
      return { reply, early, status: await service.status() };
    });

    expect(reply).toMatchObject({ outcome: "failed", reason: "token-limit" });
    const [project] = status.projects;
    const retryAt = project?.nextDue.dream;
    // Whichever ends later: a folder that was just met waits for hours, up to a day.
    const gate = project?.gates.dream ?? "";
    expect(["backing-off", "first-sight"]).toContain(gate);
    expect(project).toMatchObject({
      lastError: { kind: "dream", code: "token-limit", message: "a dream changed nothing", retryAt },
    });
    expect(Date.parse(retryAt ?? "")).toBeGreaterThan(PAGE.now);
    const shown = printed(statusLines(status, { ...PAGE, width: 400 }));
    expect(shown).toMatch(/token-limit: a dream changed nothing, again in \d+ (?:min|h)/u);
    expect(printed(statusLines(early, { ...PAGE, width: 400 }))).toMatch(
      /dream [a-z0-9 ]+: failed \(token-limit\)/u,
    );
    expect(shown).toMatch(new RegExp(`in \\d+ (?:min|h) \\(${gate}\\)`, "u"));
    expect(await newest(story, root, "dream")).toMatchObject({ outcome: "failed", reason: "token-limit" });
    expect(checkerOf(ANSWERS.status).safeParse(status).success).toBe(true);
  });
});

describe("what failed", () => {
  const failed: HistoryRun = {
    id: "r1",
    kind: "dream",
    trigger: "schedule",
    at: new Date(PAGE.now).toISOString(),
    project: "/shop",
    outcome: "failed",
    reason: "token-limit",
    files: [],
    usd: 0.1,
    undoable: false,
    undone: false,
    purged: false,
  };

  it("has its reason in the list", () => {
    expect(printed(historyLines({ v: 1, runs: [failed] }, PAGE))).toContain("failed: token-limit");
  });

  it("and a list of many changes has an end", () => {
    const changes = Array.from({ length: 20 }, (_, at) => ({
      file: `a${at}.md`,
      op: "updated",
      why: "tidied\u001b[2J",
    }));
    const list = printed(historyLines({ v: 1, runs: [{ ...failed, changes }] }, PAGE));

    expect(list.match(/rewritten/gu)).toHaveLength(6);
    expect(list).toContain("and 14 more: engramd diff r1");
    expect(list).not.toContain("\u001b");
  });
});
