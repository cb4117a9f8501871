// consent.json: what cannot be read allows nothing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConsentStore } from "../../../src/config/consent.ts";
import type { ConsentRecord } from "../../../src/config/provider.ts";
import { NO_CONSENT } from "../../../src/config/provider.ts";
import { createFiles } from "../../../src/system/files.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const RECORD: ConsentRecord = {
  grants: [
    {
      agent: "codex",
      provider: "local",
      host: "http://127.0.0.1:1",
      at: "2026-11-30T09:00:00Z",
      by: "person",
    },
  ],
  chosen: { provider: "local", host: "http://127.0.0.1:1" },
  configured: undefined,
};

test("what was recorded is read back", () => {
  const path = join(createTempFolder().path, "consent.json");
  const store = createConsentStore({ files: createFiles(), path });

  expect(store.load()).toEqual(NO_CONSENT);
  store.save(RECORD);

  expect(store.load()).toEqual(RECORD);
});

test.each([
  ["no JSON", "{"],
  ["another version", JSON.stringify({ ...RECORD, v: 2 })],
  ["a list", "[]"],
  ["grants that are no list", JSON.stringify({ v: 1, grants: "all" })],
  ["a grant without a host", JSON.stringify({ v: 1, grants: [{ agent: "codex", provider: "local" }] })],
  [
    "an unknown provider",
    JSON.stringify({
      v: 1,
      grants: [{ ...RECORD.grants[0], provider: "other" }],
      chosen: { provider: "other", host: "x" },
    }),
  ],
])("%s allows nothing", (_what, content) => {
  const path = join(createTempFolder().path, "consent.json");
  writeFileSync(path, content);

  expect(createConsentStore({ files: createFiles(), path }).load()).toEqual(NO_CONSENT);
});
