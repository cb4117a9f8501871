// What `why` prints of each message.
import { expect, it } from "vitest";
import { whyLines } from "../../../src/cli/render/why.ts";
import type { MessageStory, SessionStory } from "../../../src/domain/account.ts";

const MESSAGE: MessageStory = {
  at: null,
  record: "r1",
  text: "I prefer tabs.",
  outcome: "candidate",
  reason: { code: "candidate", message: "too weak by itself" },
  until: null,
  memories: [],
};

it("why says a word once, and adds the code that says more", () => {
  const story: SessionStory = {
    v: 1,
    about: "session",
    session: "s1",
    agent: "claude-code",
    project: "/p",
    transcripts: [],
    ignored: false,
    messages: [
      MESSAGE,
      { ...MESSAGE, outcome: "nothing", reason: { code: "no-cue", message: "no request" } },
    ],
    more: 0,
    unseenBytes: 0,
  };
  const lines = whyLines(story, { width: 80, now: 0 }).map((spans) => spans.map(({ text }) => text).join(""));

  expect(lines).toContain("  candidate: too weak by itself");
  expect(lines).toContain("  nothing (no-cue): no request");
});
