import { rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { parseTopicFile } from "../../../../src/memory/files/topic-file.ts";
import { forgetChange } from "../../../../src/memory/gate/person.ts";
import { inMemory } from "../../../crash/world.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createKeptFolder, removeTree, type TempFolder } from "../../../helpers/temp-folder.ts";
import { wordsLeft } from "../../../helpers/words-left.ts";
import { type Bench, createBench, createOf, PROJECT, said, TODAY } from "./bench.ts";

/** Sequences that are tried. */
const SEQUENCES = 200;

type Step =
  | {
      readonly do: "create" | "update" | "confirm" | "forget" | "hand-create" | "hand-edit" | "hand-delete";
      readonly pick: number;
    }
  | { readonly do: "undo"; readonly pick: number; readonly force: boolean }
  | { readonly do: "undo-all" }
  | { readonly do: "read-again" }
  /** Of a memory that is there, or of one that was. */
  | { readonly do: "purge"; readonly pick: number };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("create", "update", "confirm", "forget"), pick: fc.nat(9) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("hand-create", "hand-edit", "hand-delete"),
      pick: fc.nat(9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("undo" as const), pick: fc.nat(9), force: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("undo-all" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("read-again" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("purge" as const), pick: fc.nat(9) }) },
);

/** Bodies by file name. */
type Bodies = ReadonlyMap<string, string>;

/** One run as the model knows it: one file, what it said before and after; undefined: no file. */
interface Run {
  readonly id: string;
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The run it undid, in an undo of one. */
  readonly undoes: readonly Run[];
  undone: boolean;
}

interface World {
  readonly folder: TempFolder;
  readonly bench: Bench;
  readonly runs: Run[];
  bodies: Map<string, string>;
  /** Makes every statement a new one, and every run later than the last. */
  said: number;
  /** What a person wrote by hand and nobody forced away. */
  readonly byHand: Map<string, string>;
  /** Everything that was ever proposed from words of the person, to be proposed again. */
  readonly proposed: MemoryChange[];
  /** Files the history knows. */
  readonly known: Set<string>;
  /** Sentences of which no word may be left. */
  readonly purged: Set<string>;
}

function sentence(world: World): string {
  world.said += 1;
  return `Please keep rule ${world.said} of the handbook in mind.`;
}

function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

function changeOf(world: World, step: Step & { pick: number }, text: string): MemoryChange | undefined {
  const evidence = [said(`record-${world.said}`, text, { at: world.bench.clock.now() + world.said })];
  if (step.do === "create") {
    const change = { ...createOf(`feedback_rule_${world.said}.md`, text), evidence };
    world.proposed.push(change);
    return change;
  }
  const file = pickOf([...world.bodies.keys()], step.pick);
  if (file === undefined) return undefined;
  const basis = world.bench.hash(file);
  if (step.do === "confirm") return { op: "confirm", file, basis, evidence };
  if (step.do === "update") {
    const { memory } = createOf(file, text);
    world.proposed.push({ op: "create", file: `feedback_again_${world.said}.md`, memory, evidence });
    return { op: "update", file, basis, memory, evidence };
  }
  return undefined;
}

async function commitStep(world: World, step: Step & { pick: number }): Promise<void> {
  const { bench, bodies } = world;
  const text = sentence(world);
  const run = runId(world);
  const change = step.do === "forget" ? forgetting(world, step.pick) : changeOf(world, step, text);
  if (change === undefined) return;
  const isForget = step.do === "forget";
  const { written } = await bench.commit([change], {
    run,
    today: TODAY,
    ...(isForget ? { producer: "person", kind: "forget" } : {}),
  });
  if (written.length === 0) return;
  const { file } = change;
  const before = bodies.get(file);
  const after = isForget ? undefined : step.do === "confirm" ? before : text;
  put(world, file, after);
  if (before !== after) world.byHand.delete(file);
  world.runs.push({ id: run, file, before, after, undoes: [], undone: false });
}

function forgetting({ bodies, bench }: World, pick: number): MemoryChange | undefined {
  const wanted = pickOf([...bodies.keys()], pick);
  const { memories } = bench.writer.preview({
    set: { project: PROJECT, producer: "person", memoryDir: bench.memoryDir },
    today: TODAY,
    sharedFolder: false,
  });
  const memory = memories.find(({ file }) => file === wanted);
  return memory === undefined ? undefined : forgetChange(memory);
}

function runId({ said: at }: World): string {
  return `20260504T09${String(at).padStart(4, "0")}000-0000aaaa`;
}

function put({ bodies }: World, file: string, body: string | undefined): void {
  if (body === undefined) bodies.delete(file);
  else bodies.set(file, body);
}

function handStep(world: World, step: Step & { pick: number }): void {
  const text = sentence(world);
  const file =
    step.do === "hand-create" ? `hand_${world.said}.md` : pickOf([...world.bodies.keys()], step.pick);
  if (file === undefined) return;
  const path = `${world.bench.memoryDir}/${file}`;
  if (step.do === "hand-delete") {
    rmSync(path);
    put(world, file, undefined);
    world.byHand.delete(file);
    return;
  }
  writeFileSync(
    path,
    `---\nname: ${file.slice(0, -3)}\ndescription: ${text}\ntype: feedback\n---\n${text}\n`,
  );
  put(world, file, text);
  world.byHand.set(file, text);
}

/** What the file says after an undo, by the rule alone: only what is as the run left it goes back. */
function goesBack({ bodies }: World, run: Run, force: boolean): boolean {
  if (run.undone) return false;
  const now = bodies.get(run.file);
  if (run.before === run.after) return false;
  return now === run.after || (force && now !== run.before);
}

async function undoStep(
  world: World,
  { pick, force }: Step & { pick: number; force: boolean },
): Promise<void> {
  const run = pickOf(world.runs, pick);
  if (run === undefined) return;
  world.said += 1;
  await world.bench.clock.advance(5);
  const { memoryDir, writer } = world.bench;
  const back = goesBack(world, run, force);
  const isLater =
    !run.undone && !back && run.before !== run.after && world.bodies.get(run.file) !== run.before;
  const result = await writer.undo({ memoryDir, what: { run: run.id }, force, dryRun: false });

  expect(result.refused.map(({ file }) => file)).toEqual(isLater ? [run.file] : []);
  if (back) undid(world, [run], result.run);
  else if (result.run !== undefined) undid(world, [run], result.run);
}

function undid(world: World, runs: readonly Run[], id: string | undefined): void {
  for (const run of runs) {
    const now = world.bodies.get(run.file);
    const goes = run.before !== run.after;
    const next = goes ? run.before : now;
    put(world, run.file, next);
    if (now !== next) world.byHand.delete(run.file);
    run.undone = true;
    for (const undone of run.undoes) undone.undone = false;
    if (id !== undefined) {
      world.runs.push({ id, file: run.file, before: now, after: next, undoes: [run], undone: false });
    }
  }
}

async function undoAllStep(world: World): Promise<void> {
  const { memoryDir, writer } = world.bench;
  const byHand = new Map(world.byHand);
  await world.bench.clock.advance(5);
  world.said += 1;
  await writer.undo({ memoryDir, what: { project: PROJECT.id }, force: false, dryRun: false });
  // Nothing a person wrote is lost, and everything else is as it was before, by one rule for each file.
  const found = bodiesIn(world);
  for (const [file, text] of byHand) expect([file, found.get(file)]).toEqual([file, text]);
  const expected = allUndone(world);
  expect(sorted(found)).toEqual(sorted(expected));
  world.bodies = new Map(expected);
  // Ids of the runs before are of no use to the steps that follow.
  world.runs.length = 0;
}

/** Newest first, as long as the file says what the run left it saying. */
function allUndone({ bodies, runs }: World): Bodies {
  const next = new Map(bodies);
  const stopped = new Set<string>();
  for (const { file, before, after, undone, undoes } of runs.toReversed()) {
    if (undone || undoes.length > 0 || stopped.has(file) || before === after) continue;
    const now = next.get(file);
    if (now === before) continue;
    if (now !== after) stopped.add(file);
    else if (before === undefined) next.delete(file);
    else next.set(file, before);
  }
  return next;
}

function bodiesIn({ bench }: World): Bodies {
  const topics = Object.entries(bench.contents()).filter(([file]) => file !== "MEMORY.md");
  return new Map(topics.map(([file, text]) => [file, parseTopicFile(text).body]));
}

function sorted(model: Bodies): [string, string][] {
  return [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

async function take(world: World, step: Step): Promise<void> {
  await world.bench.clock.advance(1_000);
  if (step.do === "undo-all") return undoAllStep(world);
  if (step.do === "undo") return undoStep(world, step);
  if (step.do === "read-again") return readAgain(world);
  if (step.do === "purge") return purgeStep(world, step.pick);
  if (isByHand(step)) return handStep(world, step);
  return commitStep(world, step);
}

function isByHand({ do: what }: Step): boolean {
  return what.startsWith("hand-");
}

/** As after the loss of every cursor: what was said is proposed once more, and changes nothing. */
async function readAgain(world: World): Promise<void> {
  for (const change of world.proposed) {
    world.said += 1;
    const result = await world.bench.commit([change], { run: runId(world), today: TODAY });
    expect(result.written).toEqual([]);
  }
}

async function purgeStep(world: World, pick: number): Promise<void> {
  const { bench, bodies, known, purged, runs, byHand } = world;
  const { memoryDir, writer } = bench;
  await writer.upkeep(memoryDir, PROJECT);
  const file = pickOf([...new Set([...known, ...bodies.keys()])], pick);
  if (file === undefined) return;
  const steps = await writer.purging();
  const intent = await steps.plan({ memoryDir, project: PROJECT, file });
  const body = bodies.get(file);
  for (const run of runs) {
    if (run.file !== file) continue;
    for (const text of [run.before, run.after]) if (text !== undefined) purged.add(text);
  }
  if (body !== undefined) {
    purged.add(body);
    world.said += 1;
    const change = forgetting(world, [...bodies.keys()].indexOf(file));
    const options = { run: runId(world), today: TODAY, producer: "person", kind: "forget" } as const;
    if (change !== undefined) await bench.commit([change], options);
    bodies.delete(file);
    byHand.delete(file);
  }
  await steps.history(intent);
  // Nothing of it can be undone any more.
  for (const run of runs.filter((each) => each.file === file)) runs.splice(runs.indexOf(run), 1);
}

/** A sentence that is purged stands nowhere, unless somebody says it again. */
function expectPurged({ folder, bench, purged, bodies }: World): void {
  const still = new Set(bodies.values());
  const gone = [...purged].filter((text) => !still.has(text));
  expect(wordsLeft([bench.memoryDir, folder.at("state")], gone)).toEqual([]);
}

function newWorld(folder: TempFolder, bench: Bench): World {
  const empty = { bodies: new Map(), byHand: new Map(), known: new Set<string>(), purged: new Set<string>() };
  return { folder, bench, runs: [], said: 0, proposed: [], ...empty };
}

async function runSequence(steps: readonly Step[]): Promise<void> {
  const folder = inMemory(() => createKeptFolder());
  try {
    folder.folder("memory");
    const bench = createBench(folder, { clock: createManualClock() });
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    const world = newWorld(folder, bench);
    for (const step of steps) {
      await take(world, step);
      const found = bodiesIn(world);
      expect(sorted(found)).toEqual(sorted(world.bodies));
      for (const [file, text] of world.byHand) expect([file, found.get(file)]).toEqual([file, text]);
      for (const file of found.keys()) world.known.add(file);
      expectPurged(world);
    }
    await bench.writer.upkeep(bench.memoryDir, PROJECT);
    const lines = (bench.contents()["MEMORY.md"] ?? "").split("\n").filter((line) => line !== "");
    const listed = lines.map((line) => /\]\((.+?)\)/u.exec(line)?.[1] ?? "");
    expect(listed.toSorted()).toEqual([...world.bodies.keys()].toSorted());
  } finally {
    removeTree(folder.path);
  }
}

describe("a memory folder under runs, hand edits, forgets, purges, undos and words read again", () => {
  it(
    "holds what a simple map says it should; nothing a person wrote is lost without force",
    { timeout: 120_000 },
    async () => {
      const sequences = fc.array(stepArbitrary, { minLength: 3, maxLength: 12, size: "max" });
      await fc.assert(fc.asyncProperty(sequences, runSequence), { numRuns: SEQUENCES });
    },
  );
});
