import { describe, expect, it } from "vitest";
import type { Injected } from "../../../../../src/domain/records.ts";
import { READ_LIMITS } from "../../../../../src/domain/limits.ts";
import type { Fields } from "../../../../helpers/claude-transcript.ts";
import { createTranscript } from "../../../../helpers/claude-transcript.ts";
import { fixture, kindsOf, place, STATE_DIR, typedIn } from "./reading.ts";
import { costOf } from "../../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 20;

/** Records of a session in which one user record says `content`. */
async function said(content: unknown, fields: Fields = {}) {
  const line = createTranscript().user("", { message: { role: "user", content }, ...fields });
  return (await place(line.text()).read()).records;
}

describe("the person's words", () => {
  it.each([
    ["a string", "Use tabs.", "Use tabs."],
    [
      "text blocks",
      [{ type: "text", text: "Use tabs." }, { type: "image" }, { type: "text", text: "Please." }],
      "Use tabs.\nPlease.",
    ],
    ["words round a reminder", "Use <system-reminder>a\nb</system-reminder>tabs.", "Use tabs."],
    ["words after an open editor file", "<ide_opened_file>x.ts</ide_opened_file>Use tabs.", "Use tabs."],
    [
      "a reminder in a block of its own",
      [
        { type: "text", text: "<system-reminder>x</system-reminder>" },
        { type: "text", text: "Use tabs." },
      ],
      "Use tabs.",
    ],
    ["an unclosed tag they talk about", "What is <system-reminder>?", "What is <system-reminder>?"],
    ["a tag in the middle", "The <command-name> tag is odd.", "The <command-name> tag is odd."],
  ])("are %s", async (_, content, text) => {
    expect(typedIn(await said(content))).toEqual([text]);
  });

  it.each<[string, Fields]>([
    ["typed", { promptSource: "typed", origin: { kind: "human" }, rowSource: "local" }],
    ["of an old version", { userType: "external" }],
    ["with an empty origin", { origin: {} }],
  ])("count when they are %s", async (_, fields) => {
    expect(typedIn(await said("Use tabs.", fields))).toEqual(["Use tabs."]);
  });

  it("are cut at the bound, after reminders are out", async () => {
    const reminder = `<system-reminder>${"r".repeat(READ_LIMITS.userTextCharsMax)}</system-reminder>`;

    const [text] = typedIn(await said(`${reminder}${"w".repeat(READ_LIMITS.userTextCharsMax + 5)}`));

    expect(text?.length).toBeLessThan(READ_LIMITS.userTextCharsMax);
    expect(text).toMatch(/^w+\n…\nw+$/u);
  });

  it("keeps what is said before and after a paste, and no torn word", async () => {
    const paste = "line of a log that somebody pasted\n".repeat(8_000);

    const [text] = typedIn(
      await said(`Why is this slow?\n${paste}Remember that the log is kept for a week.`),
    );

    expect(text).toMatch(/^Why is this slow\?/u);
    expect(text).toMatch(/Remember that the log is kept for a week\.$/u);
    const [before, after] = text?.split("\n…\n") ?? [];
    expect(paste.split(/\s/u)).toContain(before?.split(/\s/u).at(-1));
    expect(paste.split(/\s/u)).toContain(after?.split(/\s/u)[0]);
  });

  it("are found in no time among a thousand unclosed tags", async () => {
    const text = "<system-reminder>".repeat(100_000);

    expect(await costOf(() => said(text), { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
  });
});

describe("what a program wrote in the person's place", () => {
  it.each<[Injected["what"], string, Fields]>([
    ["compaction", "A summary.", { isCompactSummary: true, isVisibleInTranscriptOnly: true }],
    ["compaction", "A summary.", { isVisibleInTranscriptOnly: true }],
    ["compaction", "This session is being continued from a previous conversation that ran out.", {}],
    ["reminder", "Continue from where you left off.", { isMeta: true }],
    ["reminder", "Always use XML.", { rowSource: "harness" }],
    ["reminder", "Always use XML.", { sourceToolUseID: "toolu_1" }],
    ["reminder", "Always use XML.", { sourceToolAssistantUUID: "00000000-0000-4000-8000-000000000009" }],
    ["reminder", "<system-reminder>Always use XML.</system-reminder>", {}],
    ["notification", "<task-notification>done</task-notification>", { promptSource: "system" }],
    ["notification", "<task-notification>done</task-notification>", {}],
    ["notification", "Always use XML.", { promptSource: "system" }],
    ["notification", "Always use XML.", { origin: { kind: "task-notification" } }],
    ["command", "<local-command-caveat>The command below was run</local-command-caveat>", { isMeta: true }],
    ["command", "<local-command-stdout>Compacted</local-command-stdout>", {}],
    ["command", "<bash-input>ls</bash-input>", {}],
    ["command", "  <command-message>review</command-message>\n<command-name>/review</command-name>", {}],
  ])("is a %s: %j %j", async (what, text, fields) => {
    const records = await said(text, fields);

    expect(records).toMatchObject([{ kind: "injected", what }]);
  });

  it("names the slash command", async () => {
    const text = "<command-name>/compact</command-name>\n <command-message>compact</command-message>";

    expect(await said(text)).toMatchObject([{ kind: "injected", what: "command", command: "/compact" }]);
  });

  it("is nobody's speech when it stands beside a tool result", async () => {
    const blocks = [
      { type: "tool_result", tool_use_id: "c1", content: "ok" },
      { type: "text", text: "Always use XML." },
    ];

    expect(kindsOf(await said(blocks))).toEqual(["tool-result"]);
  });

  it("is nothing at all when it is empty", async () => {
    expect(await said("  \n")).toEqual([]);
    expect(await said([])).toEqual([]);
  });
});

describe("words typed while the agent was busy (B11)", () => {
  it("are the person's, once, in order; task descriptors and notifications are not", async () => {
    const { records, turn } = await fixture("queued-prompt.jsonl").read();

    expect(typedIn(records)).toEqual(["Run all tests.", "Remember: the archive/ folder stays as it is."]);
    expect(records.map((record) => (record.kind === "injected" ? record.what : record.kind))).toEqual([
      "user-text",
      "tool-call",
      "user-text",
      "notification",
      "notification",
      "command",
    ]);
    expect(turn).toBe("open");
  });

  it("have an id that depends on nothing but time and words", async () => {
    const { records } = await fixture("queued-prompt.jsonl").read();
    const again = await place(`\n${JSON.stringify({ noise: 1 })}\n${await queuedLine()}`).read();

    const [, , queued] = records;
    expect(queued?.recordId).toMatch(/^q-[0-9a-f]{24}$/);
    expect(again.records[0]?.recordId).toBe(queued?.recordId);
    expect(again.records[0]?.at).toBe(Date.UTC(2026, 4, 4, 9, 4));
  });

  it("may come as blocks and carry an id of their own", async () => {
    const line = {
      type: "attachment",
      uuid: "u-1",
      attachment: {
        type: "queued_command",
        commandMode: "prompt",
        prompt: [{ type: "text", text: "Use tabs." }],
      },
    };

    const { records } = await place(`${JSON.stringify(line)}\n`).read();

    expect(records).toMatchObject([{ kind: "user-text", text: "Use tabs.", recordId: "u-1" }]);
  });
});

async function queuedLine(): Promise<string> {
  return `${JSON.stringify({
    type: "attachment",
    timestamp: "2026-05-04T09:04:00.000Z",
    sessionId: "22222222-2222-4222-8222-222222222222",
    attachment: {
      type: "queued_command",
      commandMode: "prompt",
      prompt: "Remember: the archive/ folder stays as it is.",
    },
  })}\n`;
}

describe("who runs a session", () => {
  const originsOf = async (fields: Fields, name?: string) => {
    const text = createTranscript().user("Use tabs.", fields).assistant("Ok.", fields).text();
    return (await place(text, name).read()).records.map((record) => record.origin);
  };

  it.each<[string, Fields]>([
    ["user", {}],
    ["user", { entrypoint: "claude-vscode" }],
    ["user", { entrypoint: undefined }],
    ["headless", { entrypoint: "sdk-cli" }],
    ["headless", { entrypoint: "sdk-ts" }],
    ["headless", { entrypoint: "sdk-py" }],
    ["headless", { promptSource: "sdk" }],
    ["subagent", { isSidechain: true }],
    ["subagent", { isSidechain: true, entrypoint: "sdk-cli" }],
    ["ours", { cwd: `${STATE_DIR}/runs/1` }],
    ["ours", { cwd: STATE_DIR, isSidechain: true }],
    ["ours", { sessionId: "656e6772-616d-4abc-8def-0123456789ab" }],
    ["user", { sessionId: "656e6772-616d-5abc-8def-0123456789ab" }],
    ["user", { cwd: `${STATE_DIR}-other` }],
    ["user", { cwd: `${STATE_DIR}/../engram` }],
  ])("is %s for %j", async (origin, fields) => {
    expect(new Set(await originsOf(fields))).toEqual(new Set([origin]));
  });

  it("is a subagent in a subagent's file, whatever the records say (B09)", async () => {
    const id = "11111111-1111-4111-8111-111111111111";

    for (const name of [`-home-ana-shop/${id}/subagents/agent-a1.jsonl`, "-home-ana-shop/agent-b2.jsonl"])
      expect(new Set(await originsOf({}, name))).toEqual(new Set(["subagent"]));
  });

  it("passes on to records that do not say it themselves", async () => {
    const text = createTranscript({ entrypoint: "sdk-cli" }).user("Go.").text() + (await queuedLine());

    const { records } = await place(text).read();

    expect(records.map((record) => record.origin)).toEqual(["headless", "headless"]);
    expect(records.map((record) => record.cwd)).toEqual(["/home/ana/shop", "/home/ana/shop"]);
  });
});
