// Thousands of real daemons killed at random points: worlds side by side, each a home of its own, each with a seed.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../helpers/daemon-process.ts";
import { removeTree } from "../helpers/temp-folder.ts";
import { ageFiles, findLeftovers } from "./disk-checks.ts";
import { checkHistory } from "./history.ts";
import type { KillWorld } from "./kill-world.ts";
import { createKillWorld } from "./kill-world.ts";

const KILLS = Number(process.env["ENGRAMD_TEST_KILLS"] ?? 2_000);
const SEED = Number(process.env["ENGRAMD_TEST_SEED"] ?? Date.now() % 1_000_000);
const KEEPS = process.env["ENGRAMD_TEST_KEEP"] !== undefined;
/** A start waits up to two seconds for the dead daemon's lock: others use the processors meanwhile. */
const WORLDS = Math.min(KILLS, 6 * availableParallelism());
/** A slow machine kills less often, not longer; a daemon takes about 0.3 s of a processor from start to kill. */
const TIME_MAX_MS = 420_000;
/** Fewer kills than this prove nothing. */
const KILLS_MIN = Math.min(KILLS, 200);

/** Were everything learnt by the last, quiet daemon, no kill would have met anything. */
const UNDER_FIRE_MIN = 0.1;

/** Park and Miller's generator: the printed seed repeats the plan of every world. */
function createRandom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe("daemons killed at random points", () => {
  it(`lose nothing, double nothing and leave nothing half-done, up to ${KILLS} times (seed ${SEED})`, async () => {
    const startedAt = performance.now();
    const worlds = Array.from({ length: WORLDS }, (_, number) =>
      createKillWorld(createRandom(SEED * 1_000 + number * 7_919)),
    );
    onTestFinished(() => {
      for (const { home, history } of worlds) {
        // The home of a world that went wrong is what one looks at next.
        if (KEEPS && checkHistory(history).length > 0) process.stdout.write(`kept: ${home.folder.path}\n`);
        else removeTree(home.folder.path);
      }
    });
    const each = Math.ceil(KILLS / WORLDS);
    const isOver = () => performance.now() - startedAt > TIME_MAX_MS;

    // Settled, not raced: a world that goes wrong must not leave the daemons of the others behind.
    const ends = await Promise.allSettled(
      worlds.map(async (world) => {
        while (world.kills() < each && !isOver()) await world.round();
        await settle(world);
      }),
    );

    for (const end of ends) if (end.status === "rejected") throw end.reason;
    const kills = worlds.reduce((sum, world) => sum + world.kills(), 0);
    const underFire = learntUnderFire(worlds);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const share = `${Math.round(100 * underFire)} % learnt under fire`;
    process.stdout.write(`${kills} kills in ${WORLDS} worlds, ${share}, ${seconds} s, seed ${SEED}\n`);
    for (const [number, { history, home }] of worlds.entries()) {
      // A source set aside by mistake would be the guard's fault.
      const guarded = join(home.stateDir, "cursors/crashes.json");
      const crashes = existsSync(guarded) ? readFileSync(guarded, "utf8") : "none";
      expect(checkHistory(history), `world ${number} of seed ${SEED}, crashes: ${crashes}`).toEqual([]);
    }
    expect(kills).toBeGreaterThanOrEqual(KILLS_MIN);
    expect(underFire).toBeGreaterThan(UNDER_FIRE_MIN);
  });
});

/** Lets a last daemon and a last pass do what is left, and looks at the end. */
async function settle(world: KillWorld): Promise<void> {
  const { home } = world;
  await world.finish();
  ageFiles(home);
  // The daemon may have been stopped while it waited for the lock of one that was killed: the first pass does the rest.
  // Three kills in one read set its source aside, by design: a backfill is what the warning tells the person to run.
  for (const memories of [{}, { created: 0, updated: 0 }]) {
    const sync = await runCommand({ home, args: ["sync", "--backfill", "all", "--json"] });
    expect(sync, sync.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(sync.stdout)).toMatchObject({ skipped: [], memories });
  }
  world.look(true);
  expect(findLeftovers(home)).toEqual([]);
}

/** The share of what was said that was a memory before the last daemon came. */
function learntUnderFire(worlds: readonly KillWorld[]): number {
  let said = 0;
  let learnt = 0;
  for (const { history } of worlds) {
    said += history.filter(({ kind }) => kind === "accepted").length;
    const sights = history.filter((event) => event.kind === "sight");
    learnt += Object.keys(sights.at(-2)?.holders ?? {}).length;
  }
  return said === 0 ? 0 : learnt / said;
}
