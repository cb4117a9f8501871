import { expect, it } from "vitest";
import { createDebounce } from "../../../../src/intake/watch/debounce.ts";
import { createMemoryChange } from "../../../../src/intake/watch/memory-change.ts";
import { WATCH_LIMITS } from "../../../../src/domain/limits.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";

const FOLDER = "/home/ana/.claude/projects/-work-shop/memory";

async function looksAfter(paths: readonly string[], folders: readonly string[] = [FOLDER]) {
  const clock = createManualClock();
  const looks: string[] = [];
  const debounce = createDebounce({ clock, fire: (folder) => looks.push(folder) });
  const change = createMemoryChange({ debounce });
  change.setFolders(folders);
  const taken = paths.map((path) => change.notice(path));
  await clock.advance(WATCH_LIMITS.memoryMaxWaitMs);
  return { looks, taken };
}

it("looks once at a folder in which several files changed together", async () => {
  const paths = ["user_role.md", "MEMORY.md", "team/style.md", "user_role.md"].map(
    (name) => `${FOLDER}/${name}`,
  );

  expect((await looksAfter(paths)).looks).toEqual([FOLDER]);
});

it("looks at a folder that changed as a whole", async () => {
  expect(await looksAfter([FOLDER])).toEqual({ looks: [FOLDER], taken: ["folder"] });
});

it.each([
  [`${FOLDER}/.engramd-tmp-0a1b2c3d-user_role.md`],
  [`${FOLDER}/team/.engramd-tmp-0a1b2c3d-style.md`],
  [`${FOLDER}/.consolidate-lock`],
  [`${FOLDER}/logs`],
  [`${FOLDER}/logs/2026/05/2026-05-04.md`],
])("takes %s without looking", async (path) => {
  expect(await looksAfter([path])).toEqual({ looks: [], taken: ["inside"] });
});

it.each([
  ["/home/ana/.claude/projects/-work-shop/0b1c.jsonl"],
  [`${FOLDER}-old/user_role.md`],
  ["/"],
  ["relative/memory/user_role.md"],
])("leaves %s to others", async (path) => {
  expect(await looksAfter([path])).toEqual({ looks: [], taken: [undefined] });
});

it("takes the nearest of two nested memory folders", async () => {
  const inner = `${FOLDER}/team`;

  expect((await looksAfter([`${inner}/style.md`], [FOLDER, inner])).looks).toEqual([inner]);
});

it("looks at a folder that is never quiet within the maximum wait", async () => {
  const clock = createManualClock();
  const looks: number[] = [];
  const change = createMemoryChange({
    debounce: createDebounce({ clock, fire: () => looks.push(clock.monotonicMs()) }),
  });
  change.setFolders([FOLDER]);

  while (looks.length === 0 && clock.monotonicMs() < 2 * WATCH_LIMITS.memoryMaxWaitMs) {
    change.notice(`${FOLDER}/a.md`);
    await clock.advance(1_000);
  }

  expect(looks).toEqual([WATCH_LIMITS.memoryMaxWaitMs]);
});
