// What the service is told of the shell it was installed from.
import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  programWarnings,
  realProgram,
  recordedEnvironment,
  writableOutside,
} from "../../../../src/serve/deliver/install/program.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { resolvePaths } from "../../../../src/system/paths.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const files = createFiles();

describe("the recorded program", () => {
  it("is named by its real path, not by a link that a version manager moves", () => {
    const folder = createTempFolder();
    const node = folder.write("versions/v1/node", "");
    const entry = folder.write("versions/v1/lib/dist/main.js", "");
    symlinkSync(node, folder.at("node"));
    symlinkSync(entry, folder.at("engramd"));

    expect(realProgram(files, { node: folder.at("node"), entry: folder.at("engramd") })).toEqual({
      node,
      entry,
    });
  });

  it("is refused when it is gone, or will be soon", () => {
    const folder = createTempFolder();
    const entry = folder.write("_npx/1f/node_modules/engramd/dist/main.js", "");

    expect(() => realProgram(files, { node: folder.at("gone"), entry })).toThrow("no longer there");
    expect(() => realProgram(files, { node: process.execPath, entry })).toThrow("npx's cache");
  });

  it.each([
    ["/home/mara/.nvm/versions/node/v22.1.0/bin/node", "nvm"],
    ["/home/mara/.local/share/fnm/node-versions/v22.1.0/installation/bin/node", "fnm"],
    ["/home/mara/.volta/tools/image/node/22.1.0/bin/node", "Volta"],
    ["/opt/homebrew/Cellar/node/22.1.0/bin/node", "Homebrew"],
    ["/nix/store/0abc-nodejs-22.1.0/bin/node", "Nix"],
  ])("comes with a warning where a manager of versions removes it: %s", (node, manager) => {
    const [warning, ...others] = programWarnings({ node, entry: "/opt/engramd/dist/main.js" }, false);

    expect(others).toEqual([]);
    expect(warning?.message).toContain(manager);
    expect(warning?.fix).toContain("engramd install --no-network");
  });

  it("comes without a warning from a place that lasts", () => {
    expect(programWarnings({ node: "/usr/bin/node", entry: "/usr/lib/x/dist/main.js" }, true)).toEqual([]);
  });
});

describe("the recorded variables", () => {
  it("are folders of agents and nothing else", () => {
    const { variables, warnings } = recordedEnvironment({
      CLAUDE_CONFIG_DIR: "/data/claude/",
      XDG_STATE_HOME: "",
      ANTHROPIC_API_KEY: "k",
      ENGRAMD_API_KEY_FILE: "/secret",
      PATH: "/usr/bin",
    });

    expect(variables).toEqual([{ name: "CLAUDE_CONFIG_DIR", value: "/data/claude" }]);
    expect(warnings).toEqual([]);
  });

  it("leave a relative folder out, and say so", () => {
    const { variables, warnings } = recordedEnvironment({ CODEX_HOME: "codex" });

    expect(variables).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(["variable-relative"]);
  });

  it("make the service write those folders that are not below the home folder", () => {
    const env = { HOME: "/home/mara", CLAUDE_CONFIG_DIR: "/data/claude", XDG_STATE_HOME: "/home/mara/state" };
    const paths = resolvePaths({ env, accountHome: "/", platform: "linux", temporaryDir: "/tmp" });

    expect(writableOutside(paths)).toEqual(["/data/claude/projects"]);
  });
});
