// The rules that stop you. Each is run over the real tree and over an invented one that breaks it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as rules from "./architecture/rules.ts";
import type { Rule } from "./architecture/rules.ts";
import { createTree, readTree } from "./architecture/source.ts";

const ROOT = join(import.meta.dirname, "..");
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);
const dependencies = new Set(Object.keys(manifest.dependencies));

interface Case {
  readonly title: string;
  readonly rule: Rule;
  /** Trees that break the rule, and a part of what must be said about each. */
  readonly bad: readonly (readonly [Readonly<Record<string, string>>, string])[];
  /** A tree that comes close and is fine. */
  readonly good: Readonly<Record<string, string>>;
}

const lines = (count: number) => "x;\n".repeat(count);
const imports = (count: number) =>
  Array.from({ length: count }, (_, i) => `import { a${i} } from "./a${i}.ts";`).join("\n");

const CASES: readonly Case[] = [
  {
    title: "a room knows only the rooms below it",
    rule: rules.roomOrder,
    bad: [
      [{ "memory/a.ts": `import { x } from "../intake/b.ts";` }, "memory must not know intake"],
      [{ "domain/a.ts": `import type { X } from "../system/b.ts";` }, "domain must not know system"],
      [{ "system/a.ts": `const x = await import("../cli/b.ts");` }, "system must not know cli"],
      [{ "app.ts": `import { x } from "./daemon.ts";` }, "app must not know daemon"],
      [{ "attic/a.ts": `import { x } from "../domain/b.ts";` }, `"attic" is not in the order`],
      [{ "serve/a.ts": `export { x } from "../main.ts";` }, "serve must not know main"],
    ],
    good: { "learn/a.ts": `import { x } from "../intake/b.ts"; // from "../cli/c.ts"` },
  },
  {
    title: "a folder knows only the folders below it in its room",
    rule: rules.orderInsideRooms,
    bad: [
      [
        { "memory/files/a.ts": `import { x } from "../gate/b.ts";` },
        "memory/files must not know memory/gate",
      ],
      [{ "intake/watch/a.ts": `import { x } from "../queue/b.ts";` }, "watch must not know intake/queue"],
      [{ "intake/attic/a.ts": `import { x } from "../queue/b.ts";` }, "not in the order inside intake"],
      [{ "memory/gate/a.ts": `import { x } from "../memory.ts";` }, "stand above it"],
    ],
    good: {
      "memory/gate/rules/a.ts": `import { x } from "../../files/b.ts"; import { y } from "../c.ts";`,
      "memory/top.ts": `import { x } from "./journal/b.ts";`,
    },
  },
  {
    title: "no imports go in a circle, types included",
    rule: rules.noCycles,
    bad: [
      [
        {
          "domain/a.ts": `import { b } from "./b.ts";`,
          "domain/b.ts": `import type { C } from "./c.ts";`,
          "domain/c.ts": `import type { A } from "./a.ts";`,
        },
        "domain/a.ts -> domain/b.ts -> domain/c.ts -> domain/a.ts",
      ],
    ],
    good: {
      "domain/a.ts": `import { b } from "./b.ts"; import { c } from "./c.ts";`,
      "domain/b.ts": `import { c } from "./c.ts";`,
      "domain/c.ts": "",
    },
  },
  {
    title: "two agents, providers, job kinds, rules or commands do not know each other",
    rule: rules.noSideways,
    bad: [
      [{ "intake/agents/codex/parse.ts": `import { x } from "../pi/parse.ts";` }, "neighbour pi"],
      [{ "learn/jobs/extract/steps.ts": `import { x } from "../dream/due.ts";` }, "neighbour dream"],
      [{ "memory/gate/rules/loss.ts": `import { x } from "./name.ts";` }, "neighbour name"],
      [{ "cli/status.ts": `import { x } from "./sync.ts";` }, "neighbour sync"],
    ],
    good: {
      "intake/agents/registry.ts": `import { x } from "./codex/index.ts";`,
      "intake/agents/codex/index.ts": `import { x } from "./parse.ts"; import { y } from "../tools.ts";`,
      "cli/program.ts": `import { x } from "./status.ts";`,
      "cli/status.ts": `import { x } from "./render/table.ts";`,
    },
  },
  {
    title: "Node's modules with effects are imported at the edge only",
    rule: rules.nodeModulesAtTheEdge,
    bad: [
      [{ "memory/a.ts": `import { readFileSync } from "node:fs";` }, "node:fs belongs to system/"],
      [{ "learn/a.ts": `import { spawn } from "node:child_process";` }, "node:child_process"],
      [{ "serve/answers/a.ts": `import net from "node:net";` }, "node:net"],
      [{ "intake/a.ts": `const { createHash } = await import("node:crypto");` }, "node:crypto"],
      [{ "domain/a.ts": `import { join } from "node:path";` }, "domain imports nothing of Node"],
    ],
    good: {
      "system/a.ts": `import * as fs from "node:fs";`,
      "serve/client/a.ts": `import net from "node:net";`,
      "serve/control/a.ts": `import type { Socket } from "node:net";`,
      "memory/a.ts": `import { join } from "node:path";`,
    },
  },
  {
    title: "time, timers, randomness, the process and printing stay at the edge",
    rule: rules.effectsAtTheEdge,
    bad: [
      [{ "memory/a.ts": `setTimeout(f, 1);` }, "injected clock"],
      [{ "memory/a.ts": `const s = AbortSignal.timeout(5);` }, "injected clock"],
      [{ "memory/a.ts": `const t = Date.now();` }, "time comes from"],
      [{ "memory/a.ts": `const t = new Date( );` }, "time comes from"],
      [{ "memory/a.ts": "const t = `${Date.now()}`;" }, "time comes from"],
      [{ "memory/a.ts": `const r = Math.random();` }, "randomness"],
      [{ "cli/a.ts": `const home = process.env["HOME"];` }, "only main.ts"],
      [{ "daemon.ts": `process.once("SIGTERM", stop);` }, "only main.ts"],
      [{ "cli/a.ts": `process.stdout.write(x);` }, "printing"],
      [{ "system/log.ts": `console.log(x);` }, "nothing uses console"],
      [{ "memory/a.ts": `eval(x);` }, "nothing is evaluated"],
    ],
    good: {
      "system/clock.ts": `setTimeout(f, 1); Date.now();`,
      "main.ts": `process.exit(process.env["X"] ? 1 : 0);`,
      "cli/render/out.ts": `process.stdout.write(x);`,
      "memory/a.ts": `// Date.now()\nconst a = "process.env"; const b = /console/; new Date(at); clock.setTimeout(1);`,
    },
  },
  {
    title: "a log message is a constant, and what differs is a field",
    rule: rules.constantLogMessages,
    bad: [
      [{ "memory/a.ts": "log.info(`${count} files`);" }, "a constant text"],
      [{ "memory/a.ts": "log.info(`plain`);" }, "a constant text"],
      [{ "serve/a.ts": `deps.log.error(message, { a });` }, "a constant text"],
      [{ "serve/a.ts": `deps.log.warn("a " + b);` }, "a constant text"],
      [{ "app.ts": `built.log.error(\n  messageOf(error),\n);` }, "a constant text"],
      [{ "serve/a.ts": `log?.debug(text);` }, "a constant text"],
      [{ "serve/a.ts": `log[level]("a");` }, "a constant text"],
      [{ "serve/a.ts": `const { info } = deps.log;` }, "a constant text"],
    ],
    good: {
      "memory/a.ts": `log.info("a round failed", { error });\nlog.warn(\n  "b",\n  {},\n);\ncatalog.info(x);`,
      "cli/a.ts": `const { log } = parts; const { clock, log: own } = deps;`,
      "serve/triggers/event-log.ts": `log[level](name, payload);`,
    },
  },
  {
    title: "each package has one importing file",
    rule: rules.oneHomePerPackage,
    bad: [
      [
        { "system/a.ts": `import p from "pino";`, "cli/b.ts": `import { x } from "pino/file";` },
        `"pino" has more`,
      ],
      [{ "system/a.ts": `import a from "@x/y";`, "cli/b.ts": `const b = await import("@x/y/z");` }, `"@x/y"`],
    ],
    good: { "system/a.ts": `import p from "pino";`, "cli/b.ts": `import { x } from "commander";` },
  },
  {
    title: "only installed dependencies are imported",
    rule: rules.onlyDependencies(dependencies),
    bad: [
      [{ "system/a.ts": `import fc from "fast-check";` }, "is not a dependency"],
      [{ "domain/a.ts": `import { z } from "zod";` }, "domain uses no package"],
    ],
    good: { "system/a.ts": `import pino from "pino";` },
  },
  {
    title: "relative imports stay in src and name the TypeScript file",
    rule: rules.importsNameTypeScript,
    bad: [
      [{ "cli/a.ts": `import { x } from "./b";` }, "must end in .ts"],
      [{ "cli/a.ts": `import { x } from "./b.js";` }, "must end in .ts"],
      [{ "cli/a.ts": `import { x } from "../../test/b.ts";` }, "leads out of src"],
    ],
    good: { "main.ts": `import manifest from "../package.json" with { type: "json" };` },
  },
  {
    title: "a file has at most 400 lines",
    rule: rules.smallFiles,
    bad: [[{ "cli/a.ts": lines(401) }, "401 lines"]],
    good: { "cli/a.ts": lines(400) },
  },
  {
    title: "a file imports at most 14 modules, the wiring aside",
    rule: rules.fewImports,
    bad: [
      [{ "cli/a.ts": imports(15) }, "imports 15 modules"],
      [{ "cli/frame/registry.ts": imports(15) }, "imports 15 modules"],
    ],
    good: {
      "cli/a.ts": imports(14),
      "daemon.ts": imports(30),
      "app.ts": imports(30),
      "cli/registry.ts": imports(30),
    },
  },
  {
    title: "modules export by name and keep no state",
    rule: rules.plainShapes,
    bad: [
      [{ "cli/a.ts": `export default function a() {}` }, "named exports only"],
      [{ "cli/a.ts": `export { a as default };` }, "named exports only"],
      [{ "cli/a.ts": `let count = 0;` }, "mutable state"],
      [{ "cli/a.ts": `export * from "./b.ts";` }, "no barrels"],
      [{ "cli/a.ts": `export { b } from "./b.ts";` }, "no barrels"],
      [{ "cli/a.ts": `export enum Color { Red }` }, "enums"],
      [{ "cli/a.ts": `export class Store {}` }, "only classes are errors"],
    ],
    good: {
      "domain/errors.ts": `export class AppError extends Error {}`,
      "intake/agents/pi/index.ts": `export { pi } from "./parse.ts";`,
      "cli/a.ts": `function f() {\n  let count = 0;\n}`,
    },
  },
  {
    title: "file names are kebab-case and say what is inside",
    rule: rules.tellingNames,
    bad: [
      [{ "system/file-utils.ts": "" }, `"utils" says nothing`],
      [{ "learn/common/a.ts": "" }, `"common" says nothing`],
      [{ "system/fileLock.ts": "" }, "not kebab-case"],
    ],
    good: { "system/file-lock.ts": "", "memory/files/database-lines.ts": "" },
  },
  {
    title: "a file starts with one to three comment lines",
    rule: rules.headerComment,
    bad: [
      [{ "cli/a.ts": "const a = 1;\n" }, "0 comment lines"],
      [{ "cli/a.ts": "// 1\n// 2\n// 3\n// 4\n" }, "4 comment lines"],
    ],
    good: { "main.ts": "#!/usr/bin/env node\n// Starts it all.\n", "cli/a.ts": "// 1\n// 2\n// 3\nx;" },
  },
  {
    title: "each folder has a README",
    rule: rules.readmePerFolder,
    bad: [[{ "README.md": "", "memory/README.md": "", "memory/gate/a.ts": "" }, "memory/gate/README.md"]],
    good: { "README.md": "", "cli/a.ts": "", "cli/README.md": "" },
  },
  {
    title: "the README of a folder names each of its files",
    rule: rules.readmeNamesFiles,
    bad: [[{ "memory/README.md": "`a.ts`", "memory/a.ts": "", "memory/b.ts": "" }, "does not name b.ts"]],
    good: {
      "memory/README.md": "`a.ts`",
      "memory/a.ts": "",
      "cli/README.md": "one file a command",
      "cli/b.ts": "",
    },
  },
  {
    title: "the README of src lists every room",
    rule: rules.readmeListsRooms,
    bad: [[{ "README.md": "only `cli/`", "cli/a.ts": "", "memory/a.ts": "" }, "does not mention memory/"]],
    good: { "README.md": "`cli/`, `memory/`", "cli/a.ts": "", "memory/a.ts": "" },
  },
];

describe("the source tree", () => {
  const tree = readTree(join(ROOT, "src"));

  it("is found", () => {
    expect(tree.files.length).toBeGreaterThan(15);
    expect(tree.files.flatMap((file) => file.imports).length).toBeGreaterThan(20);
  });

  for (const { title, rule } of CASES) {
    it(title, () => {
      expect(rule(tree)).toEqual([]);
    });
  }
});

describe("the rule", () => {
  for (const { title, rule, bad, good } of CASES) {
    for (const [files, said] of bad) {
      it(`"${title}" finds: ${said}`, () => {
        expect(rule(createTree(files)).join("\n")).toContain(said);
      });
    }

    it(`"${title}" leaves what is fine alone`, () => {
      expect(rule(createTree(good))).toEqual([]);
    });
  }

  it("has a tree that breaks it, whichever it is", () => {
    expect(CASES.filter(({ bad }) => bad.length === 0)).toEqual([]);
    expect(new Set(CASES.map(({ rule }) => rule)).size).toBe(Object.keys(rules).length);
  });
});
