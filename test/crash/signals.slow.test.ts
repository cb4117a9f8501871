// Every signal a service gets, in every phase of its life: it ends in time, and what it left undone is done by the next.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { ageFiles, findHalves, findLeftovers, learntIn } from "./disk-checks.ts";
import { createStory } from "../daemon/story.ts";
import { inMemory, session, SHOP } from "./world.ts";

const KILLER = join(import.meta.dirname, "kill-at.mjs");
const EXIT_MS = 10_000;
const READY_MS = 60_000;
/** Calls that change the disk from the start to the end of the job, and those of stopping after it. */
const CALLS = 150;
const STEP = 8;
const TABS = "From now on always use tabs for indentation in commits.";
const DUMP = "Remember that the staging database is restored from the Monday dump.";

function home(): ScratchHome {
  const made = inMemory(createScratchHome);
  mkdirSync(dirname(made.configFile), { recursive: true });
  const config = { extract: { debounceMs: { offline: 0 }, settleMs: 0 }, sweep: { everyMs: 600_000 } };
  writeFileSync(made.configFile, JSON.stringify(config));
  return made;
}

async function endsInTime(daemon: Daemon): Promise<number> {
  let startedAt = performance.now();
  const { child } = daemon;
  // A signal from inside comes after the start.
  void child
    .waitForLine((line) => line.includes("test:signalled"), { withinMs: READY_MS })
    .then(
      () => (startedAt = performance.now()),
      () => undefined,
    );
  const exit = await child.exit;
  const ms = performance.now() - startedAt;
  const isReady = daemon.log().some(({ msg }) => msg === "daemon:ready" || msg === "daemon:stopping");
  // Before Node has run our first line nobody listens, and the signal's own effect is an end as well.
  if (isReady || exit.signal !== "SIGTERM")
    expect(exit, daemon.child.stderr()).toEqual({ code: 0, signal: null });
  return ms;
}

describe("SIGTERM at the N-th call that changes the disk (fault 69)", () => {
  it("ends the daemon within ten seconds, whatever it was doing, and the next one does the rest", async () => {
    for (let at = 1; at <= CALLS; at += STEP) {
      const place = home();
      session(place, SHOP, 1, [TABS, DUMP]);
      const daemon = startDaemon({
        home: place,
        nodeArgs: ["--import", KILLER],
        env: { ENGRAMD_TEST_KILL: `${at} before SIGTERM` },
      });
      // One that is done before the N-th call is asked from outside: then its stopping meets the call.
      void daemon.waitForEvent("job:finished", { withinMs: READY_MS }).then(
        () => daemon.child.signal("SIGTERM"),
        () => undefined,
      );

      expect(await endsInTime(daemon), `at call ${at}`).toBeLessThan(EXIT_MS);
      expect(findHalves(place), `at call ${at}`).toEqual([]);
      const { sync } = createStory({}, undefined, place);

      expect(await sync(), `after call ${at}`).toMatchObject({ skipped: [] });
      expect(Object.keys(learntIn(place)), `after call ${at}`).toHaveLength(3);
      ageFiles(place);
      expect(await sync(), `after call ${at}`).toMatchObject({ skipped: [] });
      expect(findLeftovers(place), `after call ${at}`).toEqual([]);
    }
  });

  it("ends a daemon in its first sweep, and the next one sees everything", async () => {
    const place = home();
    for (let folder = 0; folder < 300; folder += 1) {
      for (let file = 0; file < 10; file += 1) {
        const sessionId = `${sessionIdOf(file).slice(0, -4)}${String(folder).padStart(4, "0")}`;
        const firstNumber = 1 + file;
        const text = createTranscript({ cwd: `/home/ana/p${folder}`, sessionId, firstNumber })
          .user(`hello ${file}`)
          .text();
        place.folder.write(`home/.claude/projects/-home-ana-p${folder}/${sessionId}.jsonl`, text);
      }
    }
    const daemon = startDaemon({ home: place });
    // The socket answers from right before the first sweep on.
    for (let asked = 0; asked < 100; asked += 1) {
      const { stdout } = await runCommand({ home: place, args: ["status", "--json"] });
      if (stdout.includes('"state":"scanning"') || stdout.includes('"state": "scanning"')) break;
      if (daemon.log().some(({ msg }) => msg === "daemon:ready")) break;
    }
    daemon.child.signal("SIGTERM");

    expect(await endsInTime(daemon)).toBeLessThan(EXIT_MS);
    const sync = JSON.parse((await runCommand({ home: place, args: ["sync", "--json"] })).stdout);
    expect(sync.agents["claude-code"]).toMatchObject({ typedMessages: 3_000 });
  });
});

describe("the other signals (fault 70)", () => {
  it.each([
    ["SIGINT once", ["SIGINT"]],
    ["SIGTERM twice", ["SIGTERM", "SIGTERM"]],
    ["SIGTERM and SIGINT", ["SIGTERM", "SIGINT"]],
    ["SIGHUP and SIGTERM", ["SIGHUP", "SIGTERM"]],
  ] as const)("%s in the middle of work end it with 0, resumable", async (_, names) => {
    const place = home();
    const daemon = startDaemon({ home: place });
    await daemon.waitForEvent("daemon:ready", { withinMs: READY_MS });
    session(place, SHOP, 1, [TABS, DUMP]);
    for (const name of names) daemon.child.signal(name);

    expect(await endsInTime(daemon)).toBeLessThan(EXIT_MS);
    expect((await runCommand({ home: place, args: ["sync"] })).code).toBe(0);
    expect(Object.keys(learntIn(place))).toHaveLength(3);
  });

  it("SIGHUP alone, ten times and in the middle of work, ends nothing", async () => {
    const place = home();
    const daemon = startDaemon({ home: place });
    await daemon.waitForEvent("daemon:ready", { withinMs: READY_MS });

    session(place, SHOP, 1, [TABS, DUMP]);
    for (let count = 0; count < 10; count += 1) daemon.child.signal("SIGHUP");
    await daemon.waitForEvent("job:finished", { withinMs: READY_MS });

    expect(Object.keys(learntIn(place))).toHaveLength(3);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
