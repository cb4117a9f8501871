// Memory that comes back: quoted, injected, read by a tool or pasted, it neither grows stronger nor becomes new.
// Faults 105 and 106.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript, recordIdOf, type TranscriptBuilder } from "../helpers/claude-transcript.ts";
import { type ModelStub, startModelStub } from "../helpers/model-stub.ts";
import { createStory, S1, SHOP, type Story } from "./story.ts";

const RULE = "From now on always use tabs for indentation in commits.";
const FILE = "feedback_tabs.md";
const TEXT = `---\nname: tabs\ndescription: ${RULE}\nmetadata:\n  type: feedback\n  confirmed: 2026-01-02\n---\n${RULE}\n\n**Why:** it was said.\n**How to apply:** in commits.\n`;

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

type Echo = (session: TranscriptBuilder, dir: string) => TranscriptBuilder;

const ECHOES: readonly (readonly [where: string, echo: Echo])[] = [
  [
    "in a reminder",
    (session) => session.user(`<system-reminder>Contents of MEMORY.md:\n${RULE}</system-reminder>`),
  ],
  [
    "in a file the agent read",
    (session, dir) => session.toolCall("Read", { file_path: join(dir, FILE) }).toolResult(TEXT),
  ],
  [
    "in a search of the folder",
    (session, dir) => session.toolCall("Bash", { command: `grep -r tabs ${dir}` }).toolResult(RULE),
  ],
  [
    "in the output of engramd",
    (session) => session.toolCall("Bash", { command: "engramd show tabs" }).toolResult(TEXT),
  ],
  [
    "in an answer of our own server",
    (session) => session.toolCall("mcp__engramd__recall", {}).toolResult(RULE),
  ],
  [
    "in a file the person pasted",
    (session) => session.user(`what is this?\n\n${TEXT.replace(`\n${RULE}\n`, "\n")}`),
  ],
  [
    "in the text of a file the person pasted",
    (session) => session.user(`is this still right?\n\n${TEXT.split("---\n")[2] ?? ""}`),
  ],
  [
    "in what a hook added to a message",
    (session) => session.user(`fix it\n<user-prompt-submit-hook>${RULE}</user-prompt-submit-hook>`),
  ],
  [
    "in what another memory added to a message",
    (session) => session.user(`fix it\n<relevant-memories>\n- ${RULE}\n</relevant-memories>`),
  ],
  ["in an index the person pasted", (session) => session.user(`why?\n- [${RULE}](${FILE}) — ${RULE}`)],
  ["in a terminal the person pasted", (session) => session.user(`why?\n$ engramd show tabs\ntabs\n${RULE}`)],
  [
    "in our first screen",
    (session) => session.user(`ok?\nengramd is watching (offline: no network, no cost)\n${RULE}`),
  ],
  ["in a log line", (session) => session.user(`ok?\n{"level":30,"event":"memory:written","text":"${RULE}"}`)],
];

function storyWith(echo: Echo): Story {
  const story = createStory();
  const dir = story.memoryDir(SHOP);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, FILE), TEXT);
  const session = echo(
    createTranscript({ cwd: SHOP }).user("please look at the notes here").assistant("Looking."),
    dir,
  );
  story.transcript(SHOP, S1, session.assistant("Done.").text());
  return story;
}

const known = (story: Story) => readFileSync(join(story.memoryDir(SHOP), FILE), "utf8");

describe("a memory that comes back", () => {
  it.each(ECHOES)("%s is not learnt again by the rules", async (_where, echo) => {
    const story = storyWith(echo);

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, updated: 0, confirmed: 0 });
    expect(known(story)).toBe(TEXT);
  });

  it.each(ECHOES)("%s confirms nothing, whatever a model makes of it", async (_where, echo) => {
    const story = storyWith(echo);
    story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
    stub.otherwise({ blocks: ["Done."] });
    const body = TEXT.split("---\n")[2] ?? "";
    const records = [3, 4].map((number) => ({ recordId: recordIdOf(number), quote: RULE }));
    const wish = { name: "tabs", description: RULE, type: "feedback", body };
    stub.reply(
      { blocks: [{ tool: "read", input: { file: FILE } }] },
      {
        blocks: [
          ...records.map((quote) => ({ tool: "write", input: { ...wish, file: FILE, evidence: [quote] } })),
          ...records.map((quote, at) => ({
            tool: "write",
            input: { ...wish, name: `tabs-${at}`, file: `feedback_tabs_${at}.md`, evidence: [quote] },
          })),
        ],
      },
    );

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, updated: 0, confirmed: 0 });
    expect(known(story)).toBe(TEXT);
  });

  it("is confirmed when the person types it again", async () => {
    const story = storyWith((session) => session.user(RULE));

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, confirmed: 1 });
  });
});
