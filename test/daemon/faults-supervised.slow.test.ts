// A service manager that starts the daemon anew: because it hangs, or because it reached its memory limit. The test is
// the manager; it does what the unit file says (`Restart=on-failure`, `WatchdogSec`).
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startChild } from "../helpers/child-process.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { startDaemon } from "../helpers/daemon-process.ts";
import { createFakePrograms } from "../helpers/fake-programs.ts";
import { askSocket } from "../helpers/socket-client.ts";
import { sessionIdOf } from "../helpers/claude-transcript.ts";
import { quickStory, turn, written } from "./running.ts";
import { MOCKS, S1, S2, SHOP, TABS } from "./story.ts";

const READY_MS = 60_000;
const HANG = join(import.meta.dirname, "../crash/hang.mjs");
const DIE = join(import.meta.dirname, "../crash/die-reading.mjs");
/** As `WatchdogSec`, but short. */
const WATCH_MS = 1_500;
/** As many as are sent in five seconds, by a program each that a busy machine begins late; a living daemon would go on. */
const LATE_BEATS_MAX = 10;
/** A restart more than this is a loop. */
const STARTS_MAX = 10;

describe("a daemon whose event loop hangs (fault 73)", () => {
  it("is not heard of any more, is started anew by its manager, and works on", async () => {
    const story = quickStory();
    const programs = createFakePrograms(story.home.folder);
    const words = story.home.folder.write("words.txt", "");
    programs.add("systemd-notify", `printf '%s\\n' "$1" >> '${words}'`);
    const ear = startChild({ command: "tail", args: ["-n", "+1", "-f", words] });
    const env = {
      PATH: programs.path,
      NOTIFY_SOCKET: "/run/manager",
      WATCHDOG_USEC: String(WATCH_MS * 1_000),
    };
    const start = async () => {
      const daemon = startDaemon({ home: story.home, nodeArgs: ["--import", HANG], env });
      await daemon.waitForEvent("daemon:ready", { withinMs: READY_MS });
      return daemon;
    };
    const beats = () => ear.lines().filter((line) => line === "WATCHDOG=1").length;
    const beatAfter = (count: number, withinMs = READY_MS) =>
      ear.waitForLine(() => beats() > count, { withinMs });
    const first = await start();
    await beatAfter(1);

    first.child.signal("SIGUSR2");
    // Beats may be under way, since nobody waits for the programs that tell of them.
    let heard = beats();
    const isHeard = () => beatAfter(heard, 2 * WATCH_MS).then(Boolean, () => false);
    for (let late = 0; late < LATE_BEATS_MAX && (await isHeard()); late += 1) heard = beats();
    expect(await isHeard()).toBe(false);
    expect(await first.stop("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
    const second = await start();

    await beatAfter(heard);
    story.transcript(SHOP, S1, turn(TABS));
    await written(second, /tabs/);
    expect((await askSocket(story.home.socket, { path: "/v1/status" })).status).toBe(200);
    expect(await second.stop()).toMatchObject({ code: 0 });
    expect(ear.lines().filter((line) => line === "READY=1")).toHaveLength(2);
  });
});

describe("a transcript that takes all the memory the daemon may have (fault 74)", () => {
  it("is marked after three starts and not read for ever; the others are", async () => {
    const story = quickStory();
    const deadly = "deadly words";
    const bad = story.transcript(SHOP, S1, turn(`Remember that ${deadly} are kept in the cellar.`, 900));
    story.transcript(SHOP, S2, turn(TABS, 50, sessionIdOf(2)));
    const ends: number[] = [];
    let daemon: Daemon | undefined;
    while (daemon === undefined && ends.length < STARTS_MAX) {
      const started = startDaemon({
        home: story.home,
        nodeArgs: ["--max-old-space-size=64", "--import", DIE],
        env: { ENGRAMD_TEST_DEADLY: deadly, ENGRAMD_TEST_DEADLY_BY: "memory" },
      });
      // Learning something else is the proof that it got past the bad one.
      const outcome = await Promise.race([
        written(started, /tabs/).then(() => "learnt" as const),
        started.child.exit,
      ]).catch(() => started.child.exit);
      if (outcome === "learnt") daemon = started;
      else ends.push(outcome.code ?? -1);
    }
    expect(daemon).toBeDefined();

    // Killed by a signal (SIGABRT): the kind of end after which the unit starts anew.
    expect(ends).toEqual([-1, -1, -1]);
    const status = JSON.parse((await askSocket(story.home.socket, { path: "/v1/status" })).text);
    expect(status.warnings).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: "source-set-aside" })]),
    );
    expect(JSON.stringify(status.warnings)).toContain(bad);
    story.transcript(SHOP, `${sessionIdOf(3)}.jsonl`, turn(MOCKS, 200, sessionIdOf(3)));
    await written(daemon as Daemon, /database/);
    expect(await daemon?.stop()).toMatchObject({ code: 0 });
  });
});
