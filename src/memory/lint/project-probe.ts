// Answers whether something a memory names is there in the project. Looks at names inside the root and reads manifests;
// follows no link, leaves the root never, runs nothing, and says "unknown" wherever it did not see everything.
import { isAbsolute, join } from "node:path";
import { fieldOf, fieldsOf, parseJson } from "../../domain/json.ts";
import { PROJECT_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { isInside } from "../../system/paths.ts";
import type { Answer, ProjectProbe } from "./facts.ts";
import { once } from "./once.ts";

/** Folders that are not walked: history, and what others made. */
const PASSED_OVER = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"]);
/** Files that name what a project depends on. */
const MANIFESTS = new Set([
  "package.json",
  "pyproject.toml",
  "requirements.txt",
  "requirements-dev.txt",
  "setup.py",
  "setup.cfg",
  "Pipfile",
  "Cargo.toml",
  "go.mod",
  "Gemfile",
  "composer.json",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "mix.exs",
  "pubspec.yaml",
  "deno.json",
  "deno.jsonc",
  "environment.yml",
]);
const MAKEFILES = new Set(["Makefile", "makefile", "GNUmakefile"]);

/** Undefined: the root is not on this machine, or nobody may look into it. */
export function createProjectProbe(files: Files, root: string): ProjectProbe | undefined {
  const ground = attempt(() => files.real(root));
  if (ground === undefined || attempt(() => files.look(ground))?.kind !== "folder") return undefined;
  const tree = once(() => walk(files, ground));
  const texts = once(() => readManifests(files, { ground, tree: tree() }));
  return {
    hasPath: (path) => hasPath(path, { files, ground, root, tree }),
    hasScript: (name) => scriptAnswer(name, texts()),
    hasTarget: (name) => targetAnswer(name, texts()),
    hasPackage: (name) => (isOwnPackage(name, tree()) ? "yes" : packageAnswer(name, texts())),
  };
}

interface Tree {
  /** Paths of all entries from the root, by their last part. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly isWhole: boolean;
  /** What lies behind a link, perhaps outside, nobody looks at. */
  readonly hasLinks: boolean;
}

/** Where the code of a project usually is: a path that begins so is one of this project. */
const USUAL = new Set(
  (
    "src lib libs test tests docs doc app apps packages pkg cmd internal scripts script config configs components tools " +
    "modules services migrations assets static server client web api core crates examples include infra deploy .github"
  ).split(" "),
);

function walk(files: Files, ground: string): Tree {
  const byName = new Map<string, string[]>();
  const folders = [""];
  let count = 0;
  let [isWhole, hasLinks] = [true, false];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const place = join(ground, folder);
    const entries = attempt(() => files.entries(place));
    if (entries === undefined) {
      isWhole = false;
      continue;
    }
    for (const entry of entries) {
      count += 1;
      if (count > PROJECT_LIMITS.entriesMax) return { byName, hasLinks, isWhole: false };
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const known = byName.get(entry.name);
      if (known === undefined) byName.set(entry.name, [path]);
      else known.push(path);
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) folders.push(path);
      else if (!entry.isDirectory() && !entry.isFile()) hasLinks = true;
    }
  }
  return { byName, isWhole, hasLinks };
}

interface PathAsk {
  readonly files: Files;
  readonly ground: string;
  readonly root: string;
  tree(): Tree;
}

function hasPath(path: string, { files, ground, root, tree }: PathAsk): Answer {
  const wanted = relativeTo(path, [root, ground]);
  if (wanted === undefined) return "unknown";
  const parts = wanted.split("/");
  if (parts.includes("..") || parts.includes("")) return "unknown";
  for (let length = 1; length <= parts.length; length += 1) {
    const facts = lookAt(files, join(ground, ...parts.slice(0, length)));
    if (facts === "unknown") return "unknown";
    if (facts === undefined) break;
    // A link on the way may lead out; one at the end is there, wherever it leads.
    if (length < parts.length && facts.kind === "link") return "unknown";
    if (length === parts.length) return "yes";
  }
  if (isAbsolute(path)) return "no";
  const { byName, isWhole, hasLinks } = tree();
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if ((byName.get(last) ?? []).some((known) => known.endsWith(`/${wanted}`))) return "yes";
  const isAnchored = byName.get(first)?.includes(first) === true;
  // Else it may be a path of another project, or of a part of this one that is linked.
  const isOurs = isAnchored || (!hasLinks && (USUAL.has(first) || byName.has(first)));
  return isWhole && isOurs ? "no" : "unknown";
}

function relativeTo(path: string, roots: readonly string[]): string | undefined {
  if (!isAbsolute(path)) return path.replace(/^\.\//u, "");
  const root = roots.find((each) => isInside(path, each) && path !== each);
  return root === undefined ? undefined : path.slice(root.length).replace(/^\/+/u, "");
}

function lookAt(files: Files, path: string) {
  try {
    return files.look(path);
  } catch {
    // A folder nobody may look into: what is in it is not known.
    return "unknown" as const;
  }
}

interface Manifest {
  readonly name: string;
  /** Undefined: there, and not readable within its bound. */
  readonly text: string | undefined;
}

interface Manifests {
  readonly found: readonly Manifest[];
  /** No manifest was passed over. */
  readonly isWhole: boolean;
}

function readManifests(
  files: Files,
  { ground, tree }: { readonly ground: string; readonly tree: Tree },
): Manifests {
  const paths = [...MANIFESTS, ...MAKEFILES].flatMap((name) =>
    (tree.byName.get(name) ?? []).map((path) => ({ name, path })),
  );
  const read = paths.slice(0, PROJECT_LIMITS.manifestsMax).map(({ name, path }): Manifest => {
    const place = join(ground, path);
    const isPlain = attempt(() => files.look(place))?.kind === "file";
    const content = isPlain ? attempt(() => files.read(place, PROJECT_LIMITS.manifestBytesMax)) : undefined;
    return { name, text: content?.toString("utf8") };
  });
  const isWhole =
    tree.isWhole && read.length === paths.length && read.every(({ text }) => text !== undefined);
  return { found: read, isWhole };
}

function scriptAnswer(name: string, { found, isWhole }: Manifests): Answer {
  const manifests = found.filter((each) => each.name === "package.json");
  const scripts = manifests.map(({ text }) => scriptsIn(text));
  if (scripts.some((names) => names?.includes(name) === true)) return "yes";
  return isWhole && manifests.length > 0 && scripts.every((names) => names !== undefined) ? "no" : "unknown";
}

function scriptsIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const manifest = fieldsOf(parseJson(text));
  if (manifest === undefined) return undefined;
  const scripts = fieldOf(manifest, "scripts") ?? {};
  return typeof scripts === "object" ? Object.keys(scripts) : undefined;
}

function targetAnswer(name: string, { found, isWhole }: Manifests): Answer {
  const makefiles = found.filter((each) => MAKEFILES.has(each.name));
  const texts = makefiles.flatMap(({ text }) => text ?? []);
  const isNamed = texts.some((text) => text.split("\n").some((line) => targetsIn(line).includes(name)));
  if (isNamed) return "yes";
  // Included files, patterns and computed names make targets nobody sees here.
  const isPlain = texts.every(
    (text) => !/^(?:-?include|sinclude)\b|^[^#\t]*[%$][^=]*:|\beval\b/mu.test(text),
  );
  return isWhole && texts.length > 0 && isPlain ? "no" : "unknown";
}

function targetsIn(line: string): readonly string[] {
  const head = /^([^\s#:=][^#:=]*)::?(?!=)/u.exec(line)?.[1];
  return head === undefined ? [] : head.trim().split(/\s+/u);
}

/** In Go, Python or Java a package is a folder or a file of the project. */
function isOwnPackage(name: string, { byName }: Tree): boolean {
  const last = name.split(/[./]/u).at(-1) ?? name;
  const isThere = (each: string) =>
    [each, `${each}.py`, `${each}.go`, `${each}.rs`, `${each}.ts`, `${each}.js`].some((entry) =>
      byName.has(entry),
    );
  return [name, last, last.replaceAll("-", "_"), last.replaceAll("_", "-")].some(isThere);
}

/** A name that stands nowhere in any manifest is none of a dependency, of a workspace or of an alias. */
function packageAnswer(name: string, { found, isWhole }: Manifests): Answer {
  const manifests = found.filter((each) => MANIFESTS.has(each.name));
  const wanted = name.toLowerCase();
  const folded = wanted.replace(/[._-]+/gu, "-");
  const isNamed = manifests.some(({ text = "" }) => {
    const lower = text.toLowerCase();
    return lower.includes(wanted) || lower.replace(/[._-]+/gu, "-").includes(folded);
  });
  if (isNamed) return "yes";
  return isWhole && manifests.length > 0 ? "no" : "unknown";
}

/** Undefined for whatever fails: what cannot be looked at is not known. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
