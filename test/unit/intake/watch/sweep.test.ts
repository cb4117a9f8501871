import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WATCH_LIMITS } from "../../../../src/domain/limits.ts";
import { createSweep, sweepEveryMs } from "../../../../src/intake/watch/sweep.ts";
import type { SweepDeps, SweepRoot } from "../../../../src/intake/watch/sweep.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createFiles } from "../../../../src/system/files.ts";
import type { FileFacts } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

/** A sweeper that remembers what it saw, as the catalog of sources does. */
function createSweeper({
  isWanted = () => true,
  ...options
}: Partial<SweepDeps> & { isWanted?: (path: string) => boolean } = {}) {
  const known = new Map<string, FileFacts>();
  const sweep = createSweep({ files: createFiles(), clock: createClock(), ...options });
  async function run(roots: readonly SweepRoot[], signal = new AbortController().signal) {
    const differing: string[] = [];
    const folders: string[] = [];
    const result = await sweep.run({
      roots,
      signal,
      recall: (path) => (isWanted(path) ? (known.get(path) ?? "new") : undefined),
      onDiffer(path, facts) {
        known.set(path, facts);
        differing.push(path);
      },
      onFolder: (path) => folders.push(path),
    });
    return { ...result, differing: differing.sort(), entered: folders.sort() };
  }
  return { run };
}

describe("what it finds", () => {
  it("tells of every file once, then only of those that changed", async () => {
    const folder = createTempFolder();
    const a = folder.write("p1/a.jsonl", "1");
    const b = folder.write("p2/sub/b.jsonl", "1");
    const { run } = createSweeper();
    const roots = [{ path: folder.path, depth: 3 }];

    expect((await run(roots)).differing).toEqual([a, b]);
    expect((await run(roots)).differing).toEqual([]);
    appendFileSync(b, "2");

    expect(await run(roots)).toMatchObject({ differing: [b], files: 2, folders: 4, changed: 1 });
  });

  it("finds a file that was replaced by another of the same size and time (W7)", async () => {
    const folder = createTempFolder();
    const path = folder.write("a.jsonl", "old");
    const { run } = createSweeper();
    await run([{ path: folder.path, depth: 0 }]);

    const { atimeMs, mtimeMs } = statSync(path);
    const other = folder.write("b.tmp", "new");
    utimesSync(other, atimeMs / 1000, mtimeMs / 1000);
    renameSync(other, path);

    expect((await run([{ path: folder.path, depth: 0 }])).differing).toEqual([path]);
  });

  it("goes as deep as it is told and no deeper", async () => {
    const folder = createTempFolder();
    const top = folder.write("top.jsonl", "");
    const one = folder.write("1/one.jsonl", "");
    folder.write("1/2/two.jsonl", "");

    expect((await createSweeper().run([{ path: folder.path, depth: 0 }])).differing).toEqual([top]);
    expect((await createSweeper().run([{ path: folder.path, depth: 1 }])).differing).toEqual([one, top]);
  });

  it("finds everything again after its root was removed and made again (W2, fault 21)", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    folder.write("projects/p/a.jsonl", "1");
    const { run } = createSweeper();
    const roots = [{ path: root, depth: 2 }];
    await run(roots);

    rmSync(root, { recursive: true });
    expect(await run(roots)).toMatchObject({ missingRoots: 1, files: 0 });
    const again = folder.write("projects/p/b.jsonl", "2");

    expect((await run(roots)).differing).toEqual([again]);
  });

  it("picks up a root that was missing with its parents (W3, fault 22)", async () => {
    const folder = createTempFolder();
    const { run } = createSweeper();
    const roots = [{ path: folder.at("home/.agent/projects"), depth: 2 }];
    expect((await run(roots)).missingRoots).toBe(1);

    const path = folder.write("home/.agent/projects/p/a.jsonl", "1");

    expect((await run(roots)).differing).toEqual([path]);
  });

  it("reports nothing twice when its root is renamed away and back (fault 23)", async () => {
    const folder = createTempFolder();
    const root = folder.folder("projects");
    folder.write("projects/p/a.jsonl", "1");
    const { run } = createSweeper();
    const roots = [{ path: root, depth: 2 }];
    await run(roots);

    renameSync(root, folder.at("elsewhere"));
    await run(roots);
    renameSync(folder.at("elsewhere"), root);

    expect((await run(roots)).differing).toEqual([]);
  });

  it("finds all that no event told of (W4, faults 24 and 26)", async () => {
    const folder = createTempFolder();
    const { run } = createSweeper();
    const paths = Array.from({ length: 300 }, (_, number) => folder.write(`p${number}/s.jsonl`, `${number}`));

    expect((await run([{ path: folder.path, depth: 1 }])).differing).toEqual(paths.sort());
  });
});

describe("what it leaves alone", () => {
  it("follows no link, so a loop of links is one entry and nothing outside is seen (W6, fault 38)", async () => {
    const folder = createTempFolder();
    const outside = createTempFolder();
    outside.write("secret.jsonl", "");
    const path = folder.write("p/a.jsonl", "");
    symlinkSync(folder.path, folder.at("p/loop"));
    symlinkSync(outside.path, folder.at("p/outside"));
    symlinkSync(outside.at("secret.jsonl"), folder.at("p/link.jsonl"));
    symlinkSync(folder.at("nowhere"), folder.at("p/dangling.jsonl"));

    const result = await createSweeper().run([{ path: folder.path, depth: 50 }]);

    expect(result).toMatchObject({ differing: [path], folders: 2, refused: 0 });
  });

  it("enters a root that is a link itself", async () => {
    const folder = createTempFolder();
    folder.write("real/a.jsonl", "");
    symlinkSync(folder.at("real"), folder.at("root"));

    const result = await createSweeper().run([{ path: folder.at("root"), depth: 1 }]);

    expect(result.differing).toEqual([folder.at("root/a.jsonl")]);
  });

  it("takes no look at files that nobody wants", async () => {
    const folder = createTempFolder();
    const path = folder.write("p/a.jsonl", "");
    folder.write("p/memory/a.md", "");
    const faulty = createFaultyOps({ only: ["lstatSync"] });
    const { run } = createSweeper({
      files: createFiles(faulty.ops),
      isWanted: (name) => name.endsWith(".jsonl"),
    });

    const result = await run([{ path: folder.path, depth: 2 }]);

    expect(result).toMatchObject({ differing: [path], files: 2, changed: 1 });
    expect(faulty.calls()).toBe(1);
  });

  it("passes over pipes and sockets without hanging (fault 39)", async () => {
    const folder = createTempFolder();
    execFileSync("mkfifo", [folder.at("pipe.jsonl")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(folder.at("socket.jsonl"), resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));

    expect(await createSweeper().run([{ path: folder.path, depth: 1 }])).toMatchObject({
      files: 0,
      changed: 0,
    });
  });

  it.runIf(process.getuid?.() !== 0)("goes on beside a folder it may not list", async () => {
    const folder = createTempFolder();
    const path = folder.write("open/a.jsonl", "");
    folder.write("closed/b.jsonl", "");
    chmodSync(folder.at("closed"), 0);

    const result = await createSweeper().run([{ path: folder.path, depth: 1 }]);

    expect(result).toMatchObject({ differing: [path], refused: 1 });
  });

  it("goes on after a call that failed for want of descriptors, and recovers (fault 25)", async () => {
    const folder = createTempFolder();
    const paths = ["a", "b", "c"].map((name) => folder.write(`${name}/s.jsonl`, ""));
    const faulty = createFaultyOps({ at: 2, fault: "EMFILE", only: ["readdirSync"] });
    const { run } = createSweeper({ files: createFiles(faulty.ops) });

    const first = await run([{ path: folder.path, depth: 1 }]);
    const second = await run([{ path: folder.path, depth: 1 }]);

    expect(first).toMatchObject({ refused: 1, changed: 2 });
    expect([...first.differing, ...second.differing].sort()).toEqual(paths);
  });
});

describe("odd names", () => {
  it.each([
    "__proto__",
    "constructor",
    "new\nline",
    "back\\slash",
    "\u001b[31m",
    "e\u0301",
    "\u00e9",
    "x".repeat(255),
  ])("finds a file in a folder, both called %j (W8, faults 40 to 42)", async (name) => {
    const folder = createTempFolder();
    const path = folder.write(`${name}/${name}`, "");

    expect((await createSweeper().run([{ path: folder.path, depth: 1 }])).differing).toEqual([path]);
  });

  it.runIf(process.platform === "linux")("counts names that are not valid UTF-8 and goes on", async () => {
    const folder = createTempFolder();
    const bad = (name: string) => Buffer.concat([Buffer.from(`${folder.path}/${name}`), Buffer.from([0xff])]);
    writeFileSync(bad("file"), "");
    mkdirSync(bad("folder"));
    const path = folder.write("good.jsonl", "");
    const replacement = folder.write("genuine-\uFFFD.jsonl", "");

    const result = await createSweeper().run([{ path: folder.path, depth: 1 }]);

    expect(result).toMatchObject({ differing: [replacement, path].sort(), unreadableNames: 2 });
  });
});

describe("what it costs", () => {
  it("lets the event loop turn after every slice", async () => {
    const folder = createTempFolder();
    for (let number = 0; number < 100; number++) folder.write(`${number}`, "");
    const clock = createManualClock();
    let yields = 0;
    const counting = {
      ...clock,
      monotonicMs() {
        clock.skipMonotonic(WATCH_LIMITS.sweepSliceMs);
        return clock.monotonicMs();
      },
      yield() {
        yields++;
        return clock.yield();
      },
    };
    const { run } = createSweeper({ clock: counting });

    await run([{ path: folder.path, depth: 0 }]);

    // Three steps of 32 entries fill a slice each; the fourth is the last.
    expect(yields).toBe(3);
  });

  it("ends at its bound and says so", async () => {
    const folder = createTempFolder();
    for (let number = 0; number < 20; number++) folder.write(`${number}`, "");
    const limits = { sweepSliceMs: 10, sweepEntriesMax: 5 };

    const result = await createSweeper({ limits }).run([{ path: folder.path, depth: 0 }]);

    expect(result).toMatchObject({ files: 5, cut: true, aborted: false });
  });

  it("ends soon after it is aborted", async () => {
    const folder = createTempFolder();
    folder.write("a", "");
    const controller = new AbortController();
    controller.abort();

    const result = await createSweeper().run([{ path: folder.path, depth: 0 }], controller.signal);

    expect(result).toMatchObject({ files: 0, aborted: true });
  });

  it("paces itself by its cost, and hurries while events cannot be trusted", () => {
    expect(sweepEveryMs({ lastCpuMs: 1, degraded: false })).toBe(WATCH_LIMITS.sweepMinMs);
    expect(sweepEveryMs({ lastCpuMs: 100, degraded: false })).toBe(500_000);
    expect(sweepEveryMs({ lastCpuMs: 10_000, degraded: false })).toBe(WATCH_LIMITS.sweepMaxMs);
    expect(sweepEveryMs({ lastCpuMs: 10_000, degraded: true })).toBe(WATCH_LIMITS.sweepMinMs);
  });
});
