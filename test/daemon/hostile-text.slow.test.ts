// Fault 107: whatever stands in transcripts and memories, no command prints a character a terminal would obey.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import type { Story } from "./story.ts";
import { createStory, S1, S2 } from "./story.ts";

const ESCAPES = "\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202e\u0008";
/** The exit code of a command that showed nothing because it was called wrongly. */
const USAGE = 2;
const CWD = `/home/ana/sh\u001b[31mop\u202e`;
/** Anything a terminal would obey, bidirectional marks included; line feeds are ours. */
// oxlint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const RULE = `Remember that the heron${ESCAPES} service is deployed by hand.`;

/** A memory learnt, one written by hand, a candidate, a removal: all with hostile words, names and titles. */
async function hostileStory(): Promise<{ story: Story; learnt: string; run: string }> {
  const story = createStory();
  const first = createTranscript({ cwd: CWD })
    .user(RULE)
    .assistant(`Done${ESCAPES}.`)
    .user(`We moved to pnpm${ESCAPES} last month.`)
    .assistant("ok");
  story.transcript(CWD, S1, first.text());
  await story.sync();
  const dir = story.memoryDir(CWD);
  mkdirSync(dir, { recursive: true });
  const quoted = JSON.stringify(`by hand${ESCAPES}`);
  const header = `---\nname: ${quoted}\ndescription: ${quoted}\ntype: project\n---\n`;
  writeFileSync(join(dir, "project_hand.md"), `${header}The egret${ESCAPES} is mine.\n`);
  story.transcript(CWD, S2, createTranscript({ cwd: CWD }).user(`Never mind${ESCAPES}.`).text());
  await story.sync();
  const [learnt = ""] = story.topics(CWD).filter((name) => name !== "project_hand.md");
  const { runs } = await story.ask(({ history }) => history({}));
  return { story, learnt, run: runs.at(0)?.id ?? "" };
}

const COMMANDS: readonly ((known: { readonly learnt: string; readonly run: string }) => readonly string[])[] =
  [
    () => ["list", "--all"],
    ({ learnt }) => ["show", learnt],
    () => ["show", "project_hand.md"],
    () => ["show", `no${ESCAPES}such`],
    () => ["search", "heron", "egret"],
    () => ["search", `heron${ESCAPES}`],
    ({ learnt }) => ["why", learnt],
    () => ["why", S1.replace(".jsonl", "")],
    () => ["news"],
    () => ["history"],
    ({ learnt }) => ["history", learnt],
    ({ run }) => ["diff", run],
    ({ run }) => ["undo", run, "--dry-run"],
    () => ["review"],
    () => ["project", "list"],
    () => ["status"],
    () => [],
    () => ["sync"],
    () => ["forget", "project_hand.md"],
  ];

describe("a command never prints what a terminal would obey", () => {
  it("whatever words, names, titles and paths it has to show", async () => {
    const { story, learnt, run } = await hostileStory();
    expect(learnt).not.toBe("");
    expect(run).not.toBe("");

    for (const command of COMMANDS) {
      const args = command({ learnt, run });
      for (const more of [[], ["--json"]]) {
        const { code, stdout, stderr } = await runCommand({
          home: story.home,
          args: [...args, ...(args.length === 0 ? [] : ["--project", CWD]), ...more],
          env: { COLUMNS: "40" },
        });
        const label = [...args, ...more].join(" ");
        expect(`${stdout}${stderr}`, label).not.toBe("");
        expect(code, `${label}: ${stderr}`).not.toBe(USAGE);
        expect(stdout, label).not.toMatch(OBEYED);
        expect(stderr, label).not.toMatch(OBEYED);
      }
    }
  }, 300_000);
});
