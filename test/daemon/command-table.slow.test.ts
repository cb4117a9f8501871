// A walk over every row of the command table, on real homes with the built program: what a person and a script get,
// with and without a daemon, without Claude Code, with a home folder of spaces and other scripts.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { shown } from "../../src/cli/frame/grammar.ts";
import { parseCommandLine } from "../../src/cli/frame/parse.ts";
import { COMMANDS } from "../../src/cli/registry.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import type { WalkHome } from "./command-lines.ts";
import {
  allCommandLines,
  createWalkHome,
  expectDecent,
  expectDocument,
  filled,
  firstLines,
} from "./command-lines.ts";

/** Promised and not built yet. Whoever builds one takes it out here: the test fails as long as it stands in both. */
const NOT_BUILT = ["recall", "context", "notes", "hook", "mcp", "setup", "team", "ui"];

/** Answers everything that was printed. */
async function walk(home: WalkHome, lines: readonly (readonly string[])[]): Promise<string> {
  let printed = "";
  for (const line of lines) {
    const words = filled(line, home);
    const document = await runCommand({ home, args: [...words, "--json"], cwd: home.cwd });
    expectDecent(words, document);
    expectDocument(words, document);
    const text = await runCommand({ home, args: words, cwd: home.cwd });
    expectDecent(words, text);
    printed += document.stdout + text.stdout;
  }
  // Else nothing was shown that a terminal could obey.
  if (existsSync(home.claudeProjects)) expect(printed.split("pwned").length).toBeGreaterThan(10);
  return printed;
}

async function started(home: WalkHome) {
  const daemon = startDaemon({ home });
  await daemon.waitForEvent("daemon:ready");
  return daemon;
}

async function walkWithDaemon(home: WalkHome, lines: readonly (readonly string[])[]): Promise<void> {
  const daemon = await started(home);
  await walk(home, lines);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  expect(daemon.child.stderr()).toBe("");
}

describe("every command", () => {
  it("answers without a daemon", async () => {
    await walk(createWalkHome(), allCommandLines());
  });

  it("answers with a daemon, in a home folder of spaces and other scripts", async () => {
    await walkWithDaemon(createWalkHome({ name: "meine Dateien ü 名前" }), allCommandLines());
  });

  it("answers where there is no Claude Code, with and without a daemon", async () => {
    await walk(createWalkHome({ claude: false }), firstLines());
    await walkWithDaemon(createWalkHome({ claude: false }), firstLines());
  });

  it("explains itself, with examples it can parse", async () => {
    const home = createWalkHome({ claude: false });
    const help = (await runCommand({ home, args: ["--help"] })).stdout;
    const parsed = (...argv: string[]) => parseCommandLine({ argv, commands: COMMANDS, width: 80 });

    for (const { name, options, examples = [] } of shown(COMMANDS)) {
      const text = JSON.stringify(parsed(name, "--help"));
      expect(text).toContain(`Usage: engramd ${name}`);
      for (const { flags } of options) expect(text).toContain(flags);
      expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, "mu"));
      for (const [example] of examples) {
        const [words = ""] = example.split(" | ");
        expect(parsed(...words.split(" ")), example).toMatchObject({ call: { command: name } });
      }
    }
  });
});

describe("the exit codes", () => {
  it("are all shown by a command: 0, 1, 2, 3, 4, 5", async () => {
    const home = createWalkHome();
    const code = async (...args: string[]) => {
      const result = await runCommand({ home, args, cwd: home.cwd });
      expectDecent(args, result);
      return result.code;
    };

    expect(await code("status")).toBe(5);
    const daemon = await started(home);
    expect(await code("status")).toBe(0);
    expect(await code("show", "nothing-like-it")).toBe(1);
    expect(await code("show")).toBe(2);
    expect(await code("list", "--nonsense")).toBe(2);
    expect(await code("run")).toBe(4);
    await daemon.stop();
    mkdirSync(dirname(home.configFile), { recursive: true });
    writeFileSync(home.configFile, '{ "concurrency": 99 }');
    expect(await code("list")).toBe(3);
    expect(await code("run")).toBe(3);
  });
});

describe("a command that is promised and not built", () => {
  it("is wrong usage and in no help", async () => {
    const home = createWalkHome({ claude: false });
    const help = (await runCommand({ home, args: ["--help"] })).stdout;

    for (const name of NOT_BUILT) {
      const result = await runCommand({ home, args: [name] });
      expect(result.code, name).toBe(2);
      expect(result.stderr, name).toContain("(unknown-command)");
      expect(help).not.toMatch(new RegExp(`^ {2}${name}\\b`, "mu"));
    }
  });

  it("is taken out of the list once it is built", () => {
    const built = new Set(COMMANDS.map(({ name }) => name));
    expect(NOT_BUILT.filter((name) => built.has(name))).toEqual([]);
  });
});
