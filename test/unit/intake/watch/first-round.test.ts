import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Noticed } from "../../../../src/intake/watch/growth.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import type { StartOptions } from "./known-world.ts";
import { passATick, start, talkOf } from "./known-world.ts";

const SHOP = ".claude/projects/-home-ana-shop";
const CAFE = ".claude/projects/-home-ana-cafe";
const NOTES = "state/cursors/folders.json";
const ALL = ["projects", "projects/-home-ana-cafe", "projects/-home-ana-shop"];

/** Two projects with a session each, met by an engramd that has ended since. */
async function setUp(options: StartOptions = {}) {
  const folder = createTempFolder();
  const [shop, cafe] = [`${SHOP}/s1.jsonl`, `${CAFE}/c1.jsonl`].map((name) =>
    folder.write(name, talkOf(name.slice(-8, -6))),
  );
  await start(folder, options).run();
  passATick(folder);
  return { folder, shop: shop!, cafe: cafe! };
}

const pathsOf = (noticed: readonly Noticed[]) => noticed.map(({ entry }) => entry.source.path).toSorted();

/** The first round of the next engramd. */
async function restart(folder: TempFolder, options: StartOptions = {}) {
  const next = start(folder, options);
  const { result, noticed } = await next.run();
  return {
    ...next,
    result,
    noticed: pathsOf(noticed),
    listed: next.listings().toSorted(),
    looked: next.seen.looked.toSorted(),
  };
}

describe("the first round after a start", () => {
  it("lists no folder that is as it was, and counts it all the same", async () => {
    const { folder } = await setUp();
    folder.write(`${SHOP}/memory/MEMORY.md`, "");
    await restart(folder);

    const { listed, looked, result, rounds, catalog } = await restart(folder);

    expect([listed, looked]).toEqual([[], []]);
    expect(result).toMatchObject({ files: 2, folders: 3, changed: 0 });
    expect([...rounds.sessionFolders()].toSorted()).toEqual([folder.at(CAFE), folder.at(SHOP)]);
    expect(catalog.size).toBe(2);
  });

  it("finds a session that grew, and lists nothing for it", async () => {
    const { folder, shop } = await setUp();
    appendFileSync(shop, talkOf("s1"));

    expect(await restart(folder)).toMatchObject({ listed: [], looked: [shop] });
  });

  it("finds a new session in a known folder, which is listed, and no other one", async () => {
    const { folder } = await setUp();
    const path = folder.write(`${SHOP}/s2.jsonl`, talkOf("s2"));

    expect(await restart(folder)).toMatchObject({ listed: [ALL[2]], looked: [path] });
  });

  it("finds a session in a new folder", async () => {
    const { folder } = await setUp();
    const path = folder.write(".claude/projects/-home-ana-new/n1.jsonl", talkOf("n1"));

    expect(await restart(folder)).toMatchObject({
      listed: ["projects", "projects/-home-ana-new"],
      looked: [path],
    });
  });

  it("finds a session that another file of the same size and time was put over", async () => {
    const { folder, shop } = await setUp();
    const { atimeMs, mtimeMs, size } = statSync(shop);
    const other = folder.write("other", "x".repeat(size));
    utimesSync(other, atimeMs / 1000, mtimeMs / 1000);
    renameSync(other, shop);

    expect((await restart(folder)).looked).toEqual([shop]);
  });

  it("forgets a session and a folder that are gone", async () => {
    const { folder, shop, cafe } = await setUp();
    rmSync(shop);
    rmSync(dirname(cafe), { recursive: true });

    const { seen, catalog } = await restart(folder);

    expect(seen.vanished.toSorted()).toEqual([cafe, shop]);
    expect(catalog.size).toBe(0);
  });

  it("forgets none while the root is away as a whole, and finds all known once it is back", async () => {
    const { folder } = await setUp();
    renameSync(folder.at(".claude"), folder.at("away"));
    expect((await restart(folder)).catalog.size).toBe(2);
    renameSync(folder.at("away"), folder.at(".claude"));

    expect(await restart(folder)).toMatchObject({ looked: [], result: { files: 2, missingRoots: 0 } });
  });

  it("looks through no link that took the place of a session or of a folder", async () => {
    const { folder, shop, cafe } = await setUp();
    renameSync(shop, folder.at("elsewhere.jsonl"));
    symlinkSync(folder.at("elsewhere.jsonl"), shop);
    renameSync(dirname(cafe), folder.at("outside"));
    appendFileSync(folder.at("outside/c1.jsonl"), talkOf("c1"));
    symlinkSync(folder.at("outside"), dirname(cafe));

    const { looked, seen, result } = await restart(folder);

    expect([looked, seen.vanished]).toEqual([[], []]);
    expect(result).toMatchObject({ files: 0, folders: 2, changed: 0 });
  });

  it("sees a file planted in a folder whose times were put back", async () => {
    const { folder } = await setUp();
    const { atimeMs, mtimeMs } = statSync(folder.at(SHOP));
    const path = folder.write(`${SHOP}/s2.jsonl`, talkOf("s2"));
    utimesSync(folder.at(SHOP), atimeMs / 1000, mtimeMs / 1000);

    expect((await restart(folder)).looked).toEqual([path]);
  });

  it("trusts no note of a folder that had just changed when it was listed", async () => {
    const { folder } = await setUp({ aheadMs: 0 });

    expect((await restart(folder, { aheadMs: 0 })).listed).toEqual(ALL);
    expect((await restart(folder)).listed).toEqual(ALL);
    expect((await restart(folder)).listed).toEqual([]);
  });

  it("lists everything when cursors were lost, so that no session stays unseen", async () => {
    const { folder, shop, cafe } = await setUp();
    appendFileSync(cafe, talkOf("c1"));
    const journal = folder.at("state/cursors/sources.jsonl");
    const lines = readFileSync(journal, "utf8").split("\n");
    writeFileSync(journal, lines.filter((line) => !line.includes(shop)).join("\n"));

    const { listed, noticed, result } = await restart(folder);

    expect([listed, noticed, result.changed]).toEqual([ALL, [cafe, shop], 2]);
    expect((await restart(folder)).listed).toEqual([]);
  });

  it("lists everything when folders are entered deeper than they were", async () => {
    const { folder } = await setUp();
    folder.write(`${SHOP}/memory/MEMORY.md`, "");
    await restart(folder);

    const { listed, result } = await restart(folder, { depth: 2 });

    expect(listed).toEqual([...ALL, `${ALL[2]}/memory`]);
    expect(result.files).toBe(3);
  });

  it.runIf(process.platform === "linux")("goes on counting names that are not valid UTF-8", async () => {
    const { folder } = await setUp();
    const bad = Buffer.concat([
      Buffer.from(`${folder.at(SHOP)}/s`),
      Buffer.from([0xff]),
      Buffer.from(".jsonl"),
    ]);
    writeFileSync(bad, talkOf("s9"));
    await restart(folder);

    const { listed, result } = await restart(folder);

    expect([listed, result.unreadableNames]).toEqual([[ALL[2]], 1]);
  });

  it.runIf(process.getuid?.() !== 0)(
    "lists everything beside a folder it may not enter any more",
    async () => {
      const { folder, shop } = await setUp();
      chmodSync(folder.at(SHOP), 0);

      const { listed, result, seen } = await restart(folder);

      expect(listed).toEqual(expect.arrayContaining(ALL));
      expect([result.refused, seen.vanished]).toEqual([1, []]);
      chmodSync(folder.at(SHOP), 0o700);
      appendFileSync(shop, talkOf("s1"));
      expect((await restart(folder)).looked).toEqual([shop]);
    },
  );

  it("lists everything when it is told to", async () => {
    const { folder } = await setUp();
    const { run, listings } = start(folder);

    await run({ listAll: true });

    expect(listings().toSorted()).toEqual(ALL);
  });

  it("trusts no notes where one root lies in another", async () => {
    const homes = [".claude", ".claude/projects/-home-ana-shop"];
    const { folder } = await setUp({ homes });

    expect((await restart(folder, { homes })).listed).toEqual(ALL);
    expect(existsSync(folder.at(NOTES))).toBe(false);
    await restart(folder);
    expect((await restart(folder, { homes })).listed).toEqual(ALL);
  });
});

describe("the rounds after the first one", () => {
  it("list everything", async () => {
    const { folder } = await setUp();
    const { run, listings } = await restart(folder);

    await run();

    expect(listings().toSorted()).toEqual(ALL);
  });

  it("note once a day what changed, and write nothing else", async () => {
    const { folder } = await setUp();
    const { run, skipMonotonic } = await restart(folder);
    const before = lstatSync(folder.at(NOTES));
    folder.write(`${SHOP}/s2.jsonl`, talkOf("s2"));
    await run();
    expect(lstatSync(folder.at(NOTES))).toEqual(before);

    skipMonotonic(86_400_000);
    await run();

    expect((await restart(folder)).listed).toEqual([]);
    const after = lstatSync(folder.at(NOTES));
    expect(after.ino).not.toBe(before.ino);
    skipMonotonic(86_400_000);
    await run();
    expect(lstatSync(folder.at(NOTES))).toEqual(after);
  });
});

describe("notes that are no good", () => {
  it.each([
    ["missing", () => undefined],
    ["empty", () => ""],
    ["torn", (text: string) => text.slice(0, text.length / 2)],
    ["another version's", (text: string) => text.replace('"by":"', '"by":"9')],
    ["of another kind", (text: string) => text.replace('"v":1', '"v":2')],
    ["no object", () => "7"],
    ["wrong in one row", (text: string) => text.replace('["-home-ana-shop",', '["-home-ana-shop","')],
    ["leading elsewhere", (text: string) => text.replace('["-home-ana-shop"', '["../../outside"')],
    ["another home's", (text: string) => text.replace(".claude/", ".other/")],
  ])("%s: everything is listed, nothing is told twice, and they are made anew", async (_, spoil) => {
    const { folder } = await setUp();
    const text = readFileSync(folder.at(NOTES), "utf8");
    const spoilt = spoil(text);
    expect(spoilt).not.toBe(text);
    if (spoilt === undefined) rmSync(folder.at(NOTES));
    else writeFileSync(folder.at(NOTES), spoilt);

    const { listed, looked } = await restart(folder);

    expect([listed, looked]).toEqual([ALL, []]);
    expect((await restart(folder)).listed).toEqual([]);
  });

  it("in the place of which there is a folder: a warning, and all is found", async () => {
    const { folder, shop } = await setUp();
    rmSync(folder.at(NOTES));
    mkdirSync(folder.at(NOTES));
    appendFileSync(shop, talkOf("s1"));

    const { listed, looked, seen } = await restart(folder);

    expect([listed, looked, seen.warnings]).toEqual([ALL, [shop], ["folders-not-noted"]]);
  });
});

/** What one engramd's first round tells of the disk. */
async function firstRound(folder: TempFolder, stateDir: string) {
  const { catalog, rounds, seen, run, listings } = start(folder, { stateDir, depth: DEPTH });
  const { result, lostBytes, noticed } = await run();
  const { cpuMs: _, ...counts } = result;
  const told = {
    counts,
    lostBytes,
    noticed: pathsOf(noticed),
    looked: seen.looked.toSorted(),
    vanished: seen.vanished.toSorted(),
    sessionFolders: [...rounds.sessionFolders()].toSorted(),
    states: [...catalog.states()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
  return { told, listed: listings().length };
}

const DEPTH = 3;
const FOLDERS = ["p0", "p1", "p2", "p1/deep", "p2/deep/er"];
const NAMES = ["s0.jsonl", "s1.jsonl", "s2.jsonl", "agent-a.jsonl", "notes.md"];

const action = fc.record({
  kind: fc.constantFrom(
    ...(["write", "write", "append", "touch", "rewrite", "replace", "remove", "rename"] as const),
    ...(["removeFolder", "renameFolder", "linkFile", "linkFolder", "makeFolder", "putBack"] as const),
  ),
  from: fc.tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES)),
  to: fc.tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES)),
});
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** Does what is possible; what is not - the folder is gone, a link leads nowhere - changes nothing. */
function change(folder: TempFolder, { kind, from, to }: Action): void {
  const projects = `${folder.folder(".claude/projects")}/`;
  const [path, target] = [projects + from.join("/"), projects + to.join("/")];
  const text = talkOf(from[1].slice(0, 2));
  const deeds = {
    write: () => (mkdirSync(dirname(path), { recursive: true }), writeFileSync(path, text)),
    append: () => existsSync(path) && appendFileSync(path, text),
    touch: () => utimesSync(path, 1_000_000_000, 1_000_000_000),
    rewrite: () => existsSync(path) && writeFileSync(path, readFileSync(path)),
    replace: () => renameSync(folder.write("other", text), path),
    remove: () => rmSync(path),
    rename: () => renameSync(path, target),
    removeFolder: () => rmSync(dirname(path), { recursive: true }),
    renameFolder: () => renameSync(dirname(path), dirname(target)),
    linkFile: () => symlinkSync(target, path),
    linkFolder() {
      renameSync(dirname(path), folder.at(`moved-${Math.round(statSync(path).ctimeMs)}`));
      symlinkSync(dirname(target), dirname(path));
    },
    makeFolder: () => mkdirSync(path, { recursive: true }),
    putBack() {
      const { atimeMs, mtimeMs } = statSync(dirname(path));
      writeFileSync(path, text);
      utimesSync(dirname(path), atimeMs / 1000, mtimeMs / 1000);
    },
  };
  try {
    deeds[kind]();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

describe("with notes and without", () => {
  it("a first round tells the same, whatever changed between two runs", async () => {
    let [noted, full] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 5, maxLength: 25 }),
        fc.array(fc.array(action, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        async (made, runs) => {
          const folder = createTempFolder();
          const [state, copy] = [folder.folder("state"), folder.at("copy")];
          for (const each of made) change(folder, each);
          await firstRound(folder, state);
          for (const changes of runs) {
            passATick(folder);
            for (const each of changes) change(folder, each);
            rmSync(copy, { recursive: true, force: true });
            cpSync(state, copy, { recursive: true });
            rmSync(`${copy}/cursors/folders.json`, { force: true });

            const [withNotes, without] = [await firstRound(folder, state), await firstRound(folder, copy)];

            expect(withNotes.told).toEqual(without.told);
            noted += withNotes.listed;
            full += without.listed;
          }
        },
      ),
      { numRuns: 60 },
    );
    // The notes were used: else this says nothing.
    expect(noted).toBeLessThan(full * 0.8);
  });
});
