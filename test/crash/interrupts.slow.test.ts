// Ctrl-C and its like on commands that work by themselves, without a service: they end at once with the signal's exit code, and
// leave no holder in the host's lock, no lock of ours, no temporary file; memory is as it was or committed whole.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startChild } from "../helpers/child-process.ts";
import type { Child } from "../helpers/child-process.ts";
import { builtEntry, runCommand } from "../helpers/daemon-process.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { quickStory, turn } from "../daemon/running.ts";
import type { Story } from "../daemon/story.ts";
import { S1, SHOP } from "../daemon/story.ts";
import { findLeftovers, memoryFiles } from "./disk-checks.ts";

/** What is promised is less; a machine under load is slower. */
const END_MS = 10_000;
const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;
const HANG = { blocks: ["Let me see what there is."], hangAfter: 10 };
const IN_SHOP = ["--project", SHOP];

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise(HANG);
});
afterEach(() => stub.close());

/** Two memories by rules, words nobody has read, a daily log, and a model that begins to answer and stops. */
async function planted(): Promise<Story> {
  const story = quickStory();
  story.transcript(SHOP, S1, turn("Remember: the red board hangs in hall number 1."));
  await story.sync();
  story.transcript(SHOP, S1, turn("Remember: the blue board hangs in hall number 2.", 11));
  const logs = join(story.memoryDir(SHOP), "logs/2026/11");
  mkdirSync(logs, { recursive: true });
  writeFileSync(
    join(logs, "2026-11-28.md"),
    "# 2026-11-28\n\n- 09:00 Always ask before a release goes out.\n",
  );
  const extract = { minNewTokens: 0, settleMs: 0 };
  story.config({
    provider: "local",
    baseUrl: stub.url,
    extract,
    firstStart: { backfillDays: { model: 9_999 } },
  });
  return story;
}

function begin({ home }: Story, args: readonly string[]): Child {
  return startChild({
    command: process.execPath,
    args: [builtEntry(), ...args],
    env: home.env,
    cwd: home.home,
  });
}

async function endsAt(child: Child, name: NodeJS.Signals) {
  const sentMs = performance.now();
  child.signal(name);
  const exit = await child.exit;
  expect(performance.now() - sentMs, child.stderr()).toBeLessThan(END_MS);
  return exit;
}

/** The holder that stands in the host's lock; "" for none. */
function holderIn(story: Story): string {
  const lock = join(story.memoryDir(SHOP), ".consolidate-lock");
  return existsSync(lock) ? readFileSync(lock, "utf8") : "";
}

describe.each([
  ["dream", ["dream", "--force", ...IN_SHOP]],
  ["distill", ["distill", "--date", "2026-11-28", ...IN_SHOP]],
  ["sync", ["sync", "--backfill", "all"]],
] as const)("%s, while its model thinks", (_, args) => {
  it.each(SIGNALS)("ends with %s by exit code %i and leaves everything as it was", async (name, code) => {
    const story = await planted();
    const before = memoryFiles(story.home);
    const child = begin(story, args);
    await stub.request(0);

    expect(await endsAt(child, name), child.stderr()).toEqual({ code, signal: null });

    expect(child.stdout()).toBe("");
    expect(child.stderr()).toMatch(
      new RegExp(`^engramd: broken off by ${name}: .+ \\(interrupted\\)\\n$`, "u"),
    );
    expect(holderIn(story)).toBe("");
    expect(memoryFiles(story.home)).toEqual(before);
    expect(findLeftovers(story.home)).toEqual([]);
  });
});

describe("with --json", () => {
  it("what was broken off is the one document", async () => {
    const story = await planted();
    const child = begin(story, ["dream", "--force", "--json", ...IN_SHOP]);
    await stub.request(0);

    expect((await endsAt(child, "SIGINT")).code).toBe(130);

    expect(JSON.parse(child.stdout())).toMatchObject({ v: 1, error: { code: "interrupted" } });
  });
});

describe("model use, while the server it asks says nothing", () => {
  /** Takes connections, and tells when it has one. */
  async function startMute() {
    let met: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (met = resolve));
    const server = createServer(() => met());
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const choice = (url: string) => ["model", "use", "local", "--yes", "--base-url", url, "--model", "qwen3"];

  it("ends after fifteen seconds and says so", async () => {
    const { home } = quickStory();
    const { url } = await startMute();
    const startedMs = performance.now();

    const { code, stderr } = await runCommand({ home, args: choice(url) });

    expect(code).toBe(1);
    expect(stderr).toMatch(/nothing was changed: .+ has not said a word for 15 s: .+ \(probe-silent\)\n$/u);
    expect(performance.now() - startedMs).toBeGreaterThan(15_000);
    expect(performance.now() - startedMs).toBeLessThan(15_000 + END_MS);
  });

  it.each(SIGNALS)("ends with %s by exit code %i and changes nothing", async (name, code) => {
    const story = quickStory();
    const before = readFileSync(story.home.configFile, "utf8");
    const { asked, url } = await startMute();
    const child = begin(story, choice(url));
    await asked;

    expect(await endsAt(child, name), child.stderr()).toEqual({ code, signal: null });

    expect(readFileSync(story.home.configFile, "utf8")).toBe(before);
    expect(existsSync(join(story.home.stateDir, "consent.json"))).toBe(false);
    expect(findLeftovers(story.home)).toEqual([]);
  });
});

describe("lint --fix, in the middle of its writing", () => {
  /** Of twice as many memories, each of which says what another one says. */
  const LEFT = 60;

  it("ends with any signal, every file is whole, and the next one mends the rest", async () => {
    for (const [name, code] of SIGNALS) {
      const story = quickStory();
      const folder = story.memoryDir(SHOP);
      mkdirSync(folder, { recursive: true });
      for (let at = 0; at < 2 * LEFT; at += 1) {
        const header = `---\nname: n${at}\ndescription: a board\ntype: reference\n---\n`;
        const body = `Board ${Math.floor(at / 2)} hangs here.\n`;
        writeFileSync(join(folder, `reference_n${at}.md`), `${header}\n${body}`);
      }
      const child = begin(story, ["lint", "--fix", ...IN_SHOP]);
      await untilThere(join(story.home.stateDir, "journal"), child);

      const exit = await endsAt(child, name);

      // Whoever is done a moment before it is done, and nobody listens any more while it leaves.
      if (exit.signal === null) expect([code, 0], child.stderr()).toContain(exit.code);
      else expect([exit.signal, story.topics(SHOP).length], child.stderr()).toEqual([name, LEFT]);
      expect(findLeftovers(story.home), name).toEqual([]);
      const again = await runCommand({ home: story.home, args: ["lint", "--fix", ...IN_SHOP] });
      expect(again.code, again.stderr).toBe(0);
      expect(story.topics(SHOP), name).toHaveLength(LEFT);
    }
  });
});

/** Looks again and again while the child lives: what it makes may be there for a moment only. */
async function untilThere(path: string, child: Child): Promise<void> {
  let isOver = false;
  void child.exit.then(() => (isOver = true));
  while (!isOver && !existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 2));
}
