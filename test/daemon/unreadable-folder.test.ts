// One memory folder nobody may read, with real rights, beside one that can be read: what is asked of many is answered for
// all others, and the one is named. Also as root: the commands run without root's right to read everything.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NewsReply } from "../../src/domain/account.ts";
import type { DoctorReport } from "../../src/serve/answers/doctor/examine.ts";
import type { UninstallReport } from "../../src/serve/deliver/install/uninstall.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry } from "../helpers/daemon-process.ts";
import { turn } from "./running.ts";
import { createStory, S1, SHOP, TABS } from "./story.ts";

const FORUM = "/home/ana/forum";
/** Root stays root, with no capability: the rights of a file hold for it as for anybody. */
const BOUND = ["unshare", "-Ur", "setpriv", "--bounding-set=-all", "--inh-caps=-all"];
const wrapper = process.getuid?.() === 0 ? BOUND : [];

function rightsHold(): boolean {
  try {
    const [command, ...args] = [...wrapper, "true"];
    execFileSync(command ?? "true", args, { stdio: "ignore" });
    return true;
  } catch {
    process.stdout.write("skipped: no user namespaces here, so root may read everything\n");
    return false;
  }
}

async function setUp() {
  const story = createStory();
  story.transcript(SHOP, S1, turn(TABS));
  story.transcript(
    FORUM,
    `${sessionIdOf(2)}.jsonl`,
    createTranscript({ cwd: FORUM, sessionId: sessionIdOf(2) })
      .user(TABS)
      .assistant("ok")
      .text(),
  );
  await story.sync();
  expect(story.topics(FORUM)).toHaveLength(1);
  const locked = story.memoryDir(SHOP);
  chmodSync(locked, 0o000);
  onTestFinished(() => {
    if (existsSync(locked)) chmodSync(locked, 0o700);
  });
  async function asked<T>(...args: string[]): Promise<T> {
    const line = [...wrapper, process.execPath, builtEntry(), ...args, "--json"];
    const child = startChild({ command: "env", args: line, env: story.home.env, cwd: story.home.home });
    await child.exit;
    return JSON.parse(child.stdout());
  }
  return { story, locked, asked };
}

describe.skipIf(process.platform !== "linux" || !rightsHold())("a memory folder nobody may read", () => {
  it("leaves the news of all others, and its own are news until they can be told", async () => {
    const { story, locked, asked } = await setUp();
    const why = "it cannot be read (EACCES)";

    const first = await asked<NewsReply>("news");
    const again = await asked<NewsReply>("news");
    chmodSync(locked, 0o700);
    const told = await asked<NewsReply>("news");

    expect(first.projects.map(({ project }) => project)).toEqual([FORUM]);
    expect(first.notShown).toEqual([{ memoryDir: locked, project: SHOP, why }]);
    expect(again).toMatchObject({ projects: [], notShown: [{ memoryDir: locked }] });
    expect(told.notShown).toBeUndefined();
    expect(told.projects.map(({ project }) => project)).toEqual([SHOP]);
    expect(story.topics(SHOP)).toHaveLength(1);
  });

  it("is told once by the doctor, and keeps no check from its answer", async () => {
    const { locked, asked } = await setUp();

    const { checks } = await asked<DoctorReport>("doctor");

    expect(checks.filter(({ message }) => message.includes("could not be checked"))).toEqual([]);
    const named = checks.filter(({ message }) => message.includes(locked));
    expect(named.map(({ code, state }) => `${code} ${state}`)).toEqual(["memory-folders warn"]);
  });

  it("keeps its memories when those of all others are removed, and is named", async () => {
    const { story, locked, asked } = await setUp();

    const { changes } = await asked<UninstallReport>("uninstall", "--remove-memories");

    expect(existsSync(story.memoryDir(FORUM))).toBe(false);
    expect(changes).toContainEqual({ did: "kept", what: locked });
    chmodSync(locked, 0o700);
    expect(story.topics(SHOP)).toHaveLength(1);
  });
});
