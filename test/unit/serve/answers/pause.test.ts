import { describe, expect, it } from "vitest";
import { createPause } from "../../../../src/serve/answers/pause.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const HOUR_MS = 3_600_000;

function setup() {
  const folder = createTempFolder();
  const clock = createManualClock();
  const warned: string[] = [];
  const log = { warn: (message: string) => void warned.push(message) };
  const open = () => createPause({ files: createFiles(), clock, log, path: folder.at("control.json") });
  return { folder, clock, warned, open };
}

describe("a pause", () => {
  it("outlives the process that was told of it, and ends with its time", async () => {
    const { clock, open, warned } = setup();
    await open().begin(2 * HOUR_MS);

    const next = open();

    expect(next.current()).toEqual({ since: "2026-05-04T09:00:00.000Z", until: "2026-05-04T11:00:00.000Z" });
    await clock.advance(2 * HOUR_MS - 1);
    expect(next.current()).toBeDefined();
    await clock.advance(1);
    expect(next.current()).toBeUndefined();
    expect(open().current()).toBeUndefined();
    expect(warned).toEqual([]);
  });

  it("without an end lasts until it is ended", async () => {
    const { clock, open } = setup();
    const pause = open();
    await pause.begin(undefined);
    await clock.advance(1_000 * HOUR_MS);

    expect(open().current()).toMatchObject({ until: null });
    expect(await pause.end()).toBe(true);
    expect(await pause.end()).toBe(false);
    expect(open().current()).toBeUndefined();
  });

  it("that goes on gets a new end and keeps its beginning", async () => {
    const { clock, open } = setup();
    const pause = open();
    await pause.begin(HOUR_MS);
    await clock.advance(HOUR_MS / 2);

    expect(await pause.begin(HOUR_MS)).toEqual({
      since: "2026-05-04T09:00:00.000Z",
      until: "2026-05-04T10:30:00.000Z",
    });
  });

  it("waits for everybody who listens, until they stop listening", async () => {
    const { open } = setup();
    const pause = open();
    let told = 0;
    const unlisten = pause.listen(async () => {
      await Promise.resolve();
      told += 1;
    });

    await pause.begin(undefined);
    expect(told).toBe(1);
    await pause.end();
    unlisten();
    await pause.begin(undefined);
    expect(told).toBe(2);
  });

  it.each([
    "",
    "{",
    "[]",
    "null",
    '{"v":2,"paused":{"since":"2026-05-04T09:00:00.000Z","until":null}}',
    '{"v":1,"paused":true}',
    '{"v":1,"paused":{"since":"2026-05-04T09:00:00.000Z"}}',
    '{"v":1,"paused":{"since":"2026-05-04T09:00:00.000Z","until":"soon"}}',
    `{"v":1,"paused":{"since":7,"until":null}}${" ".repeat(70_000)}`,
  ])("in a damaged file (%j) is none, which is logged, and the next one is kept", async (content) => {
    const { folder, open, warned } = setup();
    folder.write("control.json", content);
    const pause = open();

    expect(pause.current()).toBeUndefined();
    expect(warned).toHaveLength(1);
    await pause.begin(undefined);
    expect(open().current()).toBeDefined();
  });
});
