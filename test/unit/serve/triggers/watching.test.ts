import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWatching } from "../../../../src/serve/triggers/watching.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

/** Watching over real folders; `looked` are the folders somebody looked into, in order. */
function setUp(transcripts: () => readonly string[], above: () => readonly string[] = () => []) {
  const looked: string[] = [];
  const checks = new Set<() => void>();
  const stopping = new AbortController();
  const watching = createWatching({
    files: createFiles(),
    emitter: { emit: () => undefined },
    log: { error: () => undefined },
    catalog: { isKnown: () => false },
    growth: { look: () => undefined, schedule: () => undefined },
    rounds: {
      lookInto(folder) {
        looked.push(folder);
        for (const check of checks) check();
        return Promise.resolve([]);
      },
    },
    memories: { notice: () => undefined, setFolders: () => undefined },
    folders: { active: () => ({ transcripts: transcripts(), memory: [], above: above() }) },
    warnings: new Map(),
    signal: stopping.signal,
  });
  onTestFinished(async () => {
    stopping.abort();
    await watching.close();
  });
  const looks = (folder: string, times: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (looked.filter((each) => each === folder).length < times) return;
        checks.delete(check);
        resolve();
      };
      checks.add(check);
      check();
    });
  return { watching, looked, looks };
}

describe("watching", () => {
  it("looks into the roots again once their watches stand", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    const project = folder.folder("projects/shop");
    const { watching, looked, looks } = setUp(() => [root, project]);

    watching.refresh();
    await looks(root, 1);

    // The root's look reaches one level below.
    expect(looked).toEqual([root]);
  });

  it("looks a second time into a folder that appeared, for what was written before its watch stood", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    const known = [root];
    const { watching, looks } = setUp(() => known);
    watching.refresh();
    await looks(root, 1);

    const project = join(root, "shop");
    known.push(project);
    folder.folder("projects/shop");

    await looks(project, 2);
  });

  it("looks into a root as soon as it appears, and into nothing else where it will appear", async () => {
    const folder = createTempFolder();
    const root = join(folder.path, "projects");
    const { watching, looked, looks } = setUp(
      () => [root],
      () => (existsSync(root) ? [] : [folder.path]),
    );
    watching.refresh();

    folder.folder("private");
    folder.folder("projects");
    await looks(root, 1);

    expect(new Set(looked)).toEqual(new Set([root]));
  });
});
