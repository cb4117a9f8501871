// Stories about the running service: the real process, started in a story's home.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon, LogLine } from "../helpers/daemon-process.ts";
import { startDaemon } from "../helpers/daemon-process.ts";
import type { Story } from "./story.ts";
import { createStory, SHOP } from "./story.ts";

/** One finished turn of the shop project. */
export function turn(text: string, firstNumber = 1, sessionId = sessionIdOf(1)): string {
  return createTranscript({ cwd: SHOP, sessionId, firstNumber }).user(text).assistant("ok").text();
}

/** A story whose service waits for next to nothing. */
export function quickStory(extract: object = {}, rest: object = {}): Story {
  const story = createStory();
  story.config({ extract: { debounceMs: 200, settleMs: 0, ...extract }, ...rest });
  return story;
}

export async function started(story: Story, wrapper: readonly string[] = []): Promise<Daemon> {
  const daemon = startDaemon({ home: story.home, wrapper });
  await daemon.waitForEvent("daemon:ready");
  return daemon;
}

export function written(daemon: Daemon, file: RegExp): Promise<LogLine> {
  return daemon.waitForEvent("memory:written", { where: (line) => file.test(String(line["file"])) });
}

/** The last thing a start writes, some turns after it said that it is ready: what a daemon that is killed leaves to read. */
export async function noted({ home }: Daemon): Promise<void> {
  await expect.poll(() => existsSync(join(home.stateDir, "status.json")), { interval: 10 }).toBe(true);
}

/** Every job of these memory folders that was asked for by the first round, to its end. */
export async function learnt(daemon: Daemon, ...memoryDirs: readonly string[]): Promise<void> {
  for (const memoryDir of memoryDirs)
    await daemon.waitForEvent("job:finished", { where: ({ key }) => String(key).endsWith(memoryDir) });
}
