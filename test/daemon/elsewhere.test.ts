// A person asks in one project about what another one holds, or by half a name: each answer says what to type instead.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { started, turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, S2, SHOP } from "./story.ts";

const TAX = "/home/ana/tax '25";
const TAX_WORD = `'/home/ana/tax '\\''25'`;
const EMPTY = "/home/ana/empty";

async function twoProjects(): Promise<Story> {
  const story = createStory();
  story.transcript(SHOP, S1, turn(RELEASE));
  const tax = createTranscript({ cwd: TAX }).user("Remember that the tax database is read-only.");
  story.transcript(TAX, S2, tax.assistant("ok").text());
  await story.sync();
  return story;
}

function ask(story: Story, project: string, ...args: readonly string[]) {
  return runCommand({ home: story.home, args: [...args, "--project", project] });
}

describe.each([["without a daemon"], ["with a daemon"]])("%s", (how) => {
  it("a name of another project is told with the option that leads there, and nothing is forgotten", async () => {
    const story = await twoProjects();
    if (how === "with a daemon") await started(story);
    const [file = ""] = story.topics(TAX);

    for (const command of ["show", "forget", "why"]) {
      const { code, stderr } = await ask(story, SHOP, command, file);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(stderr).toContain(`another project has it: add --project ${TAX_WORD} (`);
    }
    expect(story.topics(TAX)).toEqual([file]);
  });

  it("half a name is told whole", async () => {
    const story = await twoProjects();
    if (how === "with a daemon") await started(story);

    for (const command of ["show", "forget", "why"]) {
      const { stderr } = await ask(story, SHOP, command, "release");
      expect(stderr).toContain("did you mean deploy-release-branch-never-main?");
      expect((await ask(story, SHOP, command, "elephant")).stderr).not.toContain("did you mean");
    }
    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("a file of that name that is no memory is told with the reason", async () => {
    const story = await twoProjects();
    writeFileSync(join(story.memoryDir(SHOP), "photo.md"), Buffer.from([0xff, 0xfe, 0x00]));
    if (how === "with a daemon") await started(story);

    const { code, stderr } = await ask(story, SHOP, "forget", "photo");

    expect(code).toBe(1);
    expect(stderr).toContain("there is a file photo.md, which is no memory (is not UTF-8 text)");
  });

  it("a project without memories says how many others have, and how to search them", async () => {
    const story = await twoProjects();
    if (how === "with a daemon") await started(story);

    const list = await ask(story, EMPTY, "list");
    const search = await ask(story, EMPTY, "search", "database");

    expect(list.stdout).toBe("no memories here yet\n2 memories in 2 other projects: engramd list --all\n");
    expect(search.stdout).toBe(
      "no memory has any of these words\nof other projects 1 fits: engramd search database --all\n",
    );
    expect(JSON.parse((await ask(story, EMPTY, "list", "--json")).stdout).memories).toEqual([]);
  });
});

it("looking at memories where engramd never ran leaves nothing behind", async () => {
  const story = createStory();

  for (const args of [["list"], ["list", "--all"], ["search", "tabs"], ["show", "tabs"]])
    await ask(story, EMPTY, ...args);

  expect(readdirSync(story.home.home).toSorted()).toEqual([".claude"]);
});
