// A folder of planted faults, looked at and mended by an engramd of its own: what is listed, what is mended, what stays.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { costOf } from "../helpers/cost.ts";
import { createTempFolder } from "../helpers/temp-folder.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { createStory, S1, type Story, TABS } from "./story.ts";

/** Plain readings (see the helper) that 2,000 memories may cost. */
const LINT_READINGS_MAX = 400;

const WHY = "**Why:** it saves a call.\n**How to apply:** whenever it comes up.";

function topic(name: string, text: string, type = "reference"): string {
  const reasons = type === "feedback" || type === "project" ? `\n\n${WHY}` : "";
  return `---\nname: ${name}\ndescription: ${text}\ntype: ${type}\n---\n${text}${reasons}\n`;
}

const PLACES = ["reed", "moss", "fern", "clay", "slate", "birch", "cedar", "heron", "otter", "finch"];
const THINGS = ["printer", "kettle", "archive", "mirror", "beacon", "ledger"];

function plant(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Every file below a folder with its bytes and its time. */
function imageOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => [name, lstatSync(join(folder, name))] as const)
      .map(([name, facts]) => [
        name,
        facts.isFile() ? `${facts.mtimeMs} ${readFileSync(join(folder, name), "base64")}` : "folder",
      ]),
  );
}

/** 60 memories: one twice, one without a line, one with a relative date, one that names a file that is gone. */
function faultyMemories(): Record<string, string> {
  const plain = PLACES.flatMap((place) => THINGS.map((thing) => [place, thing] as const)).slice(0, 56);
  return {
    ...Object.fromEntries(
      plain.map(([place, thing]) => [
        `reference_${thing}_${place}.md`,
        topic(
          `${thing}-${place}`,
          `The ${thing} of ${place} is kept by the ${place} team in the ${thing} room.`,
        ),
      ]),
    ),
    "project_host.md": topic("host", "The staging host is called willow.", "project"),
    "project_host_again.md": topic("host-again", "The staging host is called willow.", "project"),
    "project_freeze.md": topic("freeze", "The code freeze begins next week.", "project"),
    "reference_retry.md": topic("retry", "The retry logic is explained in `docs/retry.md`."),
  };
}

const ORPHAN = "reference_kettle_fern.md";
const LONG = "with a hook that goes on and on ".repeat(6).trim();

/** A dead line, two long ones, and many times the same line; the person's own words around it. */
function faultyIndex(files: readonly string[]): string {
  const lined = files.filter((file) => file !== ORPHAN);
  const [first = "", second = "", ...rest] = lined.map((file) => file.replace(".md", ""));
  const repeated = Array.from(
    { length: 190 },
    () => `- [${second}](${second}.md) — ${"again ".repeat(13).trim()}`,
  );
  return [
    "# What I know",
    "",
    `- [${first}](${first}.md) — ${LONG}`,
    `- [${second}](${second}.md) — ${LONG}`,
    "- [Old printer](reference_gone.md) — no longer there",
    ...rest.map((file) => `- [${file}](${file}.md) — short`),
    ...repeated,
    "",
    "My own last words.",
    "",
  ].join("\n");
}

interface Planted {
  readonly story: Story;
  readonly root: string;
  readonly memoryDir: string;
  readonly before: Readonly<Record<string, string>>;
}

async function planted(): Promise<Planted> {
  const root = createTempFolder().folder("shop");
  plant(root, { "package.json": "{}", "docs/guide.md": "" });
  const story = createStory();
  story.transcript(root, S1, createTranscript({ cwd: root }).user("hello").assistant("ok").text());
  await story.sync();
  const memoryDir = story.memoryDir(root);
  const memories = faultyMemories();
  const before = { ...memories, "MEMORY.md": faultyIndex(Object.keys(memories).toSorted()) };
  plant(memoryDir, before);
  return { story, root, memoryDir, before };
}

function textsOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

const FIXABLE = [
  "dead-index-line",
  "exact-duplicate",
  "index-too-large",
  "long-index-line",
  "long-index-line",
  "orphan-file",
  "too-many-index-lines",
];

describe("lint", () => {
  it("lists the seven faults of the folder, the relative date and the vanished file, and writes nothing", async () => {
    const { story, root, memoryDir } = await planted();
    const before = [imageOf(memoryDir), imageOf(story.home.stateDir)];

    const { findings } = await story.ask((service) => service.lint({ project: root }));

    const codes = (fixable: boolean) =>
      findings
        .filter((each) => each.fixable === fixable)
        .map(({ code }) => code)
        .toSorted();
    expect(codes(true)).toEqual(FIXABLE);
    expect(codes(false)).toEqual(["relative-date", "vanished-path"]);
    expect(findings.find(({ code }) => code === "vanished-path")).toMatchObject({
      file: "reference_retry.md",
      line: 6,
      project: root,
    });
    expect([imageOf(memoryDir), imageOf(story.home.stateDir)]).toEqual(before);
  });

  it("--fix mends the seven; every other byte stays, and a second time changes nothing", async () => {
    const { story, root, memoryDir, before } = await planted();

    const mended = await story.ask((service) => service.fixLint({ project: root }));

    expect(mended.fixed?.map(({ code }) => code).toSorted()).toEqual(FIXABLE);
    expect(mended.findings.map(({ code }) => code).toSorted()).toEqual(["relative-date", "vanished-path"]);
    const { "MEMORY.md": index = "", ...files } = textsOf(memoryDir);
    const { "MEMORY.md": _, "project_host_again.md": __, ...kept } = before;
    expect(files).toEqual(kept);
    const lines = index.split("\n");
    expect(lines.length - 1).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(index)).toBeLessThanOrEqual(25_000);
    expect(lines.every((line) => line.length <= 150)).toBe(true);
    expect(lines.slice(0, 2)).toEqual(["# What I know", ""]);
    expect(lines.at(-2)).toBe("My own last words.");
    expect(index).toContain(`(${ORPHAN})`);
    const image = imageOf(memoryDir);

    const again = await story.ask((service) => service.fixLint({ project: root }));

    expect(again).toMatchObject({ fixed: [], runs: [], kept: [] });
    expect(imageOf(memoryDir)).toEqual(image);
  });

  it("--fix is a run of the history that undo takes back, index included", async () => {
    const { story, root, memoryDir, before } = await planted();
    const { runs = [] } = await story.ask((service) => service.fixLint({ project: root }));

    const { runs: listed } = await story.ask((service) => service.history({ project: root }));
    const shown = await story.ask((service) => service.diff({ run: runs[0] ?? "" }));
    const undone = await story.ask((service) => service.undo({ run: runs[0] ?? "" }));

    expect(runs).toHaveLength(1);
    expect(listed.find(({ id }) => id === runs[0])).toMatchObject({
      kind: "lint",
      outcome: "succeeded",
      undoable: true,
      files: ["project_host_again.md", "MEMORY.md"],
    });
    expect(shown.files.map(({ file, patch }) => [file, patch !== null])).toEqual([
      ["project_host_again.md", true],
      ["MEMORY.md", true],
    ]);
    expect(undone).toMatchObject({ outcome: "undone", refused: [] });
    expect(textsOf(memoryDir)).toEqual(before);
  });

  it("--fix that only mends the index is in the history, undoable, and no news of a memory", async () => {
    const root = createTempFolder().folder("shop");
    const story = createStory();
    story.transcript(root, S1, createTranscript({ cwd: root }).user(TABS).assistant("ok").text());
    await story.sync();
    const memoryDir = story.memoryDir(root);
    const index = `${story.index(root)}- [Gone](gone.md) — was here\n`;
    plant(memoryDir, { "MEMORY.md": index });
    await story.ask((service) => service.news({ looked: true }));

    const { runs = [], fixed } = await story.ask((service) => service.fixLint({ all: true }));

    expect(fixed).toMatchObject([{ code: "dead-index-line" }]);
    expect(story.index(root)).not.toContain("gone.md");
    const { runs: listed } = await story.ask((service) => service.history({}));
    expect(listed[0]).toMatchObject({
      id: runs[0],
      outcome: "succeeded",
      undoable: true,
      files: ["MEMORY.md"],
    });
    expect((await story.ask((service) => service.news({}))).projects).toEqual([]);
    await story.ask((service) => service.undo({ run: runs[0] ?? "" }));
    expect(story.index(root)).toBe(index);
  });

  it("finds nothing wrong in what engramd saves", async () => {
    const root = createTempFolder().folder("shop");
    const story = createStory();
    story.transcript(root, S1, createTranscript({ cwd: root }).user(TABS).assistant("ok").text());
    await story.sync();

    const { findings } = await story.ask((service) => service.lint({ project: root }));

    expect(story.topics(root)).toHaveLength(1);
    expect(findings).toEqual([]);
  });

  it("looks at 2,000 memories at a bounded cost", async () => {
    const root = createTempFolder().folder("shop");
    const story = createStory();
    story.transcript(root, S1, createTranscript({ cwd: root }).user("hello").assistant("ok").text());
    await story.sync();
    const many = Array.from({ length: 2_000 }, (_, at) => {
      const words = Array.from(
        { length: 12 },
        (__, place) => PLACES[(at * (place + 3) + place) % PLACES.length],
      );
      return [`f${at}.md`, topic(`f${at}`, `Ticket AB-${at} of ${words.join(" ")}.`)] as const;
    });
    plant(story.memoryDir(root), Object.fromEntries(many));

    const found = new Set<string>();
    const look = async () => {
      const { findings } = await story.ask((service) => service.lint({ project: root }));
      for (const { code } of findings) found.add(code);
    };

    expect(await costOf(look, { enough: LINT_READINGS_MAX })).toBeLessThan(LINT_READINGS_MAX);
    expect(found).toContain("orphan-file");
  });
});
