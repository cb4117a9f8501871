// What a person asks not to be kept never reaches a rule, a model or a search.
import { expect, it } from "vitest";
import type { TranscriptRecord } from "../../../../src/domain/records.ts";
import { releaseRecords } from "../../../../src/learn/offline/privacy.ts";

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

  expect(releaseRecords(records)).toEqual({ records, silenced: false });
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
