// Real temporary folders, one per call, removed after the test that made them.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface TempFolder {
  /** Real path (no links), absolute. */
  readonly path: string;
  /** Absolute path of a name or relative path inside. */
  at(...parts: string[]): string;
  /** Writes a file with its parent folders; answers its absolute path. */
  write(name: string, content: string | Buffer): string;
  /** Makes a folder with its parents; answers its absolute path. */
  folder(name: string): string;
  /** Sorted relative paths of everything below, folders with a trailing slash. Links are not followed. */
  tree(): string[];
}

/** Must be called inside a test or a `beforeEach`; the folder goes when that test has finished. */
export function createTempFolder(): TempFolder {
  const folder = createKeptFolder();
  onTestFinished(() => removeTree(folder.path));
  return folder;
}

/** A folder whose owner removes it with `removeTree` (shared by a whole file through `afterAll`). */
export function createKeptFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "engramd-test-")));
  const at = (...parts: string[]) => join(path, ...parts);
  return {
    path,
    at,
    write(name, content) {
      const target = at(name);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    },
    folder(name) {
      mkdirSync(at(name), { recursive: true });
      return at(name);
    },
    tree: () => listTree(path),
  };
}

/** Removes a tree even where a test took permissions away. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}

function listTree(root: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const relative = join(entry.parentPath, entry.name).slice(root.length + 1);
    found.push(entry.isDirectory() ? `${relative}/` : relative);
  }
  return found.sort();
}
