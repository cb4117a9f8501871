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
const REQUESTS_A_SECOND = 500;
/** A neighbour on the machine may take most of it; a daemon that stands still while it reads takes longer. */
const SLOWEST_MS = 4_000;

it("answers 500 questions a second over kept connections while it reads old sessions", async () => {
  const home = makeBenchHome(createTempFolder().path);
  const folder = join(home.projects, "-load");
  mkdirSync(folder, { recursive: true });
  for (let seed = 1; seed <= 8; seed += 1) {
    const corpus = createCorpus({ seed, bytes: 5_000_000, talkShare: 0.3 });
    writeFileSync(join(folder, `${sessionIdOf(seed)}.jsonl`), corpus);
  }

  const figures = await underLoad(home, SECONDS);

  expect(figures).toMatchObject({ failures: 0, answers: SECONDS * REQUESTS_A_SECOND });
  expect(figures.slowestMs).toBeLessThan(SLOWEST_MS);
  expect(figures.linesRead).toBeGreaterThan(1_000);
});
