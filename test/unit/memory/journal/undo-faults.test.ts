import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TEMPORARY_PREFIX } from "../../../../src/system/files.ts";
import { forEveryFault, type FaultyOps } from "../../../helpers/faulty-ops.ts";
import { removeTree, type TempFolder } from "../../../helpers/temp-folder.ts";
import { contentsOf, createBench, TODAY, PROJECT } from "./bench.ts";
import { changes, prepare } from "./fault-runs.ts";

const RUN = "20260504T090000000-0000aaaa";
const TIMEOUT_MS = 180_000;

/** A folder in which one run created, changed, confirmed and removed files. */
async function withRun(): Promise<TempFolder> {
  const folder = prepare();
  const { written } = await createBench(folder).commit(changes(), { run: RUN, today: TODAY });
  expect(written).toHaveLength(5);
  return folder;
}

async function undo(folder: TempFolder, faulty?: FaultyOps) {
  const bench = createBench(folder, faulty === undefined ? {} : { ops: faulty.ops });
  await bench.clock.advance(5_000);
  return bench.writer.undo({ memoryDir: bench.memoryDir, what: { run: RUN }, force: false, dryRun: false });
}

/** Memories before the run and after it, the index apart: its lines are derived. */
function topicsOf(folder: TempFolder): Record<string, string> {
  const topics = Object.entries(contentsOf(folder.at("memory"))).filter(
    ([name]) => name !== "MEMORY.md" && !name.startsWith(TEMPORARY_PREFIX),
  );
  return Object.fromEntries(topics);
}

function leftovers(folder: TempFolder): string[] {
  return readdirSync(folder.path, { recursive: true })
    .map(String)
    .filter((path) => /memory\/\.engramd-tmp-|\.open\.json$/u.test(path));
}

function expectOneOf(
  found: Record<string, string>,
  [old, wanted]: [Record<string, string>, Record<string, string>],
) {
  for (const name of new Set([...Object.keys(old), ...Object.keys(wanted), ...Object.keys(found)])) {
    expect([old[name], wanted[name]]).toContain(found[name]);
  }
}

async function tryFault(faulty: FaultyOps, isKill: boolean): Promise<void> {
  const folder = await withRun();
  const after = topicsOf(folder);
  try {
    const before = topicsBefore();
    const failure = await undo(folder, faulty).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (isKill && faulty.fired()) expect(failure).toBeDefined();
    expectOneOf(topicsOf(folder), [after, before]);

    const later = createBench(folder);
    await later.clock.advance(10_000);
    await later.writer.recover();
    await undo(folder);

    expect(topicsOf(folder)).toEqual(before);
    expect(leftovers(folder)).toEqual([]);
    const index = contentsOf(folder.at("memory"))["MEMORY.md"] ?? "";
    for (const name of Object.keys(before)) expect(index.split(`(${name})`)).toHaveLength(2);
    expect(index).toContain("# My notes");
    // What was undone stays away, and what came back may teach: the ledger says so whenever the undo was broken off.
    const { removed } = later.writer.preview({
      set: { project: PROJECT, producer: "offline", memoryDir: later.memoryDir },
      today: TODAY,
      sharedFolder: false,
    });
    expect([...removed.recordIds].toSorted()).toEqual(AWAY);
  } finally {
    removeTree(folder.path);
  }
}

/** Records of what the run created or changed; what it only confirmed goes on resting on them. */
const AWAY = ["r-release", "record-of-feedback-linter", "record-of-project-port"];

let kept: Record<string, string> | undefined;
function topicsBefore(): Record<string, string> {
  if (kept === undefined) {
    const folder = prepare();
    kept = topicsOf(folder);
    removeTree(folder.path);
  }
  return kept;
}

describe("an undo whose N-th file operation fails", () => {
  it(
    "leaves old or new files when it is killed there, and ends right when it is repeated",
    { timeout: TIMEOUT_MS },
    async () => {
      const tried = await forEveryFault({ fault: "kill", attempt: (faulty) => tryFault(faulty, true) });

      expect(tried).toBeGreaterThan(50);
    },
  );

  it("does so on a full disk", { timeout: TIMEOUT_MS }, async () => {
    const tried = await forEveryFault({ fault: "ENOSPC", attempt: (faulty) => tryFault(faulty, false) });

    expect(tried).toBeGreaterThan(50);
  });
});
