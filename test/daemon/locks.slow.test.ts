// The locks of a running daemon in strange hands: taken away, replaced, planted. One engramd works or none does, and what is
// wrong is said in a sentence that names the place.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../src/domain/errors.ts";
import { claudeProjectKey, createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { SQUASH_FILE, SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const CWD = "/home/ana/shop";
const ASKED = "Remember that we deploy from the release branch, never from main.";
const WITHIN_MS = 60_000;
/** Long before the heart-beat of the lock, which comes every minute and a half. */
const SOON_MS = 60_000;

let home: ScratchHome;

beforeEach(() => {
  home = createScratchHome();
  settings({});
});

function settings(more: object): void {
  mkdirSync(dirname(home.configFile), { recursive: true });
  const extract = { debounceMs: { model: 0, offline: 0 }, settleMs: 0, minNewTokens: 0 };
  writeFileSync(home.configFile, JSON.stringify({ extract, ...more }));
}

const folder = () => join(home.claudeProjects, claudeProjectKey(CWD));
const lockAt = (name = "engramd.lock") => join(home.stateDir, "locks", name);

function memories(): string[] {
  const path = join(folder(), "memory");
  return existsSync(path) ? readdirSync(path).toSorted() : [];
}

function say(text: string): void {
  mkdirSync(folder(), { recursive: true });
  const words = createTranscript({ cwd: CWD }).user(text).assistant("Will do.").text();
  writeFileSync(join(folder(), `${sessionIdOf(1)}.jsonl`), words);
}

/** Begun, and done with what a start writes: from now on it looks at its lock when there is work, not before. */
async function ready(): Promise<Daemon> {
  const daemon = startDaemon({ home });
  await daemon.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
  const isNoted = () => existsSync(join(home.stateDir, "status.json"));
  await expect.poll(isNoted, { timeout: WITHIN_MS, interval: 10 }).toBe(true);
  return daemon;
}

/** It leaves by itself, says why in its log and on its error output, and learns nothing meanwhile. */
async function expectGivesUp(daemon: Daemon): Promise<void> {
  await daemon.waitForEvent("daemon:stopped", { withinMs: SOON_MS });
  expect(await daemon.child.exit).toEqual({ code: EXIT.failed, signal: null });
  expect(daemon.child.stderr()).toMatch(/^engramd: the lock .+ \(lock-lost\)\n$/u);
  const said = daemon.log().filter(({ msg }) => msg === "daemon:stopping");
  expect(said).toMatchObject([{ level: "error", why: "lock-lost" }]);
  expect(daemon.log().filter(({ msg }) => msg === "memory:written")).toEqual([]);
}

describe("a daemon whose lock is taken away (fault 45)", () => {
  it("leaves with the next job instead of doing it; the next start does it, once", async () => {
    const daemon = await ready();
    rmdirSync(lockAt());
    say(ASKED);
    await expectGivesUp(daemon);
    expect(memories()).toEqual([]);

    const next = await ready();
    await next.waitForEvent("job:finished");

    expect(memories()).toHaveLength(2);
    expect((await next.stop()).code).toBe(0);
  });

  it("leaves when somebody else has it: only the other one learns, and stays reachable", async () => {
    const daemon = await ready();
    rmSync(dirname(lockAt()), { recursive: true });
    rmSync(dirname(home.socket), { recursive: true });
    const other = await ready();
    say(ASKED);
    await expectGivesUp(daemon);
    await other.waitForEvent("memory:written");

    expect(memories()).toHaveLength(2);
    const { stdout } = await runCommand({ home, args: ["status", "--json"] });
    expect((JSON.parse(stdout) as { pid: number }).pid).toBe(other.child.pid);
    expect(other.log().filter(({ msg }) => msg === "memory:written")).toHaveLength(1);
    expect((await other.stop()).code).toBe(0);
  });

  it("is refused to a second daemon as long as the first one answers, who then leaves as well", async () => {
    const daemon = await ready();
    rmdirSync(lockAt());
    const second = startDaemon({ home });

    expect((await second.child.exit).code).toBe(EXIT.alreadyRunning);
    say(ASKED);
    await expectGivesUp(daemon);
  });
});

describe("a lock that is taken away while a model is asked", () => {
  let stub: ModelStub;
  beforeEach(async () => {
    stub = await startModelStub();
    settings({ provider: "local", baseUrl: stub.url });
  });
  afterEach(() => stub.close());

  it("keeps the answer from being written; it is asked for once more after the next start", async () => {
    const write = { blocks: [squashWrite(recordIdOf(1))] };
    let isRobbed: (value?: unknown) => void = () => undefined;
    stub.reply({ ...write, after: new Promise((resolve) => (isRobbed = resolve)) });
    stub.otherwise(write);
    const daemon = await ready();
    say(SQUASH_WORDS);
    await stub.request(0);
    rmdirSync(lockAt());
    isRobbed();
    await expectGivesUp(daemon);
    expect(memories()).toEqual([]);

    const next = await ready();
    await next.waitForEvent("memory:written", { withinMs: WITHIN_MS });

    expect(memories()).toEqual(["MEMORY.md", SQUASH_FILE]);
    expect(stub.requests).toHaveLength(2);
    expect((await next.stop()).code).toBe(0);
  });
});

const [OWN_UID, OTHER_UID] = [12_346, 12_345];
const AS_ANOTHER = ["setpriv", `--reuid=${OWN_UID}`, `--regid=${OWN_UID}`, "--clear-groups"] as const;

/** Giving files away needs root, and the other user must be able to read the program. */
function canBeAnother(): boolean {
  const [program, ...options] = AS_ANOTHER;
  const ask = [
    ...options,
    process.execPath,
    "-e",
    `require("fs").readFileSync(${JSON.stringify(builtEntry())})`,
  ];
  if (process.getuid?.() === 0 && spawnSync(program, ask).status === 0) return true;
  process.stderr.write(
    "locks of another user: skipped, this needs root and a program that others may read\n",
  );
  return false;
}

function makeOld(path: string): void {
  utimesSync(path, 1_000_000_000, 1_000_000_000);
}

/** What lies in the place of the lock, and whether the daemon takes over or says that a person must look at it. */
const PLANTED: Readonly<Record<string, readonly [plant: () => void, isTaken: boolean]>> = {
  "an empty file": [() => writeFileSync(lockAt(), ""), true],
  "a file of 1 GB": [() => execFileSync("truncate", ["-s", "1G", lockAt()]), true],
  "a folder that files strayed into, of a dead process": [
    () => {
      mkdirSync(lockAt());
      for (const name of [".DS_Store", "a", "b"]) writeFileSync(join(lockAt(), name), "x");
      makeOld(lockAt());
    },
    true,
  ],
  "a lock stamped a year ahead (fault 48)": [
    () => {
      mkdirSync(lockAt());
      const ahead = Date.now() / 1_000 + 365 * 86_400;
      utimesSync(lockAt(), ahead, ahead);
    },
    true,
  ],
  "a pipe in the place of its token": [() => execFileSync("mkfifo", [lockAt("engramd.owner")]), true],
  "a link in the place of its token": [() => symlinkSync("/etc/passwd", lockAt("engramd.owner")), true],
  "a link": [() => symlinkSync(home.home, lockAt()), false],
  "a link that leads nowhere": [() => symlinkSync("/no/such/place", lockAt()), false],
  "a pipe": [() => execFileSync("mkfifo", [lockAt()]), false],
  "a folder of folders": [
    () => {
      mkdirSync(join(lockAt(), "inner"), { recursive: true });
      makeOld(lockAt());
    },
    false,
  ],
  "a folder in the place of its token": [() => mkdirSync(lockAt("engramd.owner")), false],
  "a file in the place of all locks": [
    () => {
      rmdirSync(dirname(lockAt()));
      writeFileSync(dirname(lockAt()), "x");
    },
    false,
  ],
};

describe("what lies in the place of a lock at start (fault 47)", () => {
  it.each(Object.entries(PLANTED))("%s is cleared, or named and left alone", async (_, [plant, isTaken]) => {
    mkdirSync(dirname(lockAt()), { recursive: true, mode: 0o700 });
    plant();
    const daemon = startDaemon({ home });
    if (isTaken) {
      await daemon.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
      expect((await daemon.stop()).code).toBe(0);
      return;
    }

    expect((await daemon.child.exit).code).toBe(EXIT.failed);
    expect(daemon.child.stderr()).toMatch(
      /^engramd: \S+\/locks\S* (?:is|cannot) .+: .+ \((?:lock-blocked|disk)\)\n$/u,
    );
    expect(readdirSync(dirname(dirname(lockAt()))).length).toBeGreaterThan(0);
  });

  it.skipIf(!canBeAnother())(
    "of another user is taken over once it is old, and named while it is stamped ahead",
    async () => {
      for (const [at, isTaken] of [
        [Date.now() / 1_000 - 3_600, true],
        [Date.now() / 1_000 + 86_400, false],
      ] as const) {
        mkdirSync(lockAt(), { recursive: true });
        execFileSync("chown", ["-R", String(OWN_UID), home.folder.path]);
        execFileSync("chown", [String(OTHER_UID), lockAt()]);
        utimesSync(lockAt(), at, at);
        const daemon = startDaemon({ home, wrapper: AS_ANOTHER });
        if (isTaken) {
          await daemon.waitForEvent("daemon:ready", { withinMs: WITHIN_MS });
          expect((await daemon.stop()).code).toBe(0);
        } else {
          expect((await daemon.child.exit).code).toBe(EXIT.failed);
          expect(daemon.child.stderr()).toContain("engramd.lock is in the place of a lock");
          expect(lstatSync(lockAt()).uid).toBe(OTHER_UID);
        }
      }
    },
  );
});
