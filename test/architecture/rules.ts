// The rules of the source tree. Each takes a tree and answers its findings as `path:line: why`.
import type { Import, SourceFile, SourceTree } from "./source.ts";
import { folderOf, lineAt } from "./source.ts";

export type Rule = (tree: SourceTree) => string[];

/** Rooms from the ground up; rooms of one row do not know each other. */
const ROOMS: readonly (readonly string[])[] = [
  ["domain"],
  ["system"],
  ["config"],
  ["intake", "memory"],
  ["learn"],
  ["serve"],
  ["app"],
  ["daemon"],
  ["cli"],
  ["main"],
];

/** Folders inside a room, in the same notation. Files of the room itself stand above its folders. */
const INSIDE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  intake: [["transcripts", "projects"], ["agents"], ["watch", "queue"]],
  memory: [["secrets"], ["files"], ["gate"], ["lint"], ["journal"], ["inbox"]],
  learn: [["models", "offline"], ["runs"], ["jobs"]],
  serve: [["client"], ["control"], ["deliver", "triggers"], ["answers"]],
};

/** Rooms that have no lower room than the first may import nothing but the ones below; checked by row. */
export const roomOrder: Rule = ({ files }) =>
  eachImport(files, (file, { target }) => {
    if (target === undefined || target.startsWith("..")) return undefined;
    const [from, to] = [roomOf(file.path), roomOf(target)];
    if (rowOf(ROOMS, from) === -1) return `the room "${from}" is not in the order of rooms`;
    return from === to || rowOf(ROOMS, to) < rowOf(ROOMS, from) ? undefined : `${from} must not know ${to}`;
  });

export const orderInsideRooms: Rule = ({ files }) =>
  eachImport(files, (file, { target }) => {
    const room = roomOf(file.path);
    const rows = INSIDE[room];
    if (rows === undefined || target === undefined || roomOf(target) !== room) return undefined;
    const [from, to] = [secondPart(file.path), secondPart(target)];
    if (from === to || from === undefined) return undefined;
    if (rowOf(rows, from) === -1) return `the folder "${room}/${from}" is not in the order inside ${room}`;
    if (to === undefined) return `${room}/${from} must not know files that stand above it in ${room}`;
    return rowOf(rows, to) < rowOf(rows, from) ? undefined : `${room}/${from} must not know ${room}/${to}`;
  });

/** Type-only imports count: a type lives in the lowest folder that owns its meaning. */
export const noCycles: Rule = ({ files }) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const findings: string[] = [];
  const visit = (file: SourceFile, trail: readonly string[]): void => {
    const start = trail.indexOf(file.path);
    if (start !== -1) {
      findings.push(`${[...trail.slice(start), file.path].join(" -> ")}: a circle of imports`);
      return;
    }
    if (done.has(file.path)) return;
    for (const { target } of file.imports) {
      const next = target === undefined ? undefined : byPath.get(target);
      if (next !== undefined) visit(next, [...trail, file.path]);
    }
    done.add(file.path);
  };
  for (const file of files) visit(file, []);
  return findings;
};

/** Extension points: what grows there does not know its neighbours. Commands are files, the rest are folders. */
const SIBLINGS: readonly RegExp[] = [
  /^(intake\/agents)\/([^/]+)\//,
  // `cli/` is no provider: it is what those share that run a program.
  /^(learn\/models)\/(?!cli\/)([^/]+)\//,
  /^(learn\/jobs)\/([^/]+)\//,
  /^(memory\/gate\/rules)\/([^/]+)\.ts$/,
  /^(memory\/lint\/findings)\/([^/]+)\.ts$/,
  /^(cli)\/([^/]+)\.ts$/,
];
/** The files of an extension point that list the others. */
const LISTS: ReadonlySet<string> = new Set([
  "registry",
  "registry-care",
  "registry-service",
  "index",
  "program",
  "commands",
]);

export const noSideways: Rule = ({ files }) =>
  eachImport(files, (file, { target }) => {
    for (const pattern of SIBLINGS) {
      const from = pattern.exec(file.path);
      const to = pattern.exec(target ?? "");
      if (from === null || to === null || from[2] === to[2] || LISTS.has(from[2] ?? "")) continue;
      return `${from[1]}/${from[2]} must not know its neighbour ${to[2]}; shared code moves up`;
    }
    return undefined;
  });

/** Node modules without effects; free everywhere above `domain`. */
const PURE_MODULES: ReadonlySet<string> = new Set([
  "node:path",
  "node:url",
  "node:util",
  "node:string_decoder",
]);
/** Where else than in `system/` a module with effects may be imported. */
const MODULE_HOMES: Readonly<Record<string, readonly string[]>> = {
  "node:net": ["serve/client/", "serve/control/"],
  "node:http": ["serve/control/"],
  "node:os": ["main.ts"],
};

export const nodeModulesAtTheEdge: Rule = ({ files }) =>
  eachImport(files, (file, { specifier }) => {
    if (!specifier.startsWith("node:")) return undefined;
    if (file.path.startsWith("domain/")) return `domain imports nothing of Node, found ${specifier}`;
    if (PURE_MODULES.has(specifier) || file.path.startsWith("system/")) return undefined;
    const homes = MODULE_HOMES[specifier] ?? [];
    return homes.some((home) => file.path.startsWith(home)) ? undefined : `${specifier} belongs to system/`;
  });

interface Effect {
  readonly pattern: RegExp;
  readonly homes: readonly string[];
  readonly why: string;
}

const EFFECTS: readonly Effect[] = [
  {
    pattern: /(?<![.\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bAbortSignal\.timeout\b/g,
    homes: ["system/"],
    why: "timers go through the injected clock",
  },
  {
    pattern:
      /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(|\bperformance\.now\b|\bprocess\.(?:hrtime|uptime)\b/g,
    homes: ["system/"],
    why: "time comes from the injected clock",
  },
  {
    pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/g,
    homes: ["system/"],
    why: "randomness lives in system/ids.ts",
  },
  {
    pattern: /\bprocess\.(?:env|exit|exitCode|argv|on|once|abort|chdir)\b/g,
    // The clock makes Node ask for the time zone again; there is no other way.
    homes: ["main.ts", "system/clock.ts"],
    why: "only main.ts deals with the process",
  },
  {
    pattern: /\bprocess\.(?:stdout|stderr|stdin)\b/g,
    homes: ["main.ts", "cli/render/"],
    why: "printing lives in cli/render",
  },
  { pattern: /(?<![.\w])console\b/g, homes: [], why: "nothing uses console" },
  { pattern: /(?<![.\w])eval\(|\bnew Function\b/g, homes: [], why: "nothing is evaluated" },
];

export const effectsAtTheEdge: Rule = ({ files }) =>
  EFFECTS.flatMap(({ pattern, homes, why }) =>
    files
      .filter((file) => !homes.some((home) => file.path.startsWith(home)))
      .flatMap((file) =>
        matches(file, pattern).map(({ line, found }) => `${file.path}:${line}: ${found}: ${why}`),
      ),
  );

/** A call whose first argument is no plain string (blanked here), a level that is looked up, a method taken off. */
const LOG_CALLS =
  /\blog\??\.(?:debug|info|warn|error)\((?!\s*"[^"]*"\s*[,)])\s*\S*|\blog\??\.?\[|\}\s*=\s*(?:\w+\.)*log\b(?!\.)/g;
/** Hands on names of events, which are constants too. */
const EVENT_LOG = "serve/triggers/event-log.ts";

/** What differs belongs into fields, which are scrubbed and bounded, and equal messages can be counted. */
export const constantLogMessages: Rule = ({ files }) =>
  files
    .filter(({ path }) => path !== EVENT_LOG)
    .flatMap((file) =>
      matches(file, LOG_CALLS).map(
        ({ line, found }) => `${file.path}:${line}: ${found}: a log message is a constant text`,
      ),
    );

/** Replacing a package touches one file. */
export const oneHomePerPackage: Rule = ({ files }) => {
  const homes = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { specifier, target } of file.imports) {
      if (target !== undefined || specifier.startsWith("node:")) continue;
      const name = packageOf(specifier);
      homes.set(name, (homes.get(name) ?? new Set()).add(file.path));
    }
  }
  return [...homes]
    .filter(([, users]) => users.size > 1)
    .map(([name, users]) => `${[...users].join(", ")}: "${name}" has more than one importing file`);
};

/** Only what `package.json` installs for users may be imported. */
export function onlyDependencies(dependencies: ReadonlySet<string>): Rule {
  return ({ files }) =>
    eachImport(files, (file, { specifier, target }) => {
      if (target !== undefined || specifier.startsWith("node:")) return undefined;
      if (file.path.startsWith("domain/")) return `domain uses no package, found ${specifier}`;
      return dependencies.has(packageOf(specifier)) ? undefined : `"${specifier}" is not a dependency`;
    });
}

/** The version is read from the package file; everything else is TypeScript. */
const PACKAGE_FILE = "../package.json";

export const importsNameTypeScript: Rule = ({ files }) =>
  eachImport(files, (_file, { specifier, target }) => {
    if (target === undefined || target === PACKAGE_FILE) return undefined;
    if (target.startsWith("..")) return `${specifier} leads out of src`;
    return specifier.endsWith(".ts") ? undefined : `${specifier} must end in .ts`;
  });

const FILE_LINES_MAX = 400;
const IMPORTS_MAX = 14;
/** The places where everything is wired together. */
const WIRING: readonly string[] = ["app", "daemon"];
/** A table that names every file of its kind imports as many as there are. */
const TABLE = "cli/registry.ts";

export const smallFiles: Rule = ({ files }) =>
  files.flatMap((file) => {
    const lines = file.text.split("\n").length - 1;
    return lines > FILE_LINES_MAX ? [`${file.path}:1: ${lines} lines, at most ${FILE_LINES_MAX}`] : [];
  });

export const fewImports: Rule = ({ files }) =>
  files.flatMap((file) => {
    const modules = new Set(file.imports.map((one) => one.specifier)).size;
    const exempt = WIRING.includes(roomOf(file.path)) || file.path === TABLE;
    return modules > IMPORTS_MAX && !exempt
      ? [`${file.path}:1: imports ${modules} modules, at most ${IMPORTS_MAX}`]
      : [];
  });

const SHAPES: readonly { readonly pattern: RegExp; readonly why: string; readonly except?: RegExp }[] = [
  { pattern: /^export default\b|\bas default\b/gm, why: "named exports only" },
  { pattern: /^(?:export )?(?:let|var)\b/gm, why: "no module-level mutable state" },
  { pattern: /^export (?:type )?(?:\*|\{[^}]*\}) from\b/gm, why: "no barrels", except: /(?:^|\/)index\.ts$/ },
  { pattern: /^(?:export )?(?:const )?enum\b/gm, why: "unions instead of enums" },
  { pattern: /\bclass\b(?! \w+ extends \w*Error\b)[^\n]*/g, why: "the only classes are errors" },
  { pattern: /\bnamespace \w+ \{/g, why: "no namespaces" },
];

export const plainShapes: Rule = ({ files }) =>
  SHAPES.flatMap(({ pattern, why, except }) =>
    files
      .filter((file) => except === undefined || !except.test(file.path))
      .flatMap((file) =>
        matches(file, pattern).map(({ line, found }) => `${file.path}:${line}: ${found}: ${why}`),
      ),
  );

/** Words that say nothing about what a file is for. */
const EMPTY_WORDS: ReadonlySet<string> = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "common",
  "manager",
  "data",
  "info",
  "misc",
  "shared",
  "interfaces",
  "types",
]);

export const tellingNames: Rule = ({ files }) =>
  files.flatMap(({ path }) =>
    path
      .replace(/\.ts$/, "")
      .split("/")
      .flatMap((part) => {
        if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(part)) return [`${path}:1: "${part}" is not kebab-case`];
        const empty = part.split("-").find((word) => EMPTY_WORDS.has(word));
        return empty === undefined ? [] : [`${path}:1: "${empty}" says nothing about the file`];
      }),
  );

const HEADER_LINES_MAX = 3;

/** The first lines say what the file is responsible for and what it must never do. */
export const headerComment: Rule = ({ files }) =>
  files.flatMap((file) => {
    const lines = file.text.split("\n");
    const first = lines[0]?.startsWith("#!") === true ? 1 : 0;
    let count = 0;
    while (lines[first + count]?.startsWith("//") === true) count++;
    if (count >= 1 && count <= HEADER_LINES_MAX) return [];
    return [`${file.path}:1: starts with ${count} comment lines, wanted 1 to ${HEADER_LINES_MAX}`];
  });

export const readmePerFolder: Rule = ({ folders, readmes }) =>
  folders.flatMap((folder) => (readmes.has(folder) ? [] : [`${folder}/README.md:1: missing`]));

/** A README that forgets a neighbour misleads the newcomer it is for. */
export const readmeListsRooms: Rule = ({ folders, readmes }) => {
  const text = readmes.get("") ?? "";
  return folders
    .filter((folder) => folder !== "" && !folder.includes("/") && !text.includes(`${folder}/`))
    .map((folder) => `README.md:1: does not mention ${folder}/`);
};

/** Rooms whose files follow a pattern the page states once: one file a command, one a rule. */
const PATTERNED = new Set(["", "cli", "memory/gate/rules"]);

/** A page that forgets a file sends the newcomer to the wrong one. */
export const readmeNamesFiles: Rule = ({ files, readmes }) =>
  files.flatMap(({ path }) => {
    const folder = folderOf(path);
    const name = path.slice(folder === "" ? 0 : folder.length + 1);
    if (PATTERNED.has(folder) || (readmes.get(folder) ?? name).includes(name)) return [];
    return [`${folder}/README.md:1: does not name ${name}`];
  });

function eachImport(
  files: readonly SourceFile[],
  check: (file: SourceFile, one: Import) => string | undefined,
): string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((one) => {
      const why = check(file, one);
      return why === undefined ? [] : [`${file.path}:${one.line}: ${why}`];
    }),
  );
}

function matches(file: SourceFile, pattern: RegExp): { line: number; found: string }[] {
  return [...file.code.matchAll(pattern)].map((match) => ({
    line: lineAt(file.code, match.index),
    found: match[0].trim(),
  }));
}

/** First folder, or the stem of a file at the top. */
function roomOf(path: string): string {
  return path.split("/")[0]?.replace(/\.ts$/, "") ?? "";
}

/** The folder right inside a room; undefined for a file of the room itself. */
function secondPart(path: string): string | undefined {
  return folderOf(path).split("/")[1];
}

function rowOf(rows: readonly (readonly string[])[], name: string): number {
  return rows.findIndex((row) => row.includes(name));
}

function packageOf(specifier: string): string {
  const [first = "", second = ""] = specifier.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
