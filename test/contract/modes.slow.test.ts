// A varied day of the built program under three umasks: every file it makes is 0600, every folder 0700, in every place it
// writes to (fault 120). What the person had before keeps the mode it had.
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemCode } from "../../src/domain/errors.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry, startDaemon } from "../helpers/daemon-process.ts";
import { addSystemd, createFakePrograms } from "../helpers/fake-programs.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { turn } from "../daemon/running.ts";
import { createStory, MOCKS, RELEASE, S1, S2, SHOP, TABS } from "../daemon/story.ts";

/** Modes of everything below a scratch home, links left out. */
function modesOf({ folder }: ScratchHome): Map<string, string> {
  return new Map(modesBelow(folder.path, ""));
}

/** A living daemon removes locks and replaces files meanwhile: what is gone when we look at it is not there. */
function modesBelow(root: string, prefix: string): [name: string, mode: string][] {
  return namesIn(join(root, prefix)).flatMap((own) => {
    const name = join(prefix, own);
    const stat = lstatSync(join(root, name), { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return [];
    const kind = stat.isDirectory() ? "folder" : stat.isSocket() ? "socket" : "file";
    const below = stat.isDirectory() ? modesBelow(root, name) : [];
    return [[name, `${kind} ${(stat.mode & 0o7777).toString(8)}`], ...below];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Runs a program under an umask. */
const under = (mask: string) => ["/bin/sh", "-c", `umask ${mask}; exec "$@"`, "sh"];

describe.skipIf(process.platform !== "linux")("what engramd makes", () => {
  it.each(["000", "022", "077"])("in a whole day under umask %s is its person's alone", async (mask) => {
    const story = createStory();
    const { home } = story;
    const programs = createFakePrograms(home.folder);
    addSystemd(programs, home.folder);
    const env = { PATH: `${programs.path}:${home.env["PATH"] ?? ""}`, USER: "mara" };
    const run = async (...args: string[]) => {
      const [command = "", ...rest] = [...under(mask), process.execPath, builtEntry(), ...args];
      const child = startChild({ command, args: rest, env: { ...home.env, ...env }, cwd: home.home });
      const { code } = await child.exit;
      return { code, out: child.stdout() + child.stderr() };
    };
    story.config({ extract: { debounceMs: 200, settleMs: 0 } });
    story.transcript(SHOP, S1, turn(TABS));
    // The person's own folder and file, open to the group: theirs to decide.
    mkdirSync(story.memoryDir(SHOP));
    const own = join(story.memoryDir(SHOP), "user_own.md");
    writeFileSync(own, "---\nname: own\ndescription: mine\nmetadata:\n  type: user\n---\nMine.\n");
    chmodSync(own, 0o640);
    chmodSync(story.memoryDir(SHOP), 0o750);
    const before = modesOf(home);

    const daemon = startDaemon({ home, env, wrapper: under(mask), args: ["run", "--log-file"] });
    const steps: [string[], number[]][] = [
      [["status"], [0]],
      [["install"], [0]],
      [["sync"], [0]],
      [["remember", "we drink green tea in the afternoon", "--project", SHOP], [0]],
      [
        ["forget", "own", "--project", SHOP, "--yes"],
        [0, 1, 2],
      ],
      [["pause", "--for", "1h"], [0]],
      [["resume"], [0]],
      [["news"], [0]],
      [["why", sessionIdOf(1)], [0]],
      [
        ["history", "--all"],
        [0, 2],
      ],
      [["doctor"], [0, 1]],
    ];
    // With a log file of its own the daemon says nothing on its output; a status that is answered is its sign of life.
    for (let tries = 0; tries < 100 && (await run("status")).code !== 0; tries += 1);
    for (const [args, codes] of steps) {
      const { code, out } = await run(...args);
      expect(codes, `${args.join(" ")}: ${out}`).toContain(code);
    }
    const other = createTranscript({ cwd: "/home/ana/other", sessionId: sessionIdOf(3), firstNumber: 300 });
    story.transcript(
      "/home/ana/other",
      `${sessionIdOf(3)}.jsonl`,
      other.user(RELEASE).assistant("ok").text(),
    );
    story.transcript(SHOP, S2, turn(MOCKS, 50, sessionIdOf(2)));
    const theirs = new Set([
      ...before.keys(),
      ...[...modesOf(home).keys()].filter((name) => name.includes(".jsonl")),
    ]);
    expect((await run("sync")).code).toBe(0);
    const undone = await run("undo", "--all", "--project", SHOP, "--yes");
    expect([0, 1, 2], undone.out).toContain(undone.code);
    expect((await run("ignore", sessionIdOf(3))).code).toBe(0);
    expect((await run("sync")).code).toBe(0);
    const live = modesOf(home);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    const after = modesOf(home);

    for (const modes of [live, after]) {
      const made = [...modes].filter(([name]) => !theirs.has(name) && !isOfTheTest(name));
      expect(made.filter(([, mode]) => !/^(?:file 600|folder 700|socket 600)$/u.test(mode))).toEqual([]);
      expect(made.length).toBeGreaterThan(25);
    }
    expect([...live.values()]).toContain("socket 600");
    // The person's: a folder of theirs keeps its mode, and a file of theirs that nobody wrote to.
    const kept = [...before].filter(([name]) => after.has(name) && after.get(name) !== before.get(name));
    expect(kept).toEqual([]);
  });
});

/** Transcripts and their folders are made by the test; the rest of a home is engramd's here. */
function isOfTheTest(name: string): boolean {
  return (
    name.startsWith("fake-bin") ||
    /^(?:calls\.txt|service-is-on)$/u.test(name) ||
    name.endsWith("/projects/-home-ana-other")
  );
}
