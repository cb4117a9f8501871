import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/registry.ts";

const SRC = join(import.meta.dirname, "../../../src");
/** Commands of later versions; advice must not send anybody to them yet. */
const PLANNED = new Set(
  "search why news recall context log dream distill notes lint review history diff undo pause resume cancel ignore model cost doctor install uninstall restart logs hook mcp setup project team config ui".split(
    " ",
  ),
);
const ADVICE = /\bfix(?::|\s*=) [`"'][^`"'\n]*\bengramd (?<command>[a-z-]+)/gu;

it("no advice names a command that does not exist", () => {
  const known = new Set(COMMANDS.map((command) => command.name));
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const advised = files.flatMap((file) =>
    [...readFileSync(join(SRC, file), "utf8").matchAll(ADVICE)].map((match) => ({
      file,
      command: match.groups?.["command"] ?? "",
    })),
  );

  expect(advised.length).toBeGreaterThan(3);
  expect(advised.filter(({ command }) => PLANNED.has(command) && !known.has(command))).toEqual([]);
});
