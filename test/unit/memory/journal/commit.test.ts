import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../../src/domain/changes.ts";
import { parseTopicFile } from "../../../../src/memory/files/topic-file.ts";
import { createFileLocks } from "../../../../src/system/file-lock.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createEventSpy } from "../../../helpers/event-spy.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createBench, createOf, draft, said, SAID_AT, TODAY } from "./bench.ts";

const LINTER = "From now on always run the linter before you commit.";
const RELEASE = "We deploy from the release branch, never from main.";
const DAY_MS = 86_400_000;

function reasons(verdicts: readonly Verdict[]): string[] {
  return verdicts.map((verdict) => (verdict.accepted ? "accepted" : verdict.reason));
}

describe("commit", () => {
  it("creates the folder, the file, its index line, and stamps what the host knows", async () => {
    const bench = createBench(createTempFolder());
    const events = createEventSpy(bench.emitter);

    const result = await bench.commit([createOf("feedback_linter.md", LINTER)]);

    expect(result.written).toEqual([{ file: "feedback_linter.md", op: "created" }]);
    expect(parseTopicFile(bench.read("feedback_linter.md"))).toMatchObject({
      name: "feedback-linter",
      description: LINTER,
      type: "feedback",
      body: LINTER,
      confirmed: "2026-05-03",
      modified: "2026-05-04T09:00:00.000Z",
      originSessionId: "5e551011-0000-4000-8000-000000000001",
      evidence: ["record-of-feedback-linter"],
    });
    expect(bench.read("MEMORY.md")).toMatch(/^- \[Feedback linter\]\(feedback_linter\.md\) — From now on/);
    expect(events.names()).toEqual(["index:written", "memory:written"]);
  });

  it("gives an older statement its own date as modification time, and today's the present", async () => {
    const bench = createBench(createTempFolder());

    await bench.commit([
      createOf("feedback_old.md", LINTER, { at: SAID_AT - 30 * DAY_MS }),
      createOf("project_new.md", RELEASE, { at: Date.UTC(2026, 4, 4, 8), memory: { type: "project" } }),
    ]);

    expect(statSync(`${bench.memoryDir}/feedback_old.md`).mtimeMs).toBe(SAID_AT - 30 * DAY_MS);
    expect(statSync(`${bench.memoryDir}/project_new.md`).mtimeMs).toBeGreaterThan(Date.now() - DAY_MS);
    expect(parseTopicFile(bench.read("feedback_old.md")).confirmed).toBe("2026-04-03");
  });

  it("takes today for words of an unknown time", async () => {
    const bench = createBench(createTempFolder());
    const change = createOf("feedback_linter.md", LINTER);

    await bench.commit([{ ...change, evidence: [said("r1", LINTER, { at: undefined })] }]);

    expect(parseTopicFile(bench.read("feedback_linter.md")).confirmed).toBe(TODAY);
  });

  it("updates a file by line: the text changes, the person's own keys stay", async () => {
    const bench = createBench(createTempFolder());
    mkdirSync(bench.memoryDir);
    const file =
      "---\nname: deploys\ndescription: how we deploy\nmood: calm\nmetadata:\n  type: project\n---\nWe deploy by hand.\n";
    writeFileSync(`${bench.memoryDir}/deploys.md`, file);

    const result = await bench.commit([
      {
        op: "update",
        file: "deploys.md",
        basis: bench.hash("deploys.md"),
        memory: draft("deploys", RELEASE, { type: "project" }),
        evidence: [said("r7", RELEASE)],
      },
    ]);

    expect(result.written).toEqual([{ file: "deploys.md", op: "updated" }]);
    expect(bench.read("deploys.md")).toContain("mood: calm\n");
    expect(parseTopicFile(bench.read("deploys.md"))).toMatchObject({ body: RELEASE, evidence: ["r7"] });
  });

  it("confirms by moving the bookkeeping fields only, and keeps first and newest two record ids", async () => {
    const bench = createBench(createTempFolder());
    await bench.commit([createOf("feedback_linter.md", LINTER, { recordId: "r0" })]);

    for (const [index, day] of [4, 5, 6].entries()) {
      const evidence = [said(`r${index + 1}`, LINTER, { at: Date.UTC(2026, 4, day, 7) })];
      const basis = bench.hash("feedback_linter.md");
      const result = await bench.commit([{ op: "confirm", file: "feedback_linter.md", basis, evidence }], {
        today: "2026-05-06",
      });
      expect(result.written).toEqual([{ file: "feedback_linter.md", op: "confirmed" }]);
    }

    expect(parseTopicFile(bench.read("feedback_linter.md"))).toMatchObject({
      body: LINTER,
      confirmed: "2026-05-06",
      modified: "2026-05-04T09:00:00.000Z",
      evidence: ["r0", "r2", "r3"],
    });
  });

  it("does not make a file younger or older by confirming it with an old statement", async () => {
    const bench = createBench(createTempFolder());
    await bench.commit([createOf("feedback_linter.md", LINTER)]);

    await bench.commit([
      {
        op: "confirm",
        file: "feedback_linter.md",
        basis: bench.hash("feedback_linter.md"),
        evidence: [said("r-old", LINTER, { at: SAID_AT - 60 * DAY_MS })],
      },
    ]);

    expect(parseTopicFile(bench.read("feedback_linter.md")).confirmed).toBe("2026-05-03");
    expect(statSync(`${bench.memoryDir}/feedback_linter.md`).mtimeMs).toBe(SAID_AT);
  });

  it("deletes a file with its index line and keeps its content in the journal", async () => {
    const bench = createBench(createTempFolder());
    await bench.commit([createOf("feedback_linter.md", LINTER), createOf("feedback_release.md", RELEASE)]);
    const before = bench.hash("feedback_linter.md");

    const result = await bench.commit(
      [{ op: "delete", file: "feedback_linter.md", basis: before, reason: "forgotten", evidence: [] }],
      { producer: "person" },
    );

    expect(result.written).toEqual([{ file: "feedback_linter.md", op: "deleted" }]);
    expect(Object.keys(bench.contents())).toEqual(["MEMORY.md", "feedback_release.md"]);
    expect(bench.read("MEMORY.md")).not.toContain("feedback_linter.md");
    const [folderId] = readdirSync(`${bench.stateDir}/journal`);
    expect(existsSync(`${bench.stateDir}/journal/${folderId}/blobs/${before}`)).toBe(true);
  });

  it("writes nothing when the same set comes again", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    const set = [createOf("feedback_linter.md", LINTER), createOf("feedback_release.md", RELEASE)];
    await bench.commit(set, { run: "same-run" });
    const before = folder.tree();
    const contents = bench.contents();

    const again = await createBench(folder).commit(set, { run: "same-run" });

    expect(again.written).toEqual([]);
    expect(reasons(again.verdicts)).toEqual(["already-recorded", "already-recorded"]);
    expect(bench.contents()).toEqual(contents);
    expect(folder.tree()).toEqual(before);
  });

  it("does not bring back what a person made it forget, until it is typed again", async () => {
    const bench = createBench(createTempFolder());
    const change = createOf("feedback_linter.md", LINTER);
    await bench.commit([change]);
    await bench.commit(
      [
        {
          op: "delete",
          file: "feedback_linter.md",
          basis: bench.hash("feedback_linter.md"),
          reason: "forgotten",
          evidence: [],
        },
      ],
      { producer: "person" },
    );

    const copy = await bench.commit([createOf("feedback_linter.md", LINTER, { recordId: "a-copy" })]);
    const fresh = await bench.commit([
      createOf("feedback_linter.md", LINTER, { recordId: "typed-again", at: bench.clock.now() + 1_000 }),
    ]);

    expect(reasons(copy.verdicts)).toEqual(["removed-before"]);
    expect(reasons(fresh.verdicts)).toEqual(["accepted"]);
  });

  it("leaves a file that somebody changed since it was read", async () => {
    const bench = createBench(createTempFolder());
    await bench.commit([createOf("feedback_linter.md", LINTER)]);
    const basis = bench.hash("feedback_linter.md");
    writeFileSync(`${bench.memoryDir}/feedback_linter.md`, "mine now\n");

    const result = await bench.commit([
      {
        op: "update",
        file: "feedback_linter.md",
        basis,
        memory: draft("x", RELEASE),
        evidence: [said("r2", RELEASE)],
      },
    ]);

    expect(reasons(result.verdicts)).toEqual(["changed-since-read"]);
    expect(bench.read("feedback_linter.md")).toBe("mine now\n");
  });

  it("lets an edit win that lands between the judgement and the write (fault 50)", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await bench.commit([createOf("feedback_linter.md", LINTER)]);
    const basis = bench.hash("feedback_linter.md");
    const path = `${bench.memoryDir}/feedback_linter.md`;
    // The journal asks the lock right before a file is written: the last moment to interfere.
    const locks = {
      take: () =>
        Promise.resolve({
          held: () => {
            writeFileSync(path, "the person was faster\n");
            return true;
          },
          lost: new AbortController().signal,
          release: () => Promise.resolve(),
        }),
    };

    const result = await createBench(folder, { locks }).commit([
      {
        op: "update",
        file: "feedback_linter.md",
        basis,
        memory: draft("feedback-linter", RELEASE),
        evidence: [said("r2", RELEASE)],
      },
    ]);

    expect(result.written).toEqual([]);
    expect(reasons(result.verdicts)).toEqual(["changed-since-read"]);
    expect(bench.read("feedback_linter.md")).toBe("the person was faster\n");
  });

  it("writes nothing once the lock is lost", async () => {
    const folder = createTempFolder();
    const locks = {
      take: () =>
        Promise.resolve({ held: () => false, lost: AbortSignal.abort(), release: () => Promise.resolve() }),
    };
    const bench = createBench(folder, { locks });

    await expect(bench.commit([createOf("feedback_linter.md", LINTER)])).rejects.toMatchObject({
      code: "memory-lock-lost",
      disposition: "retry",
    });
    expect(bench.contents()).toEqual({});
  });

  it("says so when another process keeps the folder", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder, { locks: { take: () => Promise.resolve(undefined) } });

    await expect(bench.commit([createOf("feedback_linter.md", LINTER)])).rejects.toMatchObject({
      code: "memory-locked",
    });
  });

  it("works with the real lock and frees it again", async () => {
    const folder = createTempFolder();
    const locks = createFileLocks({
      files: createFiles(),
      clock: createClock(),
      folder: folder.at("state", "locks"),
    });
    const bench = createBench(folder, { locks });

    await bench.commit([createOf("feedback_linter.md", LINTER)]);
    const second = await bench.commit([createOf("feedback_release.md", RELEASE)]);

    expect(second.written).toHaveLength(1);
    expect(readdirSync(folder.at("state", "locks")).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  it("keeps images with a secret as a hash only", async () => {
    const bench = createBench(createTempFolder());
    mkdirSync(bench.memoryDir);
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    writeFileSync(
      `${bench.memoryDir}/note.md`,
      `---\nname: note\ndescription: d\ntype: user\n---\n${secret}\n`,
    );

    await bench.commit(
      [{ op: "delete", file: "note.md", basis: bench.hash("note.md"), reason: "forgotten", evidence: [] }],
      { producer: "person" },
    );

    for (const name of readdirSync(bench.stateDir, { recursive: true, withFileTypes: true })) {
      if (name.isFile())
        expect(readFileSync(`${name.parentPath}/${name.name}`, "utf8")).not.toContain(secret);
    }
  });

  it("takes back a whole set that would remove most of the folder (fault 58)", async () => {
    const bench = createBench(createTempFolder());
    const names = ["one", "two", "three", "four", "five", "six"];
    await bench.commit(
      names.map((name) => createOf(`feedback_${name}.md`, `Always mention ${name} pineapples first.`)),
    );
    const before = bench.contents();

    const result = await bench.commit(
      names.slice(0, 4).map((name) => ({
        op: "delete" as const,
        file: `feedback_${name}.md`,
        basis: bench.hash(`feedback_${name}.md`),
        reason: "stale" as const,
        evidence: [said("feedback_six.md", "pineapples first", { by: "memory" })],
      })),
      { producer: "model" },
    );

    expect(new Set(reasons(result.verdicts))).toEqual(new Set(["loss"]));
    expect(bench.contents()).toEqual(before);
  });

  it("keeps projects apart in a folder they share", async () => {
    const bench = createBench(createTempFolder());
    const other = { id: "other-1", key: "-other", root: "/other", agentHome: undefined, present: true };
    await bench.commit([createOf("feedback_linter.md", LINTER)], { sharedFolder: true });

    const same = await bench.commit([createOf("feedback_linter_2.md", LINTER, { recordId: "elsewhere" })], {
      sharedFolder: true,
      project: other,
    });
    const crossing = await bench.commit(
      [
        {
          op: "confirm",
          file: "feedback_linter.md",
          basis: bench.hash("feedback_linter.md"),
          evidence: [said("r5", LINTER)],
        },
      ],
      { sharedFolder: true, project: other },
    );

    expect(reasons(same.verdicts)).toEqual(["accepted"]);
    expect(parseTopicFile(bench.read("feedback_linter_2.md")).origin).toBe("/other");
    expect(reasons(crossing.verdicts)).toEqual(["other-project"]);
  });
});

describe("the folder itself", () => {
  it("works where a link led when it was resolved, and leaves the link (B31a)", async () => {
    const folder = createTempFolder();
    folder.folder("dotfiles/mem/.git");
    symlinkSync(folder.at("dotfiles/mem"), folder.at("memory"));
    const bench = createBench(folder, { memoryDir: folder.at("dotfiles/mem") });

    await bench.commit([createOf("feedback_linter.md", LINTER)]);
    const linked = createBench(folder).commit([createOf("feedback_release.md", RELEASE)]);

    // Whoever chose the folder has resolved its links; one on the path now came since.
    await expect(linked).rejects.toMatchObject({ code: "folder-swapped", disposition: "retry" });
    expect(readdirSync(folder.at("dotfiles/mem"))).toEqual([".git", "MEMORY.md", "feedback_linter.md"]);
    expect(readFileSync(folder.at("memory/feedback_linter.md"), "utf8")).toContain(LINTER);
  });

  it("neither reads nor lists nor replaces links planted inside (B31b, faults 84-86, 88)", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    folder.folder("memory");
    folder.write("home/id_demo", "private");
    symlinkSync(folder.at("home/id_demo"), folder.at("memory/leak.md"));
    symlinkSync(folder.at("home"), folder.at("memory/notes"));
    symlinkSync(folder.at("home/not-there"), folder.at("memory/dangling.md"));
    linkSync(folder.at("home/id_demo"), folder.at("memory/hard.md"));

    const result = await bench.commit([
      createOf("feedback_linter.md", LINTER),
      createOf("leak.md", RELEASE),
      createOf("dangling.md", "Please answer in short sentences."),
      createOf("hard.md", "Tickets start with the letters KX."),
    ]);

    expect(reasons(result.verdicts)).toEqual(["accepted", "unsafe-file", "unsafe-file", "unsafe-file"]);
    expect(bench.read("MEMORY.md")).not.toMatch(/leak|notes|dangling|hard/);
    expect(folder.tree().filter((name) => name.startsWith("home"))).toEqual(["home/", "home/id_demo"]);
    expect(readFileSync(folder.at("home/id_demo"), "utf8")).toBe("private");
  });

  it("refuses every name that leads elsewhere and goes on with the rest (B31c, faults 76-83)", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    const names = [
      "../../../.ssh/authorized_keys",
      `${folder.at("memory")}/../escape.md`,
      "sub/../../x.md",
      "%2e%2e/x.md",
      "．．/x.md",
      "a\0.md",
      "/etc/x.md",
      "notes/new.md",
      "..\\x.md",
      "C:x.md",
      "x.md:stream",
      "line\nbreak.md",
      "esc\u001b.md",
      "bidi\u202e.md",
      "memory.md",
      "MEMORY.md",
      "x.md.",
      "x.md ",
      ".git/hooks/x.md",
      ".hidden.md",
      "plain.txt",
    ];

    const result = await bench.commit([
      ...names.map((file, at) => createOf(file, LINTER, { recordId: `r${at}` })),
      createOf("feedback_release.md", RELEASE),
    ]);

    const allowed = new Set(["bad-path", "bad-name", "not-a-memory-file"]);
    expect(
      reasons(result.verdicts)
        .slice(0, -1)
        .filter((reason) => !allowed.has(reason)),
    ).toEqual([]);
    expect(reasons(result.verdicts).at(-1)).toBe("accepted");
    expect(folder.tree().filter((name) => !name.startsWith("state/"))).toEqual([
      "memory/",
      "memory/MEMORY.md",
      "memory/feedback_release.md",
    ]);
  });

  it.skipIf(process.getuid?.() === 0)(
    "names a folder it cannot write and leaves it as it is (B31d)",
    async () => {
      const folder = createTempFolder();
      const bench = createBench(folder);
      folder.folder("memory");
      chmodSync(bench.memoryDir, 0o555);

      await expect(bench.commit([createOf("feedback_linter.md", LINTER)])).rejects.toMatchObject({
        code: "memory-unwritable",
        disposition: "retry",
        message: expect.stringContaining(bench.memoryDir),
      });
      chmodSync(bench.memoryDir, 0o700);
      await bench.commit([createOf("feedback_linter.md", LINTER)]);

      expect(Object.keys(bench.contents())).toEqual(["MEMORY.md", "feedback_linter.md"]);
    },
  );

  it("makes a removed folder again, private, and the journal says so (fault 20)", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await bench.commit([createOf("feedback_linter.md", LINTER)]);
    rmSync(bench.memoryDir, { recursive: true });

    await bench.commit([createOf("feedback_release.md", RELEASE)], { run: "after-removal" });

    expect(statSync(bench.memoryDir).mode & 0o777).toBe(0o700);
    const [folderId] = readdirSync(`${bench.stateDir}/journal`);
    const entry = readFileSync(`${bench.stateDir}/journal/${folderId}/after-removal.json`, "utf8");
    expect(JSON.parse(entry)).toMatchObject({ madeFolder: true });
  });

  it("refuses an index that is a link and writes nothing (fault 87)", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    folder.folder("memory");
    folder.write("elsewhere.md", "- not yours\n");
    symlinkSync(folder.at("elsewhere.md"), folder.at("memory/MEMORY.md"));

    await expect(bench.commit([createOf("feedback_linter.md", LINTER)])).rejects.toMatchObject({
      code: "unsafe-file",
    });

    expect(readdirSync(bench.memoryDir)).toEqual(["MEMORY.md"]);
    expect(readFileSync(folder.at("elsewhere.md"), "utf8")).toBe("- not yours\n");
  });

  it("parks a folder whose path leads elsewhere than before (fault 90)", async () => {
    const folder = createTempFolder();
    const bench = createBench(folder);
    await bench.commit([createOf("feedback_linter.md", LINTER)]);
    rmSync(bench.memoryDir, { recursive: true });
    folder.folder("trap");
    symlinkSync(folder.at("trap"), bench.memoryDir);

    await expect(bench.commit([createOf("feedback_release.md", RELEASE)])).rejects.toMatchObject({
      code: "folder-swapped",
    });

    expect(readdirSync(folder.at("trap"))).toEqual([]);
  });

  it.each([0o000, 0o022, 0o077, 0o277])(
    "gives files 0600 and folders 0700 under umask %o (fault 120)",
    async (umask) => {
      const folder = createTempFolder();
      const bench = createBench(folder);
      const before = process.umask(umask);
      try {
        await bench.commit([createOf("feedback_linter.md", LINTER)]);
      } finally {
        process.umask(before);
      }

      for (const path of folder.tree()) {
        const wanted = path.endsWith("/") ? 0o700 : 0o600;
        expect([path, statSync(folder.at(path)).mode & 0o777]).toEqual([path, wanted]);
      }
    },
  );
});
