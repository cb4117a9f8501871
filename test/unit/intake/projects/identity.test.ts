import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Projects } from "../../../../src/intake/projects/identity.ts";
import type { Files } from "../../../../src/system/files.ts";
import { claudeSession, createFixture } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";
import { createGit } from "./git.ts";

let fixture: Fixture;
let projects: Projects;
beforeEach(() => {
  fixture = createFixture();
  projects = fixture.open();
});

function session(cwd: string, agentHome = fixture.claudeHome) {
  return claudeSession(projects, { cwd, agentHome });
}

describe("folders on this machine", () => {
  it("are one project for a repository, its folders and its worktrees", () => {
    const git = createGit(fixture.scratch);
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", "../wt");
    mkdirSync(join(shop, "src"));

    const refs = [shop, join(shop, "src"), fixture.scratch.at("home/wt")].map((cwd) => session(cwd));

    expect(new Set(refs.map(({ id }) => id)).size).toBe(1);
    expect(refs[0]).toMatchObject({ root: shop, present: true, agentHome: fixture.claudeHome });
    expect(projects.known()).toHaveLength(1);
  });

  it("are what a link leads to", () => {
    const shop = fixture.scratch.folder("home/shop");
    symlinkSync(shop, fixture.scratch.at("home/link"));

    expect(session(fixture.scratch.at("home/link"))).toEqual(session(shop));
  });

  it("keep a home that is a repository from uniting what lies in it", () => {
    createGit(fixture.scratch).repository("home");
    const [notes, tax] = ["notes", "tax"].map((name) => session(fixture.scratch.folder(`home/${name}`)));
    const home = session(fixture.home);
    const top = session("/");

    expect(new Set([notes?.id, tax?.id, home.id, top.id]).size).toBe(4);
    expect(home.root).toBe(fixture.home);
    expect(top).toMatchObject({ root: "/", key: "-", present: true });
  });

  it("stay two where only letter case differs and the disk has both", () => {
    const upper = session(fixture.scratch.folder("home/Code"));
    const lower = session(fixture.scratch.folder("home/code"));

    expect(upper.id).not.toBe(lower.id);
  });

  it("are one where the disk says that two spellings in another case are one folder", () => {
    const caseless: Files = caselessFiles(fixture.files);
    const code = fixture.scratch.folder("home/code");
    projects = fixture.open({ files: caseless });

    const first = session(code);
    const second = session(fixture.scratch.at("home/Code"));

    expect(second).toEqual(first);
  });

  it("are one in composed and decomposed spelling", () => {
    const name = fixture.scratch.at("home/한글");
    fixture.scratch.folder("home/한글");
    projects = fixture.open({ files: composingFiles(fixture.files) });

    expect(session(name.normalize("NFD"))).toEqual(session(name));
  });

  it("stay two where the disk really holds both spellings", () => {
    const composed = session(fixture.scratch.folder("home/é"));
    const decomposed = session(fixture.scratch.folder("home/é".normalize("NFD")));

    expect(decomposed.id).not.toBe(composed.id);
    expect(decomposed.key).toBe(composed.key);
    expect(session(fixture.scratch.at("home/é"))).toEqual(composed);
  });

  it("are noticed to have become a repository", () => {
    const sub = fixture.scratch.folder("home/app/sub");
    const before = session(sub);

    createGit(fixture.scratch).repository("home/app");
    projects.recheck();
    const after = session(sub);

    expect(before.root).toBe(sub);
    expect(after.root).toBe(fixture.scratch.at("home/app"));
  });

  it("are looked at again when they are replaced, without being told", () => {
    const sub = fixture.scratch.folder("home/app");
    const before = session(sub);

    rmSync(sub, { recursive: true });
    const gone = session(sub);
    writeFileSync(fixture.scratch.at("home/spare"), "");
    fixture.scratch.folder("home/app");
    const back = session(sub);

    expect([before.present, gone.present, back.present]).toEqual([true, false, true]);
    expect(new Set([before.id, gone.id, back.id]).size).toBe(1);
  });

  it("are never opened when that is not allowed, and are not called gone for good", () => {
    const documents = fixture.scratch.folder("home/Documents/shop");
    const asked: string[] = [];
    projects = fixture.open({
      files: spyingFiles(fixture.files, asked),
      mayOpen: (path) => !path.includes("/Documents"),
    });

    expect(session(documents)).toMatchObject({ root: documents, present: false });
    expect(asked.filter((path) => path.includes("Documents/"))).toEqual([]);
  });

  it("are never merged, whatever their names", () => {
    const name = fc.stringMatching(/^[aAbB.é_-]{1,3}$/).filter((text) => !/^\.+$/.test(text));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), (names) => {
        const refs = names.map((each) => session(fixture.scratch.folder(`home/p/${each}`)));

        expect(new Set(refs.map(({ id }) => id)).size).toBe(names.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe("folders that are gone", () => {
  it("belong to the repository their worktree path names (B14)", () => {
    const git = createGit(fixture.scratch);
    const shop = git.repository("home/shop");

    expect(session(join(shop, ".claude/worktrees/fix1/src"))).toEqual(session(shop));
  });

  it("belong to it even when the repository itself is not here (B14)", () => {
    const worktree = session("/nowhere/ana/shop/.claude/worktrees/fix1");
    const main = session("/nowhere/ana/shop");

    expect(worktree.id).toBe(main.id);
    expect(main).toMatchObject({ root: "/nowhere/ana/shop", present: false });
  });

  it("belong to the repository around the nearest folder that is left", () => {
    const shop = createGit(fixture.scratch).repository("home/shop");

    expect(session(join(shop, "old/module")).root).toBe(shop);
  });

  it("are remembered across a restart as what they were", () => {
    const git = createGit(fixture.scratch);
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", "../wt");
    const before = session(fixture.scratch.at("home/wt"));
    projects.save();
    rmSync(fixture.scratch.at("home/wt"), { recursive: true });

    projects = fixture.open();

    expect(session(fixture.scratch.at("home/wt"))).toEqual(before);
  });

  it("do not join a repository around them that they never belonged to", () => {
    const nested = createGit(fixture.scratch).repository("home/shop/nested");
    createGit(fixture.scratch).repository("home/shop");
    const before = session(nested);
    rmSync(nested, { recursive: true });

    expect(session(nested).id).toBe(before.id);
  });

  it("keep their identity when renamed; the new name is a project of its own", () => {
    const shop = fixture.scratch.folder("home/shop");
    const before = session(shop);
    renameSync(shop, fixture.scratch.at("home/store"));

    expect(session(shop)).toMatchObject({ id: before.id, present: false });
    expect(session(fixture.scratch.at("home/store")).id).not.toBe(before.id);
  });

  it("are no part of a home that is a repository", () => {
    createGit(fixture.scratch).repository("home");

    expect(session(fixture.scratch.at("home/gone/x")).root).toBe(fixture.scratch.at("home/gone/x"));
    expect(session(fixture.scratch.at("home/.claude/worktrees/y")).root).toBe(
      fixture.scratch.at("home/.claude/worktrees/y"),
    );
  });
});

describe("paths of other machines (B24)", () => {
  it("fold the drive letter and nothing else", () => {
    const cwds = [
      "C:\\git\\ai-p",
      "c:\\git\\ai-p",
      "/mnt/c/git/ai-p",
      "\\\\wsl$\\Ubuntu\\home\\ana\\x",
      "C:\\git\\AI-P",
    ];
    const ids = cwds.map((cwd) => session(cwd).id);

    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
  });

  it("are never opened here", () => {
    const asked: string[] = [];
    projects = fixture.open({ files: spyingFiles(fixture.files, asked) });
    for (const cwd of ["C:\\git\\x", "\\\\wsl$\\U\\x", "//host/x"]) {
      projects.resolve({ cwd, transcriptFolder: "/t", agentHome: fixture.claudeHome });
      projects.resolve({ cwd, transcriptFolder: "/t", agentHome: fixture.claudeHome });
    }

    expect(asked.filter((path) => /git|wsl|host/.test(path.slice(fixture.home.length)))).toEqual([]);
  });

  it("are kept apart per agent home", () => {
    const other = fixture.scratch.folder("mnt/b/.claude");
    projects = fixture.open({ claudeHomes: [fixture.claudeHome, other] });

    const a = session("/workspaces/app");
    const b = session("/workspaces/app", other);
    const c = session("/workspaces/app", fixture.scratch.at("mnt/c/.codex"));

    expect(new Set([a.id, b.id, c.id]).size).toBe(3);
    expect([a.agentHome, b.agentHome]).toEqual([fixture.claudeHome, other]);
  });
});

describe("several agents", () => {
  it("share the project of a folder on this machine, in whatever order they come", () => {
    const [one, two] = ["one", "two"].map((name) => fixture.scratch.folder(`home/${name}`)) as [
      string,
      string,
    ];
    const codex = fixture.scratch.at("home/.codex");

    const codexFirst = [session(one, codex), session(one)];
    const claudeFirst = [session(two), session(two, codex)];

    expect(codexFirst[0]).toEqual(codexFirst[1]);
    expect(claudeFirst[0]).toEqual(claudeFirst[1]);
    expect(claudeFirst[0]?.agentHome).toBe(fixture.claudeHome);
  });

  it("never mix two Claude homes, and others join the one that has the sessions", () => {
    const work = fixture.scratch.folder("home/.claude-work");
    const shop = fixture.scratch.folder("home/shop");
    const tax = fixture.scratch.folder("home/tax");
    projects = fixture.open({ claudeHomes: [fixture.claudeHome, work] });

    const privately = session(shop);
    const atWork = session(shop, work);
    const onlyWork = session(tax, work);

    expect(privately.id).not.toBe(atWork.id);
    expect(session(tax, fixture.scratch.at("home/.codex"))).toEqual(onlyWork);
  });

  it("work without any Claude home", () => {
    const shop = fixture.scratch.folder("home/shop");
    projects = fixture.open({ claudeHomes: [] });

    const codex = session(shop, fixture.scratch.at("home/.codex"));
    const gemini = session(shop, fixture.scratch.at("home/.gemini"));

    expect(gemini).toEqual(codex);
  });
});

describe("sessions without a usable path", () => {
  it.each(["", "shop", "/a\0b"])("belong to what their folder was used for before (%#)", (cwd) => {
    const shop = session(fixture.scratch.folder("home/shop"));
    const transcriptFolder = join(fixture.claudeHome, "projects", shop.key);

    expect(projects.resolve({ cwd, transcriptFolder, agentHome: fixture.claudeHome }).id).toBe(shop.id);
    expect(projects.ofFolder(transcriptFolder)?.id).toBe(shop.id);
  });

  it("are no project by themselves when nothing is known, and never decode the folder's name (B14)", () => {
    const transcriptFolder = join(fixture.claudeHome, "projects/-home-ana-shop");

    expect(projects.ofFolder(transcriptFolder)).toBeUndefined();
    expect(projects.known()).toEqual([]);
    expect(projects.resolve({ cwd: "", transcriptFolder, agentHome: fixture.claudeHome }).root).toBe(
      transcriptFolder,
    );
  });

  it("are not guessed into one of several projects that share the folder (B19)", () => {
    for (const name of ["my_app", "my-app"]) session(`/nowhere/ana/${name}`);

    expect(projects.ofFolder(join(fixture.claudeHome, "projects/-nowhere-ana-my-app"))).toBeUndefined();
  });
});

describe("resolve", () => {
  it("answers from memory with three looks at the disk", () => {
    const asked: string[] = [];
    const shop = fixture.scratch.folder("home/shop");
    projects = fixture.open({ files: spyingFiles(fixture.files, asked) });
    const first = session(shop);
    asked.length = 0;

    const second = session(shop);

    expect(second).toEqual(first);
    expect(asked).toHaveLength(3);
  });

  it("has an answer for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (cwd) => {
        const place = { cwd, transcriptFolder: "/t/x", agentHome: fixture.claudeHome };

        expect(projects.resolve(place)).toEqual(projects.resolve(place));
      }),
    );
  });

  it("survives loops and forbidden folders", () => {
    symlinkSync(fixture.scratch.at("home/loop"), fixture.scratch.at("home/loop"));

    expect(session(fixture.scratch.at("home/loop/x"))).toMatchObject({ present: false });
  });
});

/** A disk that ignores letter case below the scratch folder, as the tests spell it in lower case. */
function caselessFiles(files: Files): Files {
  const lower = (path: string) => path.replace(/home\/Code/, "home/code");
  return {
    ...files,
    follow: (path) => files.follow(lower(path)),
    real: (path) => (files.real(lower(path)) === undefined ? undefined : path),
  };
}

/** A disk that finds a name in either Unicode form and answers in the form it was asked. */
function composingFiles(files: Files): Files {
  return {
    ...files,
    follow: (path) => files.follow(path.normalize("NFC")),
    real: (path) => (files.real(path.normalize("NFC")) === undefined ? undefined : path),
  };
}

function spyingFiles(files: Files, asked: string[]): Files {
  const spy =
    <T>(ask: (path: string) => T) =>
    (path: string) => {
      asked.push(path);
      return ask(path);
    };
  return {
    ...files,
    look: spy((path) => files.look(path)),
    follow: spy((path) => files.follow(path)),
    real: spy((path) => files.real(path)),
    names: spy((path) => files.names(path)),
    openRead: spy((path) => files.openRead(path)),
  };
}
