import * as fs from "node:fs";
import { basename } from "node:path";
import { FSWatcher } from "chokidar";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFiles } from "../../../src/system/files.ts";
import { createFolderWatcher } from "../../../src/system/watcher.ts";
import type { FolderWatchHooks, FolderWatcherDeps } from "../../../src/system/watcher.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

/** A real watcher whose events can be waited for. */
function setUp(options: Partial<Pick<FolderWatcherDeps, "create" | "files">> = {}) {
  const changed: string[] = [];
  const degraded: string[] = [];
  const checks = new Set<() => void>();
  const watcher = createFolderWatcher({
    files: createFiles(),
    onChange(path) {
      changed.push(path);
      for (const check of checks) check();
    },
    onDegraded: (reason) => degraded.push(reason),
    ...options,
  });
  onTestFinished(() => watcher.close());
  /** Resolves once an event for `path` has come since the last call of `clear`. */
  const event = (path: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!changed.includes(path)) return;
        checks.delete(check);
        resolve();
      };
      checks.add(check);
      check();
    });
  const watch = async (...folders: string[]) => {
    watcher.setFolders(folders);
    await watcher.settled();
  };
  return { watcher, changed, degraded, event, watch };
}

/** Watches this process holds in the kernel. */
function inotifyWatches(): number {
  let count = 0;
  for (const fd of fs.readdirSync("/proc/self/fdinfo")) {
    count += readIfThere(`/proc/self/fdinfo/${fd}`)
      .split("\n")
      .filter((line) => line.startsWith("inotify ")).length;
  }
  return count;
}

function readIfThere(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

describe("events", () => {
  it("name the file that grew, was made, renamed or removed", async () => {
    const folder = createTempFolder();
    const a = folder.write("a.jsonl", "1");
    const { watch, event, changed } = setUp();
    await watch(folder.path);

    fs.appendFileSync(a, "2");
    await event(a);
    const b = folder.write("b.jsonl", "1");
    await event(b);
    fs.renameSync(b, folder.at("c.jsonl"));
    await event(folder.at("c.jsonl"));
    changed.length = 0;
    fs.rmSync(a);
    await event(a);
  });

  it("come for a file replaced by another (W7)", async () => {
    const folder = createTempFolder();
    const path = folder.write("a.jsonl", "long content");
    const { watch, event } = setUp();
    await watch(folder.path);

    fs.renameSync(folder.write("a.tmp", "short"), path);

    await event(path);
  });

  it("come while a file is never quiet: nothing waits for a write to finish (W5)", async () => {
    const folder = createTempFolder();
    const path = folder.write("a.jsonl", "");
    const { watch, event, changed } = setUp();
    await watch(folder.path);

    for (let line = 0; line < 5; line++) {
      changed.length = 0;
      fs.appendFileSync(path, "x");
      await event(path);
    }
  });

  it("keep the spelling of the folder they were asked for", async () => {
    const folder = createTempFolder();
    folder.folder("real");
    fs.symlinkSync(folder.at("real"), folder.at("root"));
    const { watch, event } = setUp();
    await watch(folder.at("root"));

    folder.write("real/a.jsonl", "");

    await event(folder.at("root/a.jsonl"));
  });

  it.each(["new\nline", "back\\slash", "constructor", "__proto__", "e\u0301", "\u00e9", ".hidden.swp", "a~"])(
    "come for a file called %j (W8)",
    async (name) => {
      const folder = createTempFolder();
      const { watch, event } = setUp();
      await watch(folder.path);

      await event(folder.write(name, ""));
    },
  );

  it("do not come from folders below, nor through links (W6)", async () => {
    const folder = createTempFolder();
    const outside = createTempFolder();
    folder.folder("sub");
    fs.symlinkSync(outside.path, folder.at("link"));
    fs.symlinkSync(folder.path, folder.at("loop"));
    const { watch, event, changed } = setUp();
    await watch(folder.path);

    folder.write("sub/deep.jsonl", "");
    outside.write("outside.jsonl", "");
    await event(folder.write("last.jsonl", ""));

    expect(new Set(changed)).toEqual(new Set([folder.at("last.jsonl")]));
  });
});

describe("folders", () => {
  it("are watched exactly as given: added, dropped and kept", async () => {
    const folder = createTempFolder();
    const [a, b] = [folder.folder("a"), folder.folder("b")];
    const { watch, watcher, event, changed } = setUp();
    await watch(a);

    await watch(b);
    folder.write("a/x", "");
    await event(folder.write("b/x", ""));

    expect(watcher.folders()).toBe(1);
    expect(new Set(changed)).toEqual(new Set([folder.at("b/x")]));
  });

  it("below a dropped one can still be added", async () => {
    const folder = createTempFolder();
    const inner = folder.folder("outer/inner");
    const { watch, event } = setUp();
    await watch(folder.at("outer"));

    await watch();
    await watch(inner);

    await event(folder.write("outer/inner/x", ""));
  });

  it("that are missing, or no folder, are tried again and count as nothing (W3, fault 22)", async () => {
    const folder = createTempFolder();
    const file = folder.write("file", "");
    const { watch, watcher, event, degraded } = setUp();
    const deep = folder.at("not/yet/there");
    await watch(deep, file);
    expect(watcher.folders()).toBe(0);

    folder.folder("not/yet/there");
    await watch(deep, file);
    await event(folder.write("not/yet/there/a.jsonl", ""));

    expect([watcher.folders(), watcher.degraded(), degraded]).toEqual([1, undefined, []]);
  });

  it("that vanish between the look and the watch are tried again", async () => {
    const folder = createTempFolder();
    const path = folder.at("late");
    const files = createFiles();
    const { watch, event, degraded } = setUp({
      files: { follow: () => files.follow(folder.path), real: () => path },
    });
    await watch(path);

    fs.mkdirSync(path);
    await watch(path);

    await event(folder.write("late/a.jsonl", ""));
    expect(degraded).toEqual([]);
  });

  it("that were removed and made again are watched again (W2, fault 21)", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    const { watch, event } = setUp();
    await watch(root);

    fs.rmSync(root, { recursive: true });
    fs.mkdirSync(root);
    // The removal is noticed even where the new folder has the old one's inode number.
    await event(root);
    await watch(root);

    await event(folder.write("projects/a.jsonl", ""));
  });

  it("that were swapped for another are watched again, even if no event told of it", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    const other = folder.folder("other");
    const { watch, event } = setUp();
    await watch(root);

    fs.renameSync(root, folder.at("gone"));
    fs.renameSync(other, root);
    await watch(root);

    await event(folder.write("projects/a.jsonl", ""));
  });

  it("that were renamed away and back are watched (fault 23)", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    const { watch, event } = setUp();
    await watch(root);

    fs.renameSync(root, folder.at("away"));
    await watch(root);
    fs.renameSync(folder.at("away"), root);
    await watch(root);

    await event(folder.write("projects/a.jsonl", ""));
  });

  it.runIf(process.platform === "linux")(
    "cost one watch each, whatever they hold, and none when dropped",
    async () => {
      const folder = createTempFolder();
      const folders = ["a", "b", "c"].map((name) => folder.folder(name));
      for (let file = 0; file < 50; file++) folder.write(`a/${file}.jsonl`, "");
      folder.folder("a/sub/sub");
      const before = inotifyWatches();
      const { watch, event } = setUp();

      await watch(...folders);
      await event(folder.write("a/new.jsonl", ""));
      expect(inotifyWatches() - before).toBe(3);
      await watch();
      // A watch that has just reported is given back after the turn of the event loop in which it did.
      await expect.poll(() => inotifyWatches() - before).toBe(0);
    },
  );

  it("may be set anew while the last setting is still under way", async () => {
    const folder = createTempFolder();
    const folders = ["a", "b", "c"].map((name) => folder.folder(name));
    const { watcher, watch, event } = setUp();

    for (let round = 0; round < 20; round++) watcher.setFolders(round % 2 === 0 ? folders : []);
    await watch(...folders);

    await event(folder.write("b/x", ""));
    expect(watcher.folders()).toBe(3);
  });
});

describe("a limit that is reached", () => {
  const full = Object.assign(new Error("no space left for watches"), { code: "ENOSPC" });

  /** Watches that fail while `failing` says so. */
  function createFailing() {
    const hooks = new Map<string, FolderWatchHooks>();
    const state = { failing: true, opened: 0 };
    const create = (folder: string, given: FolderWatchHooks) => {
      state.opened++;
      hooks.set(basename(folder), given);
      const fails = state.failing;
      queueMicrotask(() => {
        if (fails) given.error(full);
      });
      return { close: () => Promise.resolve() };
    };
    return { state, create, hooks };
  }

  it("is announced once for all folders and shown until it is over (W4, fault 24)", async () => {
    const folder = createTempFolder();
    const folders = Array.from({ length: 30 }, (_, number) => folder.folder(`${number}`));
    const { state, create } = createFailing();
    const { watch, watcher, degraded } = setUp({ create });

    await watch(...folders);
    expect(degraded).toEqual(["ENOSPC: no space left for watches"]);
    expect([watcher.folders(), watcher.degraded()]).toEqual([0, degraded[0]]);
    await watch(...folders);
    expect(degraded).toHaveLength(1);

    state.failing = false;
    await watch(...folders);
    expect([watcher.folders(), watcher.degraded()]).toEqual([30, undefined]);
    await watch(...folders);
    expect(state.opened).toBe(90);
  });

  it("begins no watch that whoever asked would wait for and ask again, for ever (fault 24)", async () => {
    const folder = createTempFolder();
    for (const late of [false, true]) {
      const state = { failing: true };
      const create = (_: string, given: FolderWatchHooks) => {
        const fail = () => state.failing && given.error(full);
        if (late) queueMicrotask(fail);
        else fail();
        return { close: () => Promise.resolve() };
      };
      const { watcher } = setUp({ create });
      const first = watcher.setFolders([folder.path]);
      await watcher.settled();
      const second = watcher.setFolders([folder.path]);
      state.failing = false;
      await watcher.settled();

      expect([first, second]).toEqual([late ? [folder.path] : [], []]);
      expect(watcher.setFolders([folder.path])).toEqual([]);
    }
  });

  it("is told as the system tells it", async () => {
    const folder = createTempFolder();
    const files = createFiles();
    const { watch, watcher } = setUp({ files: { follow: files.follow, real: () => `/${"x".repeat(300)}` } });

    await watch(folder.path);

    expect([watcher.folders(), watcher.degraded()]).toEqual([0, expect.stringMatching(/^ENAMETOOLONG: /)]);
  });

  it("is announced again after it was over once", async () => {
    const folder = createTempFolder();
    const [a, b] = [folder.folder("a"), folder.folder("b")];
    const { state, create } = createFailing();
    const { watch, degraded } = setUp({ create });
    await watch(a);
    state.failing = false;
    await watch(a);

    state.failing = true;
    await watch(a, b);

    expect(degraded).toHaveLength(2);
  });

  it("that strikes later is announced too, and an event without a name means the folder", async () => {
    const folder = createTempFolder();
    const a = folder.folder("a");
    const { state, create, hooks } = createFailing();
    state.failing = false;
    const { watch, watcher, degraded, changed } = setUp({ create });
    await watch(a);

    hooks.get("a")?.event(undefined);
    hooks.get("a")?.event("x");
    hooks.get("a")?.error(Object.assign(new Error("too many open files"), { code: "EMFILE" }));

    expect(changed).toEqual([a, `${a}/x`]);
    expect(degraded).toEqual(["EMFILE: too many open files"]);
    expect(watcher.degraded()).toBe(degraded[0]);
  });

  it("says nothing after it was closed or the folder was dropped", async () => {
    const folder = createTempFolder();
    const [a, b] = [folder.folder("a"), folder.folder("b")];
    const { state, create, hooks } = createFailing();
    state.failing = false;
    const { watch, watcher, degraded, changed } = setUp({ create });
    await watch(a, b);
    await watch(b);
    hooks.get("a")?.event("x");
    hooks.get("a")?.error(full);
    await watcher.close();

    hooks.get("b")?.event("x");
    hooks.get("b")?.error(full);
    watcher.setFolders([a]);

    expect([changed, degraded, watcher.folders()]).toEqual([[], [], 0]);
  });
});

it("relies on methods that the installed chokidar has", async () => {
  const watcher = new FSWatcher();
  onTestFinished(() => watcher.close());

  expect(typeof watcher._nodeFsHandler._watchWithNodeFs).toBe("function");
  expect(typeof watcher._addPathCloser).toBe("function");
});

it("delivers most of a burst of new files, and every one in a watched folder (W1, W9)", async () => {
  const folder = createTempFolder();
  const { watch, event, changed } = setUp();
  await watch(folder.path);

  for (let file = 0; file < 2_000; file++) folder.write(`${file}.jsonl`, "");
  await event(folder.at("1999.jsonl"));

  expect(new Set(changed).size).toBe(2_000);
});
