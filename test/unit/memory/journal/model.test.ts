import { rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { parseTopicFile } from "../../../../src/memory/files/topic-file.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createKeptFolder, removeTree, type TempFolder } from "../../../helpers/temp-folder.ts";
import { createBench, createOf, PROJECT, said, TODAY } from "./bench.ts";

/** What a folder should hold: bodies by file name. Everything else follows from it. */
type Model = Map<string, string>;

interface CommitStep {
  readonly do: "create" | "update" | "confirm" | "delete";
  readonly pick: number;
  /** Which file operation is the last one; 0: no crash. */
  readonly killAt: number;
}

interface HandStep {
  readonly do: "hand-create" | "hand-edit" | "hand-delete";
  readonly pick: number;
}

type Step = CommitStep | HandStep | { readonly do: "upkeep" | "restart" };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("create", "update", "confirm", "delete"),
      pick: fc.nat(5),
      // 0: no crash. A commit has about eighty counted operations.
      killAt: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("hand-create", "hand-edit", "hand-delete"),
      pick: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("upkeep", "restart") }) },
);

interface World {
  readonly folder: TempFolder;
  readonly model: Model;
  readonly clock: ReturnType<typeof createManualClock>;
  /** Makes every statement a new one. */
  said: number;
}

function statement(world: World): string {
  world.said += 1;
  return `Please keep rule ${world.said} of the handbook in mind.`;
}

function picked(world: World, pick: number): string | undefined {
  const files = [...world.model.keys()];
  return files[pick % Math.max(1, files.length)];
}

/** The change a step stands for, and what the folder should hold afterwards. */
function changeOf(world: World, step: CommitStep): { change: MemoryChange; after: Model } | undefined {
  const text = statement(world);
  const after = new Map(world.model);
  const at = world.clock.now() + world.said * 1_000;
  const evidence = [said(`record-${world.said}`, text, { at })];
  if (step.do === "create") {
    const file = `feedback_rule_${world.said}.md`;
    after.set(file, text);
    return { change: { ...createOf(file, text), evidence }, after };
  }
  const file = picked(world, step.pick);
  if (file === undefined) return undefined;
  const basis = createBench(world.folder).hash(file);
  if (step.do === "confirm") return { change: { op: "confirm", file, basis, evidence }, after };
  if (step.do === "delete") {
    after.delete(file);
    return { change: { op: "delete", file, basis, reason: "superseded", evidence }, after };
  }
  after.set(file, text);
  const { memory } = createOf(file, text);
  return { change: { op: "update", file, basis, memory, evidence }, after };
}

async function commitStep(world: World, step: CommitStep): Promise<void> {
  const wanted = changeOf(world, step);
  if (wanted === undefined) return;
  const { clock, folder } = world;
  const faulty = createFaultyOps(step.killAt === 0 ? {} : { at: step.killAt, fault: "kill" });
  const run = `run-${world.said}`;
  const first = createBench(folder, { ops: faulty.ops, clock }).commit([wanted.change], {
    run,
    today: TODAY,
  });
  if (step.killAt === 0) await first;
  else await first.catch(() => {});
  if (faulty.fired()) {
    // The service starts again and the job, whose cursor did not move, runs again.
    const later = createBench(folder, { clock });
    await later.writer.recover();
    await later.commit([wanted.change], { run, today: TODAY });
  }
  world.model.clear();
  for (const [file, body] of wanted.after) world.model.set(file, body);
}

function handStep(world: World, step: HandStep): void {
  const text = statement(world);
  const file = step.do === "hand-create" ? `hand_${world.said}.md` : picked(world, step.pick);
  if (file === undefined) return;
  const path = world.folder.at("memory", file);
  if (step.do === "hand-delete") {
    rmSync(path);
    world.model.delete(file);
    return;
  }
  const name = file.slice(0, -".md".length).replaceAll("_", "-");
  writeFileSync(path, `---\nname: ${name}\ndescription: ${text}\ntype: feedback\n---\n${text}\n`);
  world.model.set(file, text);
}

async function take(world: World, step: Step): Promise<void> {
  if ("killAt" in step) return commitStep(world, step);
  if ("pick" in step) return handStep(world, step);
  const bench = createBench(world.folder, { clock: world.clock });
  if (step.do === "upkeep") await bench.writer.upkeep(bench.memoryDir, PROJECT);
  else await bench.writer.recover();
}

function bodiesIn(world: World): Model {
  const contents = createBench(world.folder).contents();
  const topics = Object.entries(contents).filter(([file]) => file !== "MEMORY.md");
  return new Map(topics.map(([file, text]) => [file, parseTopicFile(text).body]));
}

function sorted(model: Model): [string, string][] {
  return [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

describe("a memory folder under commits, hand edits and crashes", () => {
  it(
    "holds what a simple map says it should, and the index lists exactly that",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(stepArbitrary, { minLength: 1, maxLength: 12, size: "max" }),
          async (steps) => {
            const folder = createKeptFolder();
            const world: World = { folder, model: new Map(), clock: createManualClock(), said: 0 };
            try {
              folder.folder("memory");
              const bench = createBench(folder, { clock: world.clock });
              await bench.writer.upkeep(bench.memoryDir, PROJECT);
              for (const step of steps) {
                await take(world, step);
                expect(sorted(bodiesIn(world))).toEqual(sorted(world.model));
              }

              await bench.writer.recover();
              await bench.writer.upkeep(bench.memoryDir, PROJECT);

              const lines = (bench.contents()["MEMORY.md"] ?? "").split("\n").filter((line) => line !== "");
              const listed = lines.map((line) => /\]\((.+?)\)/.exec(line)?.[1] ?? "");
              expect(listed.toSorted()).toEqual([...world.model.keys()].toSorted());
              const idle = await bench.writer.upkeep(bench.memoryDir, PROJECT);
              expect(idle).toMatchObject({ added: [], edited: [], vanished: [], linesDropped: [] });
            } finally {
              removeTree(folder.path);
            }
          },
        ),
        { numRuns: 40 },
      );
    },
  );
});
