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
      ceilings: { kind: "plan" } as never,
      configFile: "/c",
      diff: [],
      notes: [KEY_NOTE],
      digest: "d",
      running: false,
    },
    { width: 200 } as never,
  );
  expect(JSON.stringify(lines)).toContain(KEY_NOTE);
});
