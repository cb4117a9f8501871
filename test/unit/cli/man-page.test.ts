// The manual page: complete by the table, and judged by the programs that will show it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandEntry } from "../../../src/cli/frame/command.ts";
import { shown } from "../../../src/cli/frame/grammar.ts";
import { manPage } from "../../../src/cli/frame/man-page.ts";
import { COMMANDS } from "../../../src/cli/registry.ts";
import { builtEntry } from "../../helpers/daemon-process.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const PAGE = manPage({ commands: COMMANDS, version: "1.2.3" });

function has(program: string, args: readonly string[]): boolean {
  // A program that does not know the option is there as well.
  if (spawnSync(program, args).error === undefined) return true;
  process.stdout.write(`skipped: no ${program} here\n`);
  return false;
}

/** Pages made to trip a reader of roff. */
const ODD: CommandEntry = {
  name: "odd",
  summary: `.SH not a heading \\n "quoted" 'so' ~^- %s 名前`,
  words: "<a...>",
  options: [{ flags: "-x, --ex <y>", summary: '.\\} \\" .so /etc/passwd' }],
  examples: [["odd 'a' \"b\" \\c", "'.ds x y"]],
  run: () => Promise.resolve({ exitCode: 0 }),
};

const READERS: readonly (readonly [string, readonly string[]])[] = [
  ["mandoc", ["-T", "lint", "-W", "warning"]],
  ["groff", ["-man", "-Tutf8", "-ww", "-z"]],
];

describe("the manual page", () => {
  it("has the sections people look for, in their order", () => {
    const headings = [...PAGE.matchAll(/^\.SH (.*)$/gm)].map(([, name]) => name);

    expect(headings).toEqual([
      "NAME",
      "SYNOPSIS",
      "DESCRIPTION",
      "COMMANDS",
      "OPTIONS",
      "EXIT STATUS",
      "FILES",
      "ENVIRONMENT",
      "EXAMPLES",
    ]);
  });

  it("names every command and option people may see, every exit code, and the version", () => {
    const text = PAGE.replaceAll("\\-", "-");

    for (const { name, options } of shown(COMMANDS)) {
      expect(text).toMatch(new RegExp(`^\\.BI "${name}"`, "m"));
      for (const { flags } of options) expect(text).toContain(`.B "${flags}"`);
    }
    for (const code of [0, 1, 2, 3, 4, 5]) expect(text).toContain(`\n.B ${code}\n`);
    expect(text).toContain("engramd 1.2.3");
    expect(text).not.toContain("complete-words");
  });

  it("holds no text as a request", () => {
    const lines = manPage({ commands: [ODD], version: "1" }).split("\n");

    const requests = [...new Set(lines.flatMap((line) => /^[.']\S*/u.exec(line)?.[0] ?? []))];
    expect(requests.toSorted()).toEqual(".B .BI .I .PP .RE .RS .SH .SS .TH .TP".split(" "));
    expect(lines).toContain(
      "\\&.SH not a heading \\en \\(dqquoted\\(dq \\(aqso\\(aq \\(ti\\(ha\\- %s \\[u540D]\\[u524D].",
    );
  });

  it.each(READERS)("gives %s nothing to complain about", (program, args) => {
    if (!has(program, ["--version"])) return;
    const folder = createTempFolder();

    for (const commands of [COMMANDS, [ODD]]) {
      const path = folder.write("engramd.1", manPage({ commands, version: "1.2.3" }));
      const { stdout, stderr } = spawnSync(program, [...args, path], { encoding: "utf8" });
      // The table has no date, and a build must give the same file twice.
      const said = (stdout + stderr).split("\n").filter((line) => !/missing date|^$/u.test(line));
      expect(said).toEqual([]);
    }
  });

  it("is built from the table and shipped where npm installs it from", () => {
    const manifest: { man: string[]; version: string } = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
    );
    const built = readFileSync(join(builtEntry(), "..", "engramd.1"), "utf8");

    expect(manifest.man).toEqual(["dist/engramd.1"]);
    expect(built).toBe(manPage({ commands: COMMANDS, version: manifest.version }));
  });
});
