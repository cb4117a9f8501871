// Stories about the running service: the real process, started in a story's home.
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
