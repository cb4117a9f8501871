// The time an estimate may take; what it counts is in test/daemon/model-week.test.ts.
import { expect, it } from "vitest";
import type { CatalogEntry } from "../../../../src/intake/watch/catalog.ts";
import { blankState } from "../../../../src/intake/transcripts/cursors.ts";
import type { Foreseen } from "../../../../src/learn/jobs/extract/estimate.ts";
import type { ModelReader } from "../../../../src/learn/jobs/model-reader.ts";
import type { WeekDeps } from "../../../../src/serve/answers/model-week.ts";
import { foreseeWeek } from "../../../../src/serve/answers/model-week.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const READER = { model: "claude-haiku-4-5" } as ModelReader;
const PROJECT = { id: "shop-1", key: "shop", root: "/home/ana/shop", agentHome: undefined, present: true };

function entryOf(sessionId: string): CatalogEntry {
  const source = { agent: "claude-code", path: `/t/${sessionId}.jsonl`, sessionId, role: "session" } as const;
  const state = blankState(source);
  return { source, state, format: {}, project: PROJECT } as unknown as CatalogEntry;
}

const found = (entry: CatalogEntry): Foreseen => ({
  entry,
  heard: 1,
  typed: 1,
  headlessTyped: 0,
  requests: 1,
  inputTokens: 100,
  usd: 0.01,
});

it("ends after ten seconds with what it has, and says how many sessions are left", async () => {
  const clock = createManualClock();
  const entries = ["a", "b", "c"].map(entryOf);
  let begun: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (begun = resolve));
  const deps: WeekDeps = {
    clock,
    sessionsSince: async () => entries,
    freshSeen: () => ({ has: () => false, add: () => undefined, size: 0, save() {}, rollback() {} }),
    folderOf: () => "/memory",
    async estimate(_folder, [entry], { signal }) {
      if (entry === undefined || entry === entries[0]) return [found(entryOf("a"))];
      begun();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      throw signal.reason;
    },
  };

  const week = foreseeWeek({ reader: READER, isFree: false }, deps);
  await second;
  await clock.advance(10_000);

  expect(await week).toMatchObject({ sessions: 1, requests: 1, usd: 0.01, left: 2 });
});

it("has no price for a server of one's own", async () => {
  const clock = createManualClock();
  const week = await foreseeWeek(
    { reader: READER, isFree: true },
    {
      clock,
      sessionsSince: async () => [entryOf("a")],
      freshSeen: () => ({ has: () => false, add: () => undefined, size: 0, save() {}, rollback() {} }),
      folderOf: () => "/memory",
      estimate: async (_folder, entries) => entries.map(found),
    },
  );

  expect(week).toMatchObject({ inputTokens: 100, usd: null, day: { usd: null }, left: 0 });
});

it("leaves out what lies in a folder that cannot be read, counts the rest, and hides no fault of ours", async () => {
  const weekWith = (error: Error) =>
    foreseeWeek(
      { reader: READER, isFree: false },
      {
        clock: createManualClock(),
        sessionsSince: async () => ["a", "b", "c"].map(entryOf),
        freshSeen: () => ({ has: () => false, add: () => undefined, size: 0, save() {}, rollback() {} }),
        folderOf: () => "/memory",
        async estimate(_folder, entries) {
          if (entries[0]?.source.sessionId === "b") throw error;
          return entries.map(found);
        },
      },
    );

  const denied = Object.assign(new Error("denied"), { code: "EACCES" });
  expect(await weekWith(denied)).toMatchObject({ sessions: 2, requests: 2, left: 1 });
  await expect(weekWith(new TypeError("a bug"))).rejects.toThrow("a bug");
});
