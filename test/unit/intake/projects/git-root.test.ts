import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gitFolderOf, repositoryRoot } from "../../../../src/intake/projects/git-root.ts";
import { createProbe } from "../../../../src/intake/projects/probe.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";
import { createGit } from "./git.ts";
import type { Git } from "./git.ts";

const probe = createProbe(createFiles());

let scratch: TempFolder;
let git: Git;
beforeEach(() => {
  scratch = createTempFolder();
  scratch.folder("home");
  git = createGit(scratch);
});

function rootOf(start: string): string | undefined {
  return repositoryRoot(probe, { start, homes: [scratch.at("home")] });
}

describe("repositoryRoot", () => {
  it("is the folder that holds .git, from any folder below, also from inside .git", () => {
    const shop = git.repository("home/shop");
    mkdirSync(join(shop, "src/deep"), { recursive: true });

    expect(rootOf(shop)).toBe(shop);
    expect(rootOf(join(shop, "src/deep"))).toBe(shop);
    expect(rootOf(join(shop, ".git"))).toBe(shop);
    expect(rootOf(join(shop, ".git/hooks"))).toBe(shop);
    expect(rootOf(scratch.folder("home/notes"))).toBeUndefined();
  });

  it("is the main working tree for linked worktrees, inside or beside the repository", () => {
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", ".claude/worktrees/fix1");
    git.run(shop, "worktree", "add", "--quiet", "../shop-wt");
    mkdirSync(scratch.at("home/shop-wt/src"));

    expect(rootOf(join(shop, ".claude/worktrees/fix1"))).toBe(shop);
    expect(rootOf(scratch.at("home/shop-wt/src"))).toBe(shop);
  });

  it("still finds the main working tree of a worktree that was moved by hand", () => {
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", "../wt");
    renameSync(scratch.at("home/wt"), scratch.at("home/moved"));

    expect(rootOf(scratch.at("home/moved"))).toBe(shop);
  });

  it("shares one root among the worktrees of a bare repository", () => {
    const shop = git.repository("home/shop");
    git.run(scratch.path, "clone", "--quiet", "--bare", shop, "home/x.git");
    for (const name of ["a", "b"])
      git.run(scratch.at("home/x.git"), "worktree", "add", "--quiet", "-b", name, `../${name}`);

    expect(rootOf(scratch.at("home/a"))).toBe(scratch.at("home/x.git"));
    expect(rootOf(scratch.at("home/b"))).toBe(scratch.at("home/x.git"));
    expect(rootOf(scratch.at("home/x.git/refs"))).toBe(scratch.at("home/x.git"));
  });

  it.each([".bare", ".git"])("uses the folder around a bare repository kept in %s", (store) => {
    const shop = git.repository("home/shop");
    scratch.folder("home/app");
    git.run(scratch.path, "clone", "--quiet", "--bare", shop, `home/app/${store}`);
    if (store === ".bare") scratch.write("home/app/.git", "gitdir: ./.bare\n");
    git.run(
      scratch.at("home/app", store),
      "worktree",
      "add",
      "--quiet",
      "-b",
      "one",
      scratch.at("home/app/one"),
    );

    expect(rootOf(scratch.at("home/app/one"))).toBe(scratch.at("home/app"));
    expect(rootOf(scratch.at("home/app"))).toBe(scratch.at("home/app"));
  });

  it("keeps a submodule and its worktrees apart from the repository around it", () => {
    const lib = git.repository("home/lib");
    const shop = git.repository("home/shop");
    git.run(shop, "submodule", "--quiet", "add", lib, "vendor/lib");
    const inside = join(shop, "vendor/lib");
    git.run(inside, "worktree", "add", "--quiet", scratch.at("home/lib-wt"));

    expect(rootOf(inside)).toBe(inside);
    expect(rootOf(scratch.at("home/lib-wt"))).toBe(inside);
    expect(rootOf(join(shop, ".git/modules/vendor/lib"))).toBe(inside);
    expect(gitFolderOf(probe, inside)).toBe(join(shop, ".git/modules/vendor/lib"));
  });

  it("keeps a repository whose store lies elsewhere", () => {
    scratch.folder("stores");
    git.run(
      scratch.path,
      "init",
      "--quiet",
      "--separate-git-dir",
      scratch.at("stores/shop"),
      scratch.folder("home/shop"),
    );

    expect(rootOf(scratch.at("home/shop"))).toBe(scratch.at("home/shop"));
  });

  it("believes no pointer that the repository does not confirm", () => {
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", "../wt");
    const evil = scratch.folder("home/evil");
    writeFileSync(join(evil, ".git"), `gitdir: ${join(shop, ".git/worktrees/wt")}\n`);
    const own = scratch.folder("home/evil2");
    scratch.write("home/evil2/store/commondir", `${join(shop, ".git")}\n`);
    scratch.write("home/evil2/store/gitdir", `${join(own, ".git")}\n`);
    writeFileSync(join(own, ".git"), "gitdir: store\n");

    expect(rootOf(evil)).toBe(evil);
    expect(rootOf(own)).toBe(own);
  });

  it("believes no core.worktree that does not point back", () => {
    const shop = git.repository("home/shop");
    git.run(scratch.path, "clone", "--quiet", "--bare", shop, "home/evil.git");
    git.run(scratch.at("home/evil.git"), "config", "core.worktree", shop);

    expect(rootOf(scratch.at("home/evil.git"))).toBe(scratch.at("home/evil.git"));
  });

  it.each([
    "",
    "gitdir:",
    "gitdir: /nowhere/at/all",
    "gitdir: .git",
    "nonsense",
    "gitdir: \0",
    "gitdir: ../..",
    "x".repeat(20_000),
  ])("takes a folder with a broken pointer for its own root (%#)", (content) => {
    scratch.write("home/odd/.git", content);
    scratch.folder("home/odd/sub");

    expect(rootOf(scratch.at("home/odd/sub"))).toBe(scratch.at("home/odd"));
  });

  it("finds the repository of an agent's worktree whose pointer broke", () => {
    const shop = git.repository("home/shop");
    scratch.write("home/shop/.claude/worktrees/old/.git", "gitdir: /gone/.git/worktrees/old\n");

    expect(rootOf(join(shop, ".claude/worktrees/old"))).toBe(shop);
  });

  it("does not follow pointers in a circle", () => {
    scratch.write("home/a/.git", "gitdir: ../b\n");
    scratch.write("home/b/.git", "gitdir: ../a\n");
    scratch.write("home/a/commondir", "../b\n");
    scratch.write("home/b/commondir", "../a\n");
    symlinkSync(scratch.at("home/loop"), scratch.at("home/loop"));
    mkdirSync(scratch.at("home/c"));
    symlinkSync(scratch.at("home/loop"), scratch.at("home/c/.git"));

    expect(rootOf(scratch.at("home/a"))).toBe(scratch.at("home/a"));
    expect(rootOf(scratch.at("home/c"))).toBeUndefined();
  });

  it("lets neither the home folder nor what holds it unite the folders below", () => {
    git.repository(".");
    git.repository("home");
    for (const name of ["notes", "tax"]) scratch.folder(`home/${name}`);

    expect(rootOf(scratch.at("home/notes"))).toBeUndefined();
    expect(rootOf(scratch.at("home/tax"))).toBeUndefined();
    expect(rootOf(scratch.at("home"))).toBe(scratch.at("home"));
    expect(rootOf(scratch.folder("elsewhere"))).toBeUndefined();
  });

  it("keeps a worktree of a dotfiles repository out of the home folder", () => {
    const home = git.repository("home");
    git.run(home, "worktree", "add", "--quiet", "dots-wt");

    expect(rootOf(scratch.at("home/dots-wt"))).toBe(scratch.at("home/dots-wt"));
  });

  it("gives up on absurd depth instead of climbing without end", () => {
    git.repository("home/shop");
    const deep = scratch.folder(`home/shop/${"d/".repeat(400)}`);

    expect(rootOf(deep)).toBeUndefined();
  });

  it("does not mind a repository that vanishes", () => {
    const shop = git.repository("home/shop");
    git.run(shop, "worktree", "add", "--quiet", "../wt");
    rmSync(shop, { recursive: true });

    expect(rootOf(scratch.at("home/wt"))).toBe(scratch.at("home/wt"));
  });
});
