// One commit of every kind of change over real files, failed at a chosen operation and repeated by a fresh process.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { contentHash } from "../../../../src/system/ids.ts";
import { inMemory } from "../../../crash/world.ts";
import type { FaultyOps } from "../../../helpers/faulty-ops.ts";
import { createKeptFolder, removeTree, type TempFolder } from "../../../helpers/temp-folder.ts";
import { contentsOf, createBench, createOf, draft, said } from "./bench.ts";

const LINTER = "From now on always run the linter before you commit.";
const RELEASE = "We deploy from the release branch, never from main.";
const START: Record<string, string> = {
  "MEMORY.md":
    "# My notes\n- [Deploys](deploys.md) — by hand\n- [Old](old.md) — port 8080\n- [Role](role.md) — data scientist\n",
  "deploys.md": "---\nname: deploys\ndescription: how we deploy\ntype: project\n---\nWe deploy by hand.\n",
  "old.md": "---\nname: old\ndescription: the port\ntype: project\n---\nThe API listens on port 8080.\n",
  "role.md": "---\nname: role\ndescription: role\nmetadata:\n  type: user\n---\nI am a data scientist.\n",
};

/** One of each: create, update, confirm, delete. */
export function changes(): readonly MemoryChange[] {
  const basis = (file: string) => contentHash(START[file] ?? "");
  const port = "The API moved to port 9090.";
  return [
    createOf("feedback_linter.md", LINTER),
    {
      op: "update",
      file: "deploys.md",
      basis: basis("deploys.md"),
      memory: draft("deploys", RELEASE, { type: "project" }),
      evidence: [said("r-release", RELEASE)],
    },
    {
      op: "confirm",
      file: "role.md",
      basis: basis("role.md"),
      evidence: [said("r-role", "As a data scientist I like notebooks.")],
    },
    createOf("project_port.md", port, { memory: { type: "project" } }),
    {
      op: "delete",
      file: "old.md",
      basis: basis("old.md"),
      reason: "superseded",
      evidence: [said("r-port", port)],
    },
  ];
}

export function prepare(): TempFolder {
  const folder = inMemory(createKeptFolder);
  mkdirSync(folder.at("memory"));
  for (const [name, text] of Object.entries(START)) writeFileSync(folder.at("memory", name), text);
  return folder;
}

export async function wantedContents(): Promise<Record<string, string>> {
  const folder = prepare();
  try {
    const result = await createBench(folder).commit(changes(), { run: "the-run" });
    expect(result.written).toHaveLength(5);
    return contentsOf(folder.at("memory"));
  } finally {
    removeTree(folder.path);
  }
}

interface Attempt {
  readonly faulty: FaultyOps;
  readonly wanted: Record<string, string>;
  readonly isKill: boolean;
}

/** One commit that meets the fault, then a fresh process: recover, and the job's repeat of the same set. */
export async function failThenRepeat({ faulty, wanted, isKill }: Attempt): Promise<void> {
  const folder = prepare();
  try {
    const commit = createBench(folder, { ops: faulty.ops }).commit(changes(), { run: "the-run" });
    const failure = await commit.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (isKill && faulty.fired()) expect(failure).toBeDefined();
    expectOldOrNew(contentsOf(folder.at("memory")), wanted);

    const later = createBench(folder);
    await later.writer.recover();
    const again = await later.commit(changes(), { run: "the-run" });

    expect(contentsOf(folder.at("memory"))).toEqual(wanted);
    expect(leftovers(folder)).toEqual([]);
    // Whether the first or the second attempt did the work, a third finds nothing to do.
    const third = await later.commit(changes(), { run: "the-run" });
    expect(third.written).toEqual([]);
    expect(again.written.length === 0 || again.written.length === 5).toBe(true);
  } finally {
    removeTree(folder.path);
  }
}

/** Every file as it was or as it was to become; the index may lag behind. */
export function expectOldOrNew(found: Record<string, string>, wanted: Record<string, string>): void {
  for (const name of new Set([...Object.keys(START), ...Object.keys(wanted)])) {
    expect([START[name], wanted[name]]).toContain(found[name]);
  }
}

/** Temporary files of the memory folder and unfinished entries of the journal. */
function leftovers(folder: TempFolder): string[] {
  return readdirSync(folder.path, { recursive: true })
    .map(String)
    .filter((path) => /memory\/\.engramd-tmp-|\.open\.json$/.test(path));
}
