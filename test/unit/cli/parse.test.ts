import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/registry.ts";
import type { Call } from "../../../src/cli/frame/command.ts";
import { shown } from "../../../src/cli/frame/grammar.ts";
import { parseCommandLine } from "../../../src/cli/frame/parse.ts";
import { parsePlainCall } from "../../../src/cli/frame/plain-call.ts";
import { EXIT } from "../../../src/domain/errors.ts";

function parse(...argv: readonly string[]) {
  return parseCommandLine({ argv, commands: COMMANDS, width: 80 });
}

function callOf(...argv: readonly string[]): Call {
  const parsed = parse(...argv);
  if (!("call" in parsed)) throw new Error(`no call: ${parsed.text}`);
  return parsed.call;
}

function textOf(...argv: readonly string[]): string {
  const parsed = parse(...argv);
  return "text" in parsed ? parsed.text : "";
}

describe("a command line", () => {
  it("takes global options before and after the command", () => {
    const globals = { json: true, project: "/p", config: "c.json" };

    expect(callOf("--json", "--project", "/p", "--config", "c.json", "list").globals).toEqual(globals);
    expect(callOf("list", "--json", "--project=/p", "--config", "c.json").globals).toEqual(globals);
    expect(callOf("list").globals).toEqual({ json: false, project: undefined, config: undefined });
  });

  it("takes a command's own options and words", () => {
    const call = callOf("remember", "use", "tabs", "--type", "feedback", "--keep");

    expect(call).toMatchObject({ command: "remember", words: ["use", "tabs"] });
    expect(Object.fromEntries(call.options)).toEqual({ type: "feedback", keep: true });
    expect(Object.fromEntries(callOf("sync", "--backfill", "all", "--dry-run").options)).toEqual({
      backfill: "all",
      "dry-run": true,
    });
  });

  it("takes everything after -- as words", () => {
    expect(callOf("remember", "--", "--json", "is", "nice")).toMatchObject({
      words: ["--json", "is", "nice"],
      globals: { json: false },
    });
  });

  it("keeps nothing from one line to the next", () => {
    callOf("list", "--all", "--json");

    expect(callOf("list")).toMatchObject({ options: new Map(), globals: { json: false } });
  });

  it.each([
    [["nonsense"], "unknown-command"],
    [["constructor"], "unknown-command"],
    [["list", "--nonsense"], "unknown-option"],
    [["--nonsense"], "unknown-option"],
    [["list", "extra"], "too-many-arguments"],
    [["show"], "missing-argument"],
    [["remember"], "missing-argument"],
    [["sync", "--backfill"], "missing-argument"],
    [["--project"], "missing-argument"],
  ])("%j is wrong usage: %s", (argv, code) => {
    expect(() => parse(...argv)).toThrow(expect.objectContaining({ code, exitCode: EXIT.usage }));
  });

  it("tells what was probably meant", () => {
    expect(() => parse("list", "--al")).toThrow(expect.objectContaining({ fix: "did you mean --all?" }));
    for (const [word, meant] of [
      ["lst", "list"],
      ["serach", "search"],
      ["STATUS", "status"],
      ["unins", "uninstall"],
    ] as const)
      expect(() => parse(word)).toThrow(
        expect.objectContaining({ code: "unknown-command", fix: `did you mean engramd ${meant}?` }),
      );
  });

  it("guesses nothing for a word that is like none, and names the help of the command that was called", () => {
    const fixes = (...argv: readonly string[]) =>
      expect(() => parse(...argv)).toThrow(
        expect.objectContaining({ fix: `see "engramd ${argv.length > 1 ? `${argv[0]} ` : ""}--help"` }),
      );

    fixes("elephant");
    fixes("x");
    fixes("list", "extra");
    fixes("sync", "--backfill");
    expect(() => parse("show")).toThrow(expect.objectContaining({ fix: 'see "engramd show --help"' }));
  });

  it("says in one sentence what is wrong, also of help for a command that is none", () => {
    expect(() => parse("show", "a", "b")).toThrow(
      expect.objectContaining({
        message: "too many arguments for 'show' (expected 1 argument but got 2)",
      }),
    );
    expect(() => parse("help", "serch")).toThrow(
      expect.objectContaining({
        code: "unknown-command",
        message: 'there is no command "serch"',
        fix: "did you mean engramd search?",
        exitCode: EXIT.usage,
      }),
    );
  });

  it("is answered with help for the program and for each command", () => {
    for (const text of [textOf(), textOf("--help"), textOf("-h"), textOf("help")]) {
      for (const { name, summary } of shown(COMMANDS))
        expect(text).toMatch(new RegExp(`${name}[^\\n]* ${summary.slice(0, 20)}`));
    }
    for (const { name, options } of COMMANDS) {
      const text = textOf(name, "--help");
      for (const { flags } of options) expect(text).toContain(flags);
      expect(text).toContain("--json");
    }
  });
});

describe("the short way for status", () => {
  it.each([["status"], ["status", "--json"], ["--json", "status"]])(
    "takes what the parser would: %j",
    (...argv) => {
      expect(parsePlainCall(argv, "status")).toEqual(callOf(...argv));
    },
  );

  it.each([
    [],
    ["status", "--help"],
    ["status", "x"],
    ["list"],
    ["status", "--project", "/p"],
    ["--", "status"],
  ])("leaves %j to the parser", (...argv) => {
    expect(parsePlainCall(argv, "status")).toBeUndefined();
  });
});
