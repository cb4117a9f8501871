// A session that moves before it was read to its end is not lost, and nobody is told that it is.
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { createStory, MOCKS, S1, SHOP, TABS } from "./story.ts";

it("a session that moves with unread words is read where it is now, and no loss is told", async () => {
  // B14
  const story = createStory();
  const path = story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").text());

  const { report, lost } = await story.inside(async ({ service, events }) => {
    await service.sync({});
    appendFileSync(path, createTranscript({ cwd: SHOP, firstNumber: 20 }).user(MOCKS).assistant("ok").text());
    await service.sync({ dryRun: true });
    story.transcript("/home/ana/elsewhere", S1, readFileSync(path));
    rmSync(path);
    return { report: await service.sync({}), lost: events.seen("transcript:vanished") };
  });

  expect(report.memories.created).toBe(1);
  expect(report.agents["claude-code"]).toMatchObject({ sessions: 1, typedMessages: 2 });
  expect(lost).toEqual([]);
});
