// What a person asks not to be kept never reaches a rule, a model or a search.
import { describe, expect, it } from "vitest";
import type { TranscriptRecord } from "../../../../src/domain/records.ts";
import { releaseRecords } from "../../../../src/learn/offline/privacy.ts";
import { listen } from "./listen.ts";

let count = 0;
const common = () => ({
  recordId: `r${(count += 1)}`,
  sessionId: "s",
  agent: "claude-code" as const,
  at: undefined,
  cwd: undefined,
  origin: "user" as const,
  endOffset: 0,
});
const typed = (text: string): TranscriptRecord => ({ ...common(), kind: "user-text", text });
const answered = (text: string): TranscriptRecord => ({ ...common(), kind: "assistant-text", text });

function textsOf(records: readonly TranscriptRecord[]): string[] {
  return releaseRecords(records).records.map((record) => ("text" in record ? record.text : ""));
}

it("cuts private blocks out of what is typed, answered and sent through tools", () => {
  const call: TranscriptRecord = {
    ...common(),
    kind: "tool-call",
    tool: "Bash",
    callId: "c",
    preview: "echo <private>my salary</private> done",
  };

  const { records } = releaseRecords([
    typed("Use pnpm. <private>My salary is low.</private> Thanks."),
    answered("You said <PRIVATE>my salary"),
    call,
  ]);

  expect(JSON.stringify(records)).not.toMatch(/salary/u);
  expect(JSON.stringify(records)).toContain("Use pnpm. [private] Thanks.");
});

it("takes the sentence that is not to be remembered and leaves the rest of the message", () => {
  const [text] = textsOf([typed("We use pnpm here. My wife is ill. Don't remember that. The port is 8080.")]);

  expect(text).toContain("We use pnpm here.");
  expect(text).toContain("The port is 8080.");
  expect(text).not.toMatch(/wife|remember/u);
});

it("takes the message before when the wish stands alone, whatever was answered in between", () => {
  const texts = textsOf([typed("My wife is ill."), answered("I am sorry."), typed("Don't remember this.")]);

  expect(texts).toEqual(["[private]", "I am sorry.", "[private]"]);
});

it.each(["off the record: I am leaving in May", "/private", "オフレコでお願いします"])(
  "keeps nothing from %s on",
  (wish) => {
    const { records, silenced } = releaseRecords([typed("We use pnpm."), typed(wish), typed("We use yarn.")]);

    expect(silenced).toBe(true);
    expect(records.map((record) => ("text" in record ? record.text : ""))).toEqual(["We use pnpm."]);
  },
);

it("changes nothing where nobody asked", () => {
  const records = [typed("Remember that we use pnpm."), answered("Noted.")];

  expect(releaseRecords(records)).toEqual({ records, silenced: false, closedTo: [] });
});

it.each([
  "Don't remember this: my salary is low.",
  "Please don't save this one: my salary is low.",
  "Forget that my salary is low.",
  "不要记住：my salary is low。",
  "Merk dir das bitte nicht: my salary is low.",
  "Don't remember this:\nmy salary is low.\n\n```\nsalary: low\n```",
])("leaves the message before alone where the wish says itself what it means: %j", (wish) => {
  const texts = textsOf([typed("We deploy on Mondays."), answered("Noted."), typed(`We use pnpm. ${wish}`)]);

  expect(texts[0]).toBe("We deploy on Mondays.");
  expect(texts[2]).toContain("We use pnpm.");
  expect(texts[2]).not.toMatch(/salary|low/u);
});

it.each(["Don't remember this, it was a test.", "Forget that.", "Don't store what I just said."])(
  "takes the message before where it may be meant: %s",
  (wish) => {
    expect(textsOf([typed("My wife is ill."), typed(wish)])).toEqual(["[private]", "[private]"]);
  },
);

describe("a private mark that is not closed in its message", () => {
  const words = (records: readonly TranscriptRecord[], inPrivate = false) =>
    releaseRecords(records, inPrivate).records.map((record) =>
      "text" in record ? record.text : "preview" in record ? record.preview : "",
    );
  const result = (preview: string): TranscriptRecord => ({
    ...common(),
    kind: "tool-result",
    callId: "c",
    ok: true,
    preview,
    bytes: preview.length,
  });

  it("holds over everything until the person closes it", () => {
    const shown = words([
      typed("We use pnpm. <private>The boss leaves"),
      answered("The boss leaves?"),
      result("the boss leaves"),
      typed("yes, the boss, in May</private> We deploy on Mondays."),
      answered("Noted."),
    ]);

    expect(shown).toEqual([
      "We use pnpm. [private]",
      "[private]",
      "",
      "[private] We deploy on Mondays.",
      "Noted.",
    ]);
  });

  it("is open or closed where a later reading begins", () => {
    expect(words([typed("the boss leaves"), typed("in May</private> Mondays.")], true)).toEqual([
      "[private]",
      "[private] Mondays.",
    ]);
    expect(words([typed("the boss leaves in May</private> Mondays.")])).toEqual(["[private] Mondays."]);
  });

  it("tells where the source is closed", () => {
    const at = (text: string, endOffset: number): TranscriptRecord => ({ ...typed(text), endOffset });

    expect(
      releaseRecords([at("<private>a", 10), at("b</private> c <private> d", 20), at("e", 30)]).closedTo,
    ).toEqual([
      { from: 10, to: 20 },
      { from: 20, to: Number.POSITIVE_INFINITY },
    ]);
  });

  it("is not opened by the assistant, nor by talk about the mark", () => {
    expect(words([answered("use <private> for that"), typed("We use pnpm.")])[1]).toBe("We use pnpm.");
    expect(words([typed("what does `<private>` do?"), typed("We use pnpm.")])[1]).toBe("We use pnpm.");
  });
});

it.each([
  "We use `pnpm`. Das bleibt unter uns.",
  "Esto queda entre nosotros.",
  "不要记录这次对话。",
  "記録に残さないで。",
])("ends the session in every language: %s", (wish) => {
  expect(releaseRecords([typed(wish), typed("We use yarn.")]).silenced).toBe(true);
});

it.each([
  "Die Kundendaten sind vertraulich zu behandeln, also nie loggen.",
  "La comunicación entre nosotros y el backend va por gRPC.",
  "Das Ticket ist unter uns drei aufgeteilt.",
  "We keep a record of each deploy.",
])("does not take talk about the work for a wish: %s", (text) => {
  expect(releaseRecords([typed(text), typed("We use yarn.")]).silenced).toBe(false);
});

it("knows the wish as a command of the agent too", () => {
  const command: TranscriptRecord = { ...common(), kind: "injected", what: "command", command: "/private" };

  expect(releaseRecords([typed("We use pnpm."), command, typed("We use yarn.")])).toMatchObject({
    records: [{ text: "We use pnpm." }],
    silenced: true,
  });
});

describe("don't remember this", () => {
  it.each([
    ["en", "My wife is ill. Don't remember that."],
    ["en, before", "Don't remember this: my wife is ill."],
    ["de", "My wife is ill. Merk dir das nicht."],
    ["de, before", "Merk dir das nicht: my wife is ill."],
    ["es", "My wife is ill. No lo recuerdes."],
    ["es, before", "No guardes esto: my wife is ill."],
    ["zh", "My wife is ill. 不要记住这个。"],
    ["zh, before", "别记：my wife is ill。"],
    ["ja", "My wife is ill. これは覚えないで。"],
    ["ja, before", "これは保存しないで：my wife is ill。"],
  ])("takes its statement and no other (%s)", (_where, wish) => {
    const [text, later] = textsOf([typed(`We use pnpm here.\n${wish}`), typed("The port is 8080.")]);

    expect(text).toContain("We use pnpm here.");
    expect(text).not.toMatch(/wife|ill/u);
    expect(later).toBe("The port is 8080.");
  });
});

it("leaves no mark of a cut in a memory, its name or its file", async () => {
  const { saves } = await listen(["Remember that [private] the pine box is CI."]);

  expect(saves).toHaveLength(1);
  expect(JSON.stringify(saves[0]?.memory)).not.toContain("private");
});
