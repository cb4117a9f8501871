import { createServer } from "node:net";
import { watch } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkLeaks, countResources, describeLeaks } from "./leak-check.ts";
import { createTempFolder } from "./temp-folder.ts";

describe("the leak check", () => {
  checkLeaks();

  it("names a timer that is still set", () => {
    const before = countResources();
    const timer = setTimeout(() => undefined, 60_000);

    expect(describeLeaks(before, countResources())).toEqual([expect.stringContaining("Timeout")]);
    clearTimeout(timer);
    expect(describeLeaks(before, countResources())).toEqual([]);
  });

  it("names a watcher that is still open", () => {
    const before = countResources();
    const watcher = watch(createTempFolder().path);

    expect(describeLeaks(before, countResources())).toEqual([expect.stringContaining("FSEventWrap")]);
    watcher.close();
  });

  it("names a server that still listens", async () => {
    const before = countResources();
    const server = createServer().listen(createTempFolder().at("s.sock"));
    await new Promise((resolve) => server.on("listening", resolve));

    expect(describeLeaks(before, countResources())).toEqual([expect.stringContaining("PipeWrap")]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("passes a test that left nothing", () => {
    expect(describeLeaks(countResources(), countResources())).toEqual([]);
  });
});
