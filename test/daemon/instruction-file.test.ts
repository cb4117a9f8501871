// What a project's instruction file says already, from the typed words to the answer of why.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createStory, S1, S2 } from "./story.ts";

const RULES =
  "- Run the linter before each commit.\n- Always use pnpm, not npm.\n- Start branch names with 'wip_'.\n";

it("is not stored, and why says so; what sharpens it is stored and names the file; 'remember' always counts", async () => {
  const story = createStory();
  const shop = join(story.home.folder.path, "work", "shop");
  mkdirSync(shop, { recursive: true });
  writeFileSync(join(shop, "CLAUDE.md"), RULES);
  const session = createTranscript({ cwd: shop });
  for (const typed of [
    "From now on always run the linter before each commit.",
    "From now on always run the linter before each commit in the payments package.",
    "From now on use npm, not pnpm.",
    "From now on start branch names with 'topic_'.",
    "Remember: always use pnpm, not npm.",
  ])
    session.user(typed).assistant("ok");
  story.transcript(shop, S1, session.text());
  await story.sync();

  const told = await story.ask((service) => service.why({ what: sessionIdOf(1), project: shop }));
  const outcomes = told.about === "session" ? told.messages.map(({ outcome }) => outcome) : [];
  expect(outcomes).toEqual(["refused", "saved", "saved", "saved", "saved"]);
  expect(told).toMatchObject({ messages: [{ reason: { code: "restated" } }, {}, {}, {}, {}] });
  const learnt = story.learnt(shop);
  expect(learnt).toContain("Narrows a rule in CLAUDE.md.");
  expect(learnt.match(/CLAUDE\.md says otherwise/gu)).toHaveLength(2);
  expect(learnt).toContain("CLAUDE.md says so too.");
  const { items } = await story.ask((service) => service.inbox({ project: shop }));
  expect(items).toMatchObject([{ kind: "quarantine", why: { code: "restated" } }]);
  await story.ask((service) => service.acceptItems({ ids: items[0]?.id ?? "" }));
  expect(story.topics(shop)).toHaveLength(5);
});

it("is stored once the file is gone and it is said again", async () => {
  const story = createStory();
  const shop = join(story.home.folder.path, "work", "shop");
  mkdirSync(shop, { recursive: true });
  writeFileSync(join(shop, "CLAUDE.md"), RULES);
  const said = (digit: number) =>
    createTranscript({
      cwd: shop,
      sessionId: sessionIdOf(digit),
      firstNumber: 100 * digit,
      startAt: Date.UTC(2026, digit, 4),
    })
      .user("From now on always run the linter before each commit.")
      .assistant("ok")
      .text();
  story.transcript(shop, S1, said(1));
  await story.sync();
  expect(story.topics(shop)).toEqual([]);

  writeFileSync(join(shop, "CLAUDE.md"), "# Shop\n");
  story.transcript(shop, S2, said(2));
  await story.sync();
  expect(story.topics(shop)).toHaveLength(1);
});
