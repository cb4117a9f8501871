import { lstatSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { listenLocally } from "../../../src/system/local-socket.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

it("a start after one that was killed before it wrote its token waits for the claim instead of giving up", async () => {
  const folder = createTempFolder();
  mkdirSync(folder.at("run"), { mode: 0o700 });
  mkdirSync(folder.at("run/socket.lock"));
  const server = createServer();
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  const path = folder.at("run/engramd.sock");
  await listenLocally(server, { path, files: createFiles(), clock: createClock() });

  expect(lstatSync(path).isSocket()).toBe(true);
});
