import { mkdirSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRef } from "../../../../src/domain/sessions.ts";
import type { Projects } from "../../../../src/intake/projects/identity.ts";
import { projectKey } from "../../../../src/intake/projects/key.ts";
import { createMemoryFolders } from "../../../../src/intake/projects/memory-folder.ts";
import type { MemoryFoldersOptions } from "../../../../src/intake/projects/memory-folder.ts";
import { claudeSession, createFixture } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";
import { createGit } from "./git.ts";

let fixture: Fixture;
let projects: Projects;
beforeEach(() => {
  fixture = createFixture();
  projects = fixture.open();
});

function folders(options: Partial<MemoryFoldersOptions> = {}) {
  return createMemoryFolders({
    files: fixture.files,
    paths: { home: fixture.home, dataDir: fixture.scratch.at("data") },
    claudeHomes: [fixture.claudeHome],
    env: {},
    register: projects.register,
    managedSettings: fixture.scratch.at("managed.json"),
    ...options,
  });
}

function session(cwd: string, agentHome = fixture.claudeHome): ProjectRef {
  return claudeSession(projects, { cwd, agentHome });
}

function codexSession(cwd: string): ProjectRef {
  return projects.resolve({
    cwd,
    transcriptFolder: "/x/2026/11/30",
    agentHome: fixture.scratch.at("home/.codex"),
  });
}

function claudeFolder(root: string): string {
  return join(fixture.claudeHome, "projects", projectKey(root), "memory");
}

describe("the folder of a project on this machine", () => {
  it("lies in Claude's home below the key of the root, whatever folder the transcripts lie in", () => {
    const git = createGit(fixture.scratch);
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", "../wt");

    const folder = folders().folderFor(session(fixture.scratch.at("home/wt")));

    expect(folder).toEqual({
      dir: claudeFolder(shop),
      beside: false,
      source: "chosen",
      parked: undefined,
      warnings: [],
    });
  });

  it("is the same for an agent without a place of its own", () => {
    const shop = fixture.scratch.folder("home/shop");

    expect(folders().folderFor(codexSession(shop)).dir).toBe(claudeFolder(shop));
  });

  it("lies in our data folder for a person without Claude", () => {
    rmSync(fixture.claudeHome, { recursive: true });
    const shop = fixture.scratch.folder("home/shop");

    const { dir, beside } = folders().folderFor(codexSession(shop));

    expect(dir).toBe(fixture.scratch.at("data/projects", projectKey(shop), "memory"));
    expect(beside).toBe(false);
  });

  it("stays where memories are, and the better home is named", () => {
    rmSync(fixture.claudeHome, { recursive: true });
    const shop = fixture.scratch.folder("home/shop");
    const { dir } = folders().folderFor(codexSession(shop));
    mkdirSync(dir, { recursive: true });
    projects.save();

    mkdirSync(fixture.claudeHome);
    projects = fixture.open();
    const later = folders().folderFor(codexSession(shop));

    expect(later.dir).toBe(dir);
    expect(later.warnings).toMatchObject([{ code: "better_memory_home" }]);
    expect(later.warnings[0]?.message).toContain(claudeFolder(shop));
  });

  it("moves on by itself only while nothing was ever written", () => {
    rmSync(fixture.claudeHome, { recursive: true });
    const shop = fixture.scratch.folder("home/shop");
    folders().folderFor(codexSession(shop));

    mkdirSync(fixture.claudeHome);

    expect(folders().folderFor(codexSession(shop))).toMatchObject({ dir: claudeFolder(shop), warnings: [] });
  });

  it("is not given up while Claude's home is away", () => {
    const shop = fixture.scratch.folder("home/shop");
    const ref = session(shop);
    folders().folderFor(ref);
    projects.save();
    rmSync(fixture.claudeHome, { recursive: true });

    projects = fixture.open();

    expect(folders().folderFor(codexSession(shop)).dir).toBe(claudeFolder(shop));
  });

  it("lies in the home whose sessions it has", () => {
    const work = fixture.scratch.folder("home/.claude-work");
    const claudeHomes = [fixture.claudeHome, work];
    projects = fixture.open({ claudeHomes });
    const shop = fixture.scratch.folder("home/shop");

    const [here, there] = [session(shop), session(shop, work)].map((ref) =>
      folders({ claudeHomes }).folderFor(ref),
    );

    expect(here?.dir).toBe(claudeFolder(shop));
    expect(there?.dir).toBe(join(work, "projects", projectKey(shop), "memory"));
  });

  it("is where a person moved it", () => {
    const ref = session(fixture.scratch.folder("home/shop"));
    const moved = fixture.scratch.folder("home/vault/mem");
    folders().move(ref, moved);
    projects.save();

    projects = fixture.open();

    expect(folders().folderFor(ref)).toMatchObject({ dir: moved, parked: undefined });
  });

  it("is not made up for a project nobody has seen", () => {
    const stranger = { id: "x-1", key: "-x", root: "/x", agentHome: undefined, present: false };

    expect(() => folders().folderFor(stranger)).toThrow(/not a project/);
  });
});

describe("the folder of a project that is not here", () => {
  it("is the memory beside its transcripts", () => {
    const ref = session("/nowhere/ana/shop");

    expect(folders().folderFor(ref)).toMatchObject({ dir: claudeFolder("/nowhere/ana/shop"), beside: true });
  });

  it("is the repository's for a worktree whose transcripts lie elsewhere (B14)", () => {
    const ref = session("/nowhere/ana/shop/.claude/worktrees/fix1");

    expect(folders().folderFor(ref)).toMatchObject({ dir: claudeFolder("/nowhere/ana/shop"), beside: true });
  });

  it("is beside them under whatever name the folder has, and when no path is known at all", () => {
    const transcriptFolder = join(fixture.claudeHome, "projects/fixed_name");
    const agentHome = fixture.claudeHome;
    const named = projects.resolve({ cwd: "/nowhere/x", transcriptFolder, agentHome });
    const nameless = projects.resolve({ cwd: "", transcriptFolder: `${transcriptFolder}2`, agentHome });

    expect(folders().folderFor(named).dir).toBe(join(transcriptFolder, "memory"));
    expect(folders().folderFor(nameless).dir).toBe(join(`${transcriptFolder}2`, "memory"));
  });

  it("is ours when the agent has no folder per project", () => {
    const { dir, beside } = folders().folderFor(codexSession("/nowhere/shop"));

    expect({ dir, beside }).toEqual({
      dir: fixture.scratch.at("data/projects/-nowhere-shop/memory"),
      beside: false,
    });
  });

  it("never shares one of ours with another project", () => {
    const dirs = ["my_app", "my-app", "my.app"].map(
      (name) => folders().folderFor(codexSession(`/nowhere/${name}`)).dir,
    );

    expect(new Set(dirs).size).toBe(3);
  });

  it("is one for both spellings of a drive", () => {
    const dirs = ["C:\\git\\x", "c:\\git\\x"].map((cwd) => folders().folderFor(session(cwd)).dir);

    expect(dirs[0]).toBe(join(fixture.claudeHome, "projects/C--git-x/memory"));
    expect(dirs[1]).toBe(dirs[0]);
  });
});

describe("a key too long for its root", () => {
  const root = `/nowhere/${"long/".repeat(60)}end`;
  const prefix = projectKey(root).slice(0, 200);

  /** A session of an agent whose folders say nothing, in a home that has Claude's. */
  function longProject(): string {
    const ref = projects.resolve({
      cwd: join(root, ".claude/worktrees/w"),
      transcriptFolder: join(fixture.claudeHome, "projects/elsewhere"),
      agentHome: fixture.claudeHome,
    });
    const cwds: Record<string, string> = {
      [`${prefix}-other1`]: `${root}-not`,
      [`${prefix}-zzz`]: `${root}/`,
    };
    const cwdOf = (folder: string) => cwds[folder.slice(join(fixture.claudeHome, "projects/").length)];
    return folders({ cwdOf }).folderFor(ref).dir;
  }

  it("is ours when nothing is there", () => {
    expect(longProject()).toBe(claudeFolder(root));
  });

  it("is the folder whose transcripts name the root, whatever hash it has", () => {
    for (const hash of ["aaa", "other1", "zzz"])
      fixture.scratch.folder(`home/.claude/projects/${prefix}-${hash}`);

    expect(longProject()).toBe(join(fixture.claudeHome, `projects/${prefix}-zzz/memory`));
  });

  it("is a folder that names none, rather than a new one", () => {
    for (const hash of ["aaa", "other1"]) fixture.scratch.folder(`home/.claude/projects/${prefix}-${hash}`);

    expect(longProject()).toBe(join(fixture.claudeHome, `projects/${prefix}-aaa/memory`));
  });

  it("is never the folder of another root with the same beginning", () => {
    fixture.scratch.folder(`home/.claude/projects/${prefix}-other1`);

    expect(longProject()).toBe(claudeFolder(root));
  });
});

describe("overrides", () => {
  it("follow the agent's order: whole path, settings, other base", () => {
    const ref = session(fixture.scratch.folder("home/shop"));
    const [whole, base] = ["whole", "base"].map((name) => fixture.scratch.at(name));
    const env = { CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: whole, CLAUDE_CODE_REMOTE_MEMORY_DIR: base };
    fixture.scratch.write("home/.claude/settings.json", '{"autoMemoryDirectory":"~/vault"}');

    const first = folders({ env }).folderFor(ref);
    const second = folders({ env: { ...env, CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: "mem" } }).folderFor(ref);
    rmSync(join(fixture.claudeHome, "settings.json"));
    const third = folders({ env: { CLAUDE_CODE_REMOTE_MEMORY_DIR: base } }).folderFor(ref);

    expect(first).toMatchObject({ dir: whole, source: "environment", warnings: [] });
    expect(second).toMatchObject({ dir: fixture.scratch.at("home/vault"), source: "user" });
    expect(second.warnings).toMatchObject([{ code: "memory_directory_refused" }]);
    expect(third.dir).toBe(join(base ?? "", "projects", ref.key, "memory"));
  });

  it("are taken from the strongest trusted setting that is usable", () => {
    const ref = session(fixture.scratch.folder("home/shop"));
    fixture.scratch.write("managed.json", '{"autoMemoryDirectory":"relative"}');
    fixture.scratch.write("home/shop/.claude/settings.local.json", '{"autoMemoryDirectory":"~/local"}');
    fixture.scratch.write("home/.claude/settings.json", '{"autoMemoryDirectory":"~/user"}');

    const folder = folders().folderFor(ref);

    expect(folder).toMatchObject({ dir: fixture.scratch.at("home/local"), source: "local" });
    expect(folder.warnings).toHaveLength(1);
  });

  it("of a repository are reported and never followed (fault 93)", () => {
    const ref = session(createGit(fixture.scratch).repository("home/shop"));
    fixture.scratch.write("home/shop/.claude/settings.json", '{"autoMemoryDirectory":"~/.ssh"}');

    const folder = folders().folderFor(ref);

    expect(folder.dir).toBe(claudeFolder(ref.root));
    expect(folder.warnings).toMatchObject([{ code: "repository_memory_directory" }]);
  });

  it.each(["~/.ssh", "/", "~", "~/.gnupg/x", "~/.claude/skills"])(
    "to %s are refused and the next source is used (fault 94)",
    (value) => {
      const ref = session(fixture.scratch.folder("home/shop"));
      fixture.scratch.write("home/.claude/settings.json", JSON.stringify({ autoMemoryDirectory: value }));

      const folder = folders().folderFor(ref);

      expect(folder).toMatchObject({ dir: claudeFolder(ref.root), source: "chosen", parked: undefined });
      expect(folder.warnings).toMatchObject([{ code: "memory_directory_refused" }]);
    },
  );

  it("that lead to keys through a link are parked", () => {
    const ref = session(fixture.scratch.folder("home/shop"));
    symlinkSync(fixture.scratch.folder("home/.ssh"), fixture.scratch.at("home/vault"));
    fixture.scratch.write("home/.claude/settings.json", '{"autoMemoryDirectory":"~/vault/mem"}');

    const folder = folders().folderFor(ref);

    expect(folder.parked).toContain(".ssh");
    // Not even read: the path with its link in it opens nothing.
    expect(folder.dir).toBe(fixture.scratch.at("home/vault/mem"));
  });
});

describe("a memory folder that is a link (B31)", () => {
  function linked(target: string): ProjectRef {
    const ref = session(fixture.scratch.folder("home/shop"));
    symlinkSync(target, claudeFolder(ref.root));
    return ref;
  }

  it("is followed once and stays a link", () => {
    const vault = fixture.scratch.folder("home/dotfiles/mem");
    const ref = linked(vault);

    const folder = folders().folderFor(ref);

    expect(folder).toMatchObject({ dir: vault, parked: undefined, warnings: [] });
  });

  it("is parked when it leads elsewhere later, also after a restart, until a person says so", () => {
    const vault = fixture.scratch.folder("home/dotfiles/mem");
    const ref = linked(vault);
    folders().folderFor(ref);
    projects.save();
    unlinkSync(claudeFolder(ref.root));
    const other = fixture.scratch.folder("home/other");
    symlinkSync(other, claudeFolder(ref.root));

    projects = fixture.open();
    const parked = folders().folderFor(ref);
    folders().move(ref, claudeFolder(ref.root));

    expect(parked).toMatchObject({ dir: vault, parked: expect.stringContaining(vault) });
    expect(parked.warnings).toMatchObject([{ code: "memory_folder_parked" }]);
    expect(folders().folderFor(ref)).toMatchObject({ dir: other, parked: undefined });
  });

  it("is parked when it leads to keys, nowhere, in a circle or to a file", () => {
    fixture.scratch.folder("home/.ssh");
    fixture.scratch.write("home/file", "");
    const ref = session(fixture.scratch.folder("home/shop"));
    const link = claudeFolder(ref.root);

    for (const target of [".ssh", "nothing", "file"]
      .map((name) => fixture.scratch.at("home", name))
      .concat(link)) {
      symlinkSync(target, link);
      expect(folders().folderFor(ref).parked).toBeDefined();
      unlinkSync(link);
    }

    expect(folders().folderFor(ref).parked).toBeUndefined();
  });
});

describe("collisions", () => {
  it("name three paths with one key and keep three identities (B19)", () => {
    const refs = ["my_app", "my-app", "my.app"].map((name) =>
      session(fixture.scratch.folder(`home/${name}`)),
    );
    const all = folders();
    const dirs = refs.map((ref) => all.folderFor(ref).dir);

    const warnings = all.collisions();

    expect(new Set(refs.map(({ id }) => id)).size).toBe(3);
    expect(new Set(dirs).size).toBe(1);
    expect(warnings).toHaveLength(1);
    for (const ref of refs) expect(warnings[0]?.message).toContain(ref.root);
  });

  it("name siblings whose names have equally many characters outside ASCII (B20)", () => {
    const refs = ["新聞", "暫存"].map((name) => session(fixture.scratch.folder(`home/work/${name}`)));
    const all = folders();
    for (const ref of refs) all.folderFor(ref);

    expect(refs[0]?.id).not.toBe(refs[1]?.id);
    expect(all.collisions()[0]?.message).toMatch(/新聞.*暫存|暫存.*新聞/);
  });

  it("are seen where a path and a name with a dash meet (B19)", () => {
    const refs = ["spec-rl", "spec/rl"].map((name) => session(`/nowhere/ana/${name}`));
    const all = folders();
    for (const ref of refs) all.folderFor(ref);

    expect(all.collisions()).toHaveLength(1);
  });
});
