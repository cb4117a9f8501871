import { expect, it } from "vitest";
import { blankState } from "../../../../src/intake/transcripts/cursors.ts";
import type { SourceState } from "../../../../src/intake/transcripts/cursors.ts";
import { createBacklog } from "../../../../src/serve/answers/backlog.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const MEGABYTE = 1_000_000;

function setUp() {
  const clock = createManualClock();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const world = { unread: 0, busy: true };
  function* states(): Generator<SourceState> {
    for (let at = 0; at < world.unread; at++)
      yield {
        ...blankState({ path: `/${at}`, agent: "claude-code", sessionId: `${at}` }),
        cwd: "/p",
        bytes: MEGABYTE,
      };
    yield { ...blankState({ path: "/nobody", agent: "claude-code", sessionId: "n" }), bytes: MEGABYTE };
  }
  const backlog = createBacklog({ clock, emitter, states, isBusy: () => world.busy });
  const begin = () => emitter.emit("job:started", { key: "extract:/m" });
  const end = () =>
    emitter.emit("job:finished", { key: "extract:/m", outcome: { result: "succeeded", changed: 0 }, ms: 1 });
  return { clock, world, backlog, begin, end };
}

it("tells how far a reading of many sessions is, how fast it goes and when it ends", async () => {
  const { clock, world, backlog, begin } = setUp();
  world.unread = 10;
  begin();
  await clock.advance(2_000);
  world.unread = 6;

  expect(backlog.progress()).toEqual({
    doneSessions: 4,
    totalSessions: 10,
    bytesPerSecond: 2 * MEGABYTE,
    remainingMs: 3_000,
  });
});

it("says no rate before it can know one", async () => {
  const { clock, world, backlog, begin } = setUp();
  world.unread = 10;
  begin();
  await clock.advance(100);
  world.unread = 9;

  expect(backlog.progress()).toMatchObject({ bytesPerSecond: 0, remainingMs: null });
});

it("counts what comes meanwhile, and never shrinks", async () => {
  const { clock, world, backlog, begin } = setUp();
  world.unread = 6;
  begin();
  await clock.advance(1_000);
  world.unread = 4;
  backlog.progress();
  world.unread = 8;

  expect(backlog.progress()).toMatchObject({ doneSessions: 2, totalSessions: 10 });
});

it("is over with the last job, and says nothing of a few sessions or of none", () => {
  const { world, backlog, begin, end } = setUp();
  expect(backlog.progress()).toBeUndefined();
  world.unread = 4;
  begin();
  expect(backlog.progress()).toBeUndefined();
  world.unread = 9;
  expect(backlog.progress()).toBeDefined();

  end();
  expect(backlog.progress()).toBeDefined();
  world.busy = false;
  end();
  expect(backlog.progress()).toBeUndefined();
});
