// A memory folder gone wrong in ways no tool of ours makes: pipes and folders in the place of files, a file in the place
// of the folder, mounts, special modes, names that are no text. Nothing hangs, nothing is lost, the status says why, and
// it goes on when things are right again.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Status } from "../../src/domain/status.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { squashInput } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { quickStory, started, turn, written } from "../daemon/running.ts";
import type { Story } from "../daemon/story.ts";
import { createStory, MOCKS, S1, SHOP, TABS } from "../daemon/story.ts";
import { folderOf, KNOWN, passAndStatus, trappedStory } from "./steered-model.ts";

let stub: ModelStub;
beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: [{ tool: "write", input: squashInput(recordIdOf(1)) }] });
});
afterEach(() => stub.close());

function lastError({ projects }: Status) {
  return projects[0]?.lastError;
}

describe("an index that is no file", () => {
  const KINDS: readonly (readonly [string, (path: string) => void])[] = [
    ["a folder", (path) => mkdirSync(path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    [
      "a socket",
      (path) => {
        const server = createServer().listen(path);
        onTestFinished(() => void server.close());
      },
    ],
  ];

  it.each(KINDS)(
    "but %s is left as it is and told; a plain one is made when it is gone",
    async (_what, make) => {
      const story = trappedStory(stub);
      const path = join(story.memoryDir(SHOP), "MEMORY.md");
      rmSync(path);
      make(path);
      const kind = lstatSync(path).mode;

      const { report, status } = await passAndStatus(story);

      expect(report.memories.created).toBe(0);
      expect(lastError(status)).toMatchObject({
        code: "unsafe-file",
        message: expect.stringContaining("MEMORY.md"),
      });
      expect(lstatSync(path).mode).toBe(kind);
      rmSync(path, { recursive: true });
      expect((await story.sync()).memories.created).toBe(1);
      expect(statSync(path).isFile()).toBe(true);
    },
  );
});

describe("a memory folder that is a file", () => {
  it("is told, stays what it is, and is used again when it is a folder", async () => {
    const story = trappedStory(stub);
    const dir = story.memoryDir(SHOP);
    renameSync(dir, `${dir}.aside`);
    writeFileSync(dir, "a note somebody saved under this name\n");

    const { report, status } = await passAndStatus(story);

    expect(report.memories.created).toBe(0);
    expect(lastError(status)?.message ?? status.projects[0]?.waitingFor).toMatch(/folder/u);
    expect(readFileSync(dir, "utf8")).toContain("a note");
    rmSync(dir);
    renameSync(`${dir}.aside`, dir);
    expect((await story.sync()).memories.created).toBe(1);
    expect(folderOf(story)).toMatchObject(KNOWN);
  });
});

describe("names that are no text", () => {
  it.skipIf(process.platform !== "linux")("are passed over, listed or learnt around, and stay", async () => {
    const story = trappedStory(stub);
    const dir = Buffer.from(`${story.memoryDir(SHOP)}/`);
    const names = [
      Buffer.from([0x75, 0xff, 0x2e, 0x6d, 0x64]),
      Buffer.from("user_end.md\n"),
      Buffer.from("a\tb\u001b[2J.md"),
    ];
    for (const name of names) writeFileSync(Buffer.concat([dir, name]), "---\nname: odd\n---\nodd\n");

    const { report } = await passAndStatus(story);
    const list = await runCommand({ home: story.home, args: ["list", "--project", SHOP] });

    expect(report.memories.created).toBe(1);
    expect(list.code).toBe(0);
    expect((list.stdout + list.stderr).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    for (const name of names) expect(existsSync(Buffer.concat([dir, name]))).toBe(true);
  });
});

describe("special modes of a memory folder", () => {
  it.each([0o1777, 0o2770, 0o3777, 0o755])(
    "%o stay, and the files in it are private all the same",
    async (mode) => {
      const story = trappedStory(stub);
      const dir = story.memoryDir(SHOP);
      chmodSync(dir, mode);

      const report = await story.sync();

      expect(report.memories.created).toBe(1);
      expect(statSync(dir).mode & 0o7777).toBe(mode);
      expect(statSync(join(dir, "feedback_squash.md")).mode & 0o777).toBe(0o600);
      expect(statSync(join(dir, "MEMORY.md")).mode & 0o777).toBe(0o600);
    },
  );
});

describe("a working directory far down", () => {
  it("has its memory like any other, and no path grows beyond what a disk takes", async () => {
    const story = createStory();
    const cwd = `/home/ana/${"deep/".repeat(700)}end`;
    const dir = join(story.home.claudeProjects, "deep");
    mkdirSync(dir);
    writeFileSync(join(dir, S1), createTranscript({ cwd }).user(TABS).assistant("ok").text());

    const report = await story.sync();

    expect(report.memories.created).toBe(1);
  });
});

/** Whether this machine lets a test mount something in a namespace of its own. */
function mayMount(): boolean {
  try {
    execFileSync("unshare", ["-Urm", "nsenter", "--version"], { stdio: "ignore" });
    return true;
  } catch {
    process.stdout.write("skipped: no user namespaces here, so no mounts\n");
    return false;
  }
}

async function ask<T>(story: Story, ...args: string[]): Promise<T> {
  const { stdout } = await runCommand({ home: story.home, args: [...args, "--json"] });
  return JSON.parse(stdout) as T;
}

describe.skipIf(!mayMount())("mounts below a running daemon", () => {
  const inNamespace = (pid: number | undefined, ...command: string[]) =>
    execFileSync("nsenter", ["-t", String(pid), "-U", "-m", "--preserve-credentials", ...command]);

  it("over a single file keep that file, are told, and hold nothing up once they are gone", async () => {
    const story = quickStory();
    const dir = story.memoryDir(SHOP);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "MEMORY.md"), "# Mine\n");
    // A mounted name can be neither replaced nor removed, also not by root.
    const mount = `mount --bind "$0/MEMORY.md" "$0/MEMORY.md" && exec "$@"`;
    const daemon = await started(story, ["unshare", "-Urm", "sh", "-c", mount, dir]);
    story.transcript(SHOP, S1, turn(TABS));
    await daemon.waitForEvent("job:finished");
    const status = await ask<Status>(story, "status");

    expect(lastError(status)).toMatchObject({
      code: "memory-failed",
      message: expect.stringContaining("MEMORY.md"),
    });
    expect(readFileSync(join(dir, "MEMORY.md"), "utf8")).toBe("# Mine\n");
    inNamespace(daemon.child.pid, "umount", join(dir, "MEMORY.md"));
    await ask(story, "sync");
    expect(story.topics(SHOP)).toHaveLength(1);
    expect(story.index(SHOP)).toMatch(/^# Mine\n[^]*tabs/u);
    expect(readdirSync(dir).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });

  it("that bring another folder in are not taken for the old one: what was there comes back whole", async () => {
    const story = quickStory();
    const dir = story.memoryDir(SHOP);
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story, ["unshare", "-Urm", "sh", "-c", `exec "$@"`, "sh"]);
    await written(daemon, /tabs/);
    const before = story.learnt(SHOP);
    inNamespace(daemon.child.pid, "mount", "-t", "tmpfs", "-o", "mode=700,size=1m", "tmpfs", dir);
    story.transcript(SHOP, `${sessionIdOf(2)}.jsonl`, turn(MOCKS, 50, sessionIdOf(2)));
    await daemon.waitForEvent("job:finished", {
      where: ({ outcome }) => JSON.stringify(outcome).includes("failed"),
    });
    const other = lastError(await ask<Status>(story, "status"));

    inNamespace(daemon.child.pid, "umount", dir);
    await ask(story, "sync");

    expect(other).toMatchObject({ code: "folder-swapped", message: expect.stringContaining("volume") });
    expect(story.learnt(SHOP)).toContain(before.trim().split("\n").at(-1));
    expect(story.topics(SHOP)).toHaveLength(2);
    expect(story.index(SHOP).trimEnd().split("\n")).toHaveLength(2);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });
});
