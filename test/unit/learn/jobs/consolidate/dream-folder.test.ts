// One folder of sixty memories in which twelve things are wrong: seven need no judgement, five do. Two more look wrong and
// are not. What a dream mends of it, with a model and without, and that every other file stays as it is.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTidying } from "../../../../../src/learn/jobs/consolidate/by-rules.ts";
import { checkLeaks } from "../../../../helpers/leak-check.ts";
import { useScenes } from "../../models/client.ts";
import {
  answer,
  call,
  createDreamWorld,
  DONE,
  quoting,
  TODAY,
  withReasons,
  type DreamWorld,
} from "./dream-world.ts";

checkLeaks();
const openScene = useScenes();

const RULE = "Write commit messages in German.";
const ENGLISH = {
  file: "feedback_english.md",
  text: "Commit messages are written in English.",
  type: "feedback",
  daysAgo: 40,
} as const;
const SHARPER = {
  file: "feedback_german.md",
  text: "Write commit messages in German, also for hotfixes, forgotten three times.",
  type: "feedback",
  daysAgo: 40,
} as const;
const NEWER = {
  file: "feedback_branches.md",
  text: "Branch names begin with the ticket number.",
  type: "feedback",
  daysAgo: 1,
} as const;
const OTHER_RULE = "Branch names begin with the name of the author, not with the ticket number.";
const TESTS = {
  file: "feedback_tests.md",
  text: "Run the unit tests before every push.",
  type: "feedback",
} as const;
const TESTS_AGAIN = {
  file: "feedback_before_push.md",
  text: "Before every push run the unit tests, and read the coverage.",
  type: "feedback",
} as const;
const OLD_PORT = { file: "project_port.md", text: "The shop listens on port 4100.", daysAgo: 60 };
const NEW_PORT = {
  file: "project_move.md",
  text: "The shop listens on port 4200 instead of 4100.",
  daysAgo: 10,
};
const RELATIVE = { file: "project_freeze.md", text: "The code freeze begins next Thursday.", daysAgo: 14 };
const VANISHED = {
  file: "reference_plan.md",
  text: "The plan is in docs/move-plan.md.",
  type: "reference",
  daysAgo: 30,
} as const;
const DOUBLE = {
  file: "reference_board.md",
  text: "The large board hangs in the corridor.",
  type: "reference",
} as const;
const ORPHAN = "reference_clock.md";
const MACHINES = [
  "lathe",
  "mill",
  "saw",
  "press",
  "drill",
  "oven",
  "crane",
  "lift",
  "belt",
  "pump",
  "fan",
  "valve",
];
const FILLERS = Array.from({ length: 48 }, (_, at) => ({
  file: `reference_manual_${at}.md`,
  text: `Manual ${at} of the ${MACHINES[at % 12] ?? ""} stands on shelf ${at * 3 + 1}.`,
  type: "reference" as const,
}));
const PLANTED = [ENGLISH, SHARPER, NEWER, TESTS, TESTS_AGAIN, OLD_PORT, NEW_PORT, RELATIVE, VANISHED, DOUBLE];

/** 60 memories: the planted ones, the copy of one, one that nobody listed and 48 others. */
async function plant(scene: DreamWorld): Promise<void> {
  await scene.remember(...PLANTED, ...FILLERS);
  const memory = (name: string) => join(scene.bench.memoryDir, name);
  const original = readFileSync(memory(DOUBLE.file), "utf8");
  writeFileSync(
    memory("reference_board_copy.md"),
    original.replace("name: reference-board", "name: reference-board-copy"),
  );
  scene.projectFile("CLAUDE.md", `# Rules\n\n${RULE}\n\n${OTHER_RULE}\n`, 5);
  scene.projectFile("docs/readme.md", "nothing about it", 5);
  const index = readFileSync(memory("MEMORY.md"), "utf8").split("\n");
  writeFileSync(
    memory(ORPHAN),
    original.replaceAll("large board", "small clock").replace("reference-board", "clock"),
  );
  const long = [FILLERS[1]?.file ?? "", FILLERS[2]?.file ?? ""];
  const lines = index.map((line) =>
    long.some((file) => line.includes(`(${file})`)) ? `${line}${" and more words".repeat(20)}` : line,
  );
  // Over both limits: lines of ours about files that are gone, and long ones.
  const dead = Array.from(
    { length: 190 },
    (_, at) => `- [Gone ${at}](reference_gone_${at}.md) — ${"was here once ".repeat(9)}`,
  );
  writeFileSync(memory("MEMORY.md"), [...lines.filter((line) => line !== ""), ...dead, ""].join("\n"));
}

function withTidying(scene: DreamWorld): DreamWorld["deps"]["tidying"] {
  const { writer } = scene.bench;
  return createTidying({
    files: scene.deps.files,
    patchOf: scene.deps.patchOf,
    rehearse: scene.deps.rehearse,
    folderFacts: writer.folderFacts,
    commit: (set, rest) => writer.commit(set, { ...rest, today: TODAY, lossShareMax: 0.25 }),
  });
}

const MECHANICAL = ["reference_board.md", "reference_board_copy.md"];

/** The seven that need no judgement are mended. */
function expectMended(scene: DreamWorld): void {
  const contents = scene.contents();
  const index = contents["MEMORY.md"] ?? "";
  const lines = index.split("\n").filter((line) => line !== "");
  expect(MECHANICAL.filter((file) => contents[file] !== undefined)).toHaveLength(1);
  expect(index).not.toContain("reference_gone_");
  expect(lines.filter((line) => line.length > 150)).toEqual([]);
  expect(index).toContain(`(${ORPHAN})`);
  expect(lines.length).toBeLessThanOrEqual(200);
  expect(Buffer.byteLength(index)).toBeLessThanOrEqual(25_000);
}

function expectSame(
  before: Record<string, string>,
  after: Record<string, string>,
  but: readonly string[],
): void {
  const isSame = (file: string) => !but.includes(file) && file !== "MEMORY.md" && !MECHANICAL.includes(file);
  for (const file of Object.keys(before).filter(isSame)) expect(after[file], file).toBe(before[file]);
}

describe("sixty memories with twelve faults", () => {
  it("lose all twelve to a dream with a model; what sharpens a rule, and what is newer than one, stays", async () => {
    const scene = createDreamWorld(await openScene());
    scene.deps.tidying = withTidying(scene);
    await plant(scene);
    const before = scene.contents();
    expect(Object.keys(before).length).toBe(61);
    scene.stub.reply(
      answer(call("exists", { kind: "path", name: "docs/move-plan.md" })),
      answer(
        call("write", {
          file: TESTS_AGAIN.file,
          name: "feedback-before-push",
          description: TESTS_AGAIN.text,
          type: "feedback",
          body: withReasons(`${TESTS_AGAIN.text}\n\n${TESTS.text}`),
          evidence: [quoting(TESTS.file, TESTS.text), quoting(TESTS_AGAIN.file, TESTS_AGAIN.text)],
        }),
        call("delete", {
          file: TESTS.file,
          reason: "duplicate",
          evidence: [quoting(TESTS_AGAIN.file, "run the unit tests")],
        }),
        call("delete", {
          file: OLD_PORT.file,
          reason: "superseded",
          evidence: [quoting(NEW_PORT.file, NEW_PORT.text)],
        }),
        call("write", {
          file: RELATIVE.file,
          name: "project-freeze",
          description: "The code freeze begins on 2026-04-23.",
          type: "project",
          body: withReasons("The code freeze begins on 2026-04-23."),
          evidence: [quoting(RELATIVE.file, RELATIVE.text)],
        }),
        call("delete", {
          file: VANISHED.file,
          reason: "stale",
          evidence: [quoting(VANISHED.file, VANISHED.text)],
        }),
        call("delete", { file: ENGLISH.file, reason: "wrong", evidence: [quoting("CLAUDE.md", RULE)] }),
        call("delete", { file: SHARPER.file, reason: "wrong", evidence: [quoting("CLAUDE.md", RULE)] }),
        call("delete", { file: NEWER.file, reason: "wrong", evidence: [quoting("CLAUDE.md", OTHER_RULE)] }),
      ),
      DONE,
    );

    const reply = await scene.dream();

    expect(reply).toMatchObject({ outcome: "succeeded", reason: null });
    expectMended(scene);
    const after = scene.contents();
    for (const { file } of [TESTS, OLD_PORT, VANISHED, ENGLISH]) expect(after[file], file).toBeUndefined();
    expect(after[RELATIVE.file]).toContain("2026-04-23");
    expect(after[RELATIVE.file]).not.toContain("Thursday");
    expect(after[TESTS_AGAIN.file]).toContain(TESTS.text);
    expectSame(
      before,
      after,
      [TESTS, OLD_PORT, VANISHED, ENGLISH, RELATIVE, TESTS_AGAIN].map(({ file }) => file),
    );
    expect(reply.noted).toContainEqual(
      expect.objectContaining({ code: "newer-than-rule", file: NEWER.file }),
    );
    expect(reply.changes.map(({ op }) => op).toSorted()).toEqual(
      ["delete", "delete", "delete", "delete", "delete", "index", "update", "update"].toSorted(),
    );
    expect(scene.stub.requests).toHaveLength(3);
    expect(scene.lastSuccessAt()).toBe(scene.clock.now());
  });

  it("lose the seven to a dream without a model, which tells of the others; a second one changes nothing", async () => {
    const scene = createDreamWorld(await openScene());
    scene.deps.tidying = withTidying(scene);
    scene.deps.modelFor = () => undefined;
    await plant(scene);
    const before = scene.contents();

    const reply = await scene.dream();

    expect(reply).toMatchObject({ outcome: "succeeded", changes: [{ op: "delete" }, { op: "index" }] });
    expectMended(scene);
    expectSame(before, scene.contents(), []);
    expect(new Set(reply.noted.map(({ file }) => file))).toContain(RELATIVE.file);
    expect(scene.stub.requests).toEqual([]);
    const once = scene.contents();
    expect(await scene.dream()).toMatchObject({ outcome: "succeeded", changes: [] });
    expect(scene.contents()).toEqual(once);
  });

  it("are shown a dry run of it that changes nothing", async () => {
    const scene = createDreamWorld(await openScene());
    scene.deps.tidying = withTidying(scene);
    scene.deps.modelFor = () => undefined;
    await plant(scene);
    const before = scene.contents();

    const reply = await scene.dream({ dryRun: true });

    expect(reply.changes).toMatchObject([{ op: "delete" }, { op: "index" }]);
    expect(reply.diff).toContain("--- MEMORY.md");
    expect(reply.diff).toContain(`--- ${reply.changes[0]?.file ?? "?"}`);
    const mended = ["exact-duplicate", "dead-index-line", "orphan-file"];
    expect(reply.noted.filter(({ code }) => mended.includes(code))).toEqual([]);
    expect(scene.contents()).toEqual(before);
  });
});
