// What `model use` says where nothing changes.
import { expect, it } from "vitest";
import { planLines } from "../../../src/cli/render/model.ts";

const KEY_NOTE = "a key is needed, and there is none here";

it("says what is still missing when the same choice is made again", () => {
  const lines = planLines(
    {
      v: 1,
      outcome: "unchanged",
      provider: "anthropic",
      host: "https://api.anthropic.com",
      elsewhere: true,
      unencrypted: false,
      sent: [],
      kept: [],
      week: null,
      ceilings: { tokensPerDay: 1_000_000, usdPerDay: 2, usdPerMonth: 20, runsPerHour: 12 },
      configFile: "/c",
      diff: [],
      notes: [KEY_NOTE],
      digest: "d",
      running: false,
    },
    { width: 200, now: 0 },
  );
  expect(JSON.stringify(lines)).toContain(KEY_NOTE);
});
