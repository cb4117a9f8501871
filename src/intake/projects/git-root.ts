// The canonical root of the repository a folder lies in, shared by its worktrees. From files only: never
// runs git, never trusts a pointer that the repository it names does not confirm.
import { basename, dirname, join, resolve } from "node:path";
import { isInside } from "../../system/paths.ts";
import type { Probe } from "./probe.ts";

/** Folder levels walked up; genuine trees stay below 40, `PATH_MAX` allows 2048. */
const LEVELS_MAX = 256;
/** A `.git`, `commondir` or `gitdir` file holds one path. */
const POINTER_BYTES_MAX = 8 * 1024;
/** A repository's config; beyond it the repository counts as one without a config. */
const CONFIG_BYTES_MAX = 256 * 1024;

/** Where an agent puts the worktrees it makes itself. */
const AGENT_WORKTREE = /\/\.claude\/worktrees\/[^/]+/;

/**
 * Root of the repository around an existing folder (a real path), undefined outside any. `$HOME` and its
 * ancestors are roots only for sessions started right there: a dotfiles repository unites nothing.
 */
export function repositoryRoot(
  probe: Probe,
  { start, homes }: { readonly start: string; readonly homes: readonly string[] },
): string | undefined {
  let folder = start;
  for (let level = 0; level < LEVELS_MAX; level++) {
    if (folder !== start && coversHome(folder, homes)) return undefined;
    const root = rootHere(probe, folder);
    if (root !== undefined) return root !== start && coversHome(root, homes) ? folder : root;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/** Whether a folder is the home folder or holds it. */
export function coversHome(folder: string, homes: readonly string[]): boolean {
  return homes.some((home) => isInside(home, folder));
}

/** Path of a removed worktree's repository as the path itself tells it; undefined when it tells nothing. */
export function withoutAgentWorktree(path: string): string | undefined {
  const found = AGENT_WORKTREE.exec(path);
  return found === null || found.index === 0 ? undefined : path.slice(0, found.index);
}

/** Nearest folder above `path` that exists; undefined when only `/` does. */
export function existingAncestor(probe: Probe, path: string): string | undefined {
  let folder = dirname(path);
  for (let level = 0; level < LEVELS_MAX && folder !== dirname(folder); level++) {
    if (probe.kind(folder) === "folder") return probe.real(folder);
    folder = dirname(folder);
  }
  return undefined;
}

/** Git's own folder (index, HEAD) for a working tree; undefined when there is none or its pointer is broken. */
export function gitFolderOf(probe: Probe, tree: string): string | undefined {
  const entry = join(tree, ".git");
  const kind = probe.kind(entry);
  if (kind === "folder") return entry;
  return kind === "file" ? pointedFolder(probe, entry) : undefined;
}

function rootHere(probe: Probe, folder: string): string | undefined {
  const entry = join(folder, ".git");
  const kind = probe.kind(entry);
  if (kind === "folder") return folder;
  if (kind === "file") return rootBehindPointer(probe, folder);
  return isGitStore(probe, folder) ? (mainTree(probe, folder) ?? folder) : undefined;
}

/** A folder whose `.git` is a file: a linked worktree, a submodule, or a tree with its store elsewhere. */
function rootBehindPointer(probe: Probe, folder: string): string {
  const gitFolder = pointedFolder(probe, join(folder, ".git"));
  if (gitFolder === undefined) return outerRoot(probe, folder);
  const common = pathIn(probe, join(gitFolder, "commondir"), gitFolder);
  const store = common === undefined ? undefined : probe.real(common);
  // No commondir: a submodule, or a store kept apart; both are projects of their own.
  if (store === undefined || !confirms(probe, { folder, gitFolder, store })) return folder;
  return mainTree(probe, store) ?? store;
}

/** A broken pointer inside an agent's own worktree folder still tells which repository it was cut from. */
function outerRoot(probe: Probe, folder: string): string {
  const outer = withoutAgentWorktree(folder);
  return outer !== undefined && probe.kind(join(outer, ".git")) === "folder" ? outer : folder;
}

/**
 * Whether the repository knows this worktree. Without the check any checkout could claim to belong to
 * another project and feed its memory. A back pointer to a path that is gone is a worktree that was moved.
 */
function confirms(
  probe: Probe,
  { folder, gitFolder, store }: { folder: string; gitFolder: string; store: string },
): boolean {
  if (dirname(gitFolder) !== join(store, "worktrees")) return false;
  const back = pathIn(probe, join(gitFolder, "gitdir"), gitFolder);
  if (back === undefined) return false;
  const known = probe.real(back);
  return known === undefined || known === probe.real(join(folder, ".git"));
}

/** Main working tree of a repository's store; undefined for a bare one that nothing points to. */
function mainTree(probe: Probe, store: string): string | undefined {
  if (basename(store) === ".git") return dirname(store);
  const configured = configuredTree(probe, store);
  const candidates = configured === undefined ? [dirname(store)] : [configured, dirname(store)];
  return candidates.find((tree) => {
    const entry = join(tree, ".git");
    return probe.kind(entry) === "file" && pointedFolder(probe, entry) === store;
  });
}

/** A bare repository or a store: what git itself looks for. A `.git` folder belongs to the tree around it. */
function isGitStore(probe: Probe, folder: string): boolean {
  return (
    basename(folder) !== ".git" &&
    probe.kind(join(folder, "HEAD")) === "file" &&
    probe.kind(join(folder, "objects")) === "folder" &&
    probe.kind(join(folder, "refs")) === "folder"
  );
}

function pointedFolder(probe: Probe, pointer: string): string | undefined {
  const line = firstLine(probe, pointer);
  if (line === undefined || !line.startsWith("gitdir:")) return undefined;
  const target = line.slice("gitdir:".length).trim();
  if (target === "") return undefined;
  const path = resolve(dirname(pointer), target);
  return probe.kind(path) === "folder" ? probe.real(path) : undefined;
}

function pathIn(probe: Probe, file: string, base: string): string | undefined {
  const line = firstLine(probe, file);
  return line === undefined || line === "" ? undefined : resolve(base, line);
}

function firstLine(probe: Probe, path: string): string | undefined {
  const line = probe.text(path, POINTER_BYTES_MAX)?.split("\n", 1)[0]?.trim();
  return line === undefined || line.includes("\0") ? undefined : line;
}

/** `core.worktree` of a store, as submodules have it. */
function configuredTree(probe: Probe, store: string): string | undefined {
  const text = probe.text(join(store, "config"), CONFIG_BYTES_MAX) ?? "";
  let inCore = false;
  let value: string | undefined;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line.startsWith("[")) inCore = /^\[core\]/i.test(line);
    const found = inCore ? /^worktree *= *(.+)$/i.exec(line) : null;
    if (found?.[1] !== undefined) value = found[1];
  }
  if (value === undefined || value.includes("\0")) return undefined;
  const path = resolve(store, value.replace(/^"(.*)"$/, "$1"));
  return probe.kind(path) === "folder" ? probe.real(path) : undefined;
}
