// Many who ask all the time while the daemon reads: each gets an answer. How fast is measured by the bench (row 17).
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeBenchHome } from "../bench/built-daemon.ts";
import { createCorpus } from "../bench/corpus.ts";
import { underLoad } from "../bench/load.ts";
import { sessionIdOf } from "../helpers/claude-transcript.ts";
import { createTempFolder } from "../helpers/temp-folder.ts";

const SECONDS = 5;
/** A daemon that stands still while it reads tells of none and then of all: of two counts. */
const STEPS_MIN = 3;

it("answers all who ask all the time over kept connections while it reads old sessions", async () => {
  const home = makeBenchHome(createTempFolder().path);
  const folder = join(home.projects, "-load");
  mkdirSync(folder, { recursive: true });
  for (let seed = 1; seed <= 8; seed += 1) {
    const corpus = createCorpus({ seed, bytes: 5_000_000, talkShare: 0.3 });
    writeFileSync(join(folder, `${sessionIdOf(seed)}.jsonl`), corpus);
  }

  const figures = await underLoad(home, SECONDS);

  expect(figures.failures).toBe(0);
  expect(figures.answers).toBeGreaterThan(0);
  expect(figures.steps).toBeGreaterThanOrEqual(STEPS_MIN);
  expect(figures.linesRead).toBeGreaterThan(1_000);
});
