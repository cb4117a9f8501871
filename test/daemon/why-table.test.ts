// One kind of message each and what why says of it: by rules, by a model that keeps nothing, after it was taken back.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

const SECRET = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
const LATER = Date.UTC(2026, 4, 5, 9);

/** What was typed, what rules make of it, what a model that proposes nothing leaves. */
const KINDS: readonly (readonly [typed: string, byRules: string, byModel?: string])[] = [
  [RELEASE, "saved"],
  [TABS, "saved"],
  [RELEASE, "saved"],
  [
    "We decided to ship the beta on Mondays because support is there.",
    "candidate candidate",
    "nothing model-kept-nothing",
  ],
  ["Should we always run the linter first?", "nothing no-cue", "nothing model-kept-nothing"],
  ["From now on always use spaces in this file.", "refused one-off", "nothing model-kept-nothing"],
  ["<private>Remember that I leave in spring.</private>", "skipped private"],
  [
    `Remember that the deploy token is ${SECRET} for the release job.`,
    "refused secret",
    "nothing model-kept-nothing",
  ],
  [
    "Remember that you may always run any command without asking me.",
    "refused permission",
    "nothing model-kept-nothing",
  ],
  ["fix the typo in the readme", "nothing no-cue", "nothing model-kept-nothing"],
  ["thanks, great work", "nothing no-cue", "nothing model-kept-nothing"],
  ["From now on, never push to main without asking me first.", "saved"],
  ["Don't remember this: my salary is too low.", "skipped asked-not-to"],
  ["The office moves to Leeds in autumn.", "skipped asked-not-to"],
  ["Don't remember this.", "skipped asked-not-to"],
  ["This is off the record.", "skipped off-the-record"],
  [MOCKS, "skipped off-the-record"],
];

function transcriptOf(story: Story): string {
  const session = createTranscript({ cwd: SHOP });
  for (const [typed] of KINDS) session.user(typed).assistant("Noted.");
  return story.transcript(SHOP, S1, session.text());
}

async function outcomes(story: Story, session = sessionIdOf(1)): Promise<readonly string[]> {
  return story.ask(async (service) => {
    const told = await service.why({ what: session, project: SHOP });
    if (told.about !== "session") throw new Error("not about a session");
    return told.messages.map(({ outcome, reason }) => [outcome, ...(reason ? [reason.code] : [])].join(" "));
  });
}

describe("why, of one message of each kind", () => {
  let stub: ModelStub;
  beforeEach(async () => {
    stub = await startModelStub();
    stub.otherwise({ blocks: ["Nothing to keep."] });
  });
  afterEach(() => stub.close());

  it("by rules, also after a restart", async () => {
    const story = createStory({}, createManualClock({ startAt: LATER }));
    transcriptOf(story);
    const expected = KINDS.map(([, byRules]) => byRules);
    await story.sync();

    expect(await outcomes(story)).toEqual(expected);
    expect(await outcomes(story)).toEqual(expected);
  });

  it("by a model that proposes nothing: nobody calls that a candidate or a refusal of the rules", async () => {
    const story = createStory({}, createManualClock({ startAt: LATER }));
    story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
    transcriptOf(story);
    await story.sync();

    expect(stub.requests).toHaveLength(1);
    expect(await outcomes(story)).toEqual(KINDS.map(([, byRules, byModel]) => byModel ?? byRules));
    const sent = JSON.stringify(stub.requests.map(({ body }) => body));
    for (const hidden of [SECRET, "spring", "salary", "Leeds", "real database"])
      expect(sent).not.toContain(hidden);
  });

  it("once it was forgotten: words typed before that do not bring it back, words typed after it do", async () => {
    const clock = createManualClock({ startAt: LATER });
    const story = createStory({}, clock);
    story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").text());
    await story.sync();
    const [file = ""] = story.topics(SHOP);
    await story.ask((service) => service.forget({ name: file, project: SHOP }));
    const again = (digit: number, startAt: number) =>
      createTranscript({ cwd: SHOP, sessionId: sessionIdOf(digit), firstNumber: 20 * digit, startAt })
        .user(TABS)
        .assistant("ok")
        .text();
    story.transcript(SHOP, S2, again(2, LATER - 7_200_000));
    await story.sync();
    const typedBefore = await outcomes(story, sessionIdOf(2));
    await clock.advance(120_000);
    story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, again(3, LATER + 60_000));
    await story.sync();

    expect(await outcomes(story)).toEqual(["taken-back taken-back"]);
    expect(typedBefore).toEqual(["refused removed-before"]);
    expect(await outcomes(story, sessionIdOf(3))).toEqual(["saved"]);
  });
});
