import { describe, expect, it } from "vitest";
import { SOCKET_LIMITS } from "../../../src/domain/limits.ts";
import { expandHome, isInside, resolvePaths } from "../../../src/system/paths.ts";
import type { Environment } from "../../../src/system/paths.ts";

const resolve = (env: Environment, platform: NodeJS.Platform = "linux") =>
  resolvePaths({ env, accountHome: "/home/account", platform, temporaryDir: "/tmp" });

describe("where everything lives", () => {
  it("follows HOME, then the XDG folders, then the agent's own variable", () => {
    expect(resolve({ HOME: "/home/ana" })).toMatchObject({
      configFile: "/home/ana/.config/engramd/config.json",
      stateDir: "/home/ana/.local/state/engramd",
      dataDir: "/home/ana/.local/share/engramd",
      socket: "/home/ana/.local/state/engramd/run/engramd.sock",
      claudeHome: "/home/ana/.claude",
    });
    expect(
      resolve({
        HOME: "/home/ana",
        XDG_CONFIG_HOME: "/c",
        XDG_STATE_HOME: "/s",
        XDG_DATA_HOME: "/d",
        XDG_RUNTIME_DIR: "/run/user/1",
        CLAUDE_CONFIG_DIR: "/k",
      }),
    ).toMatchObject({
      configFile: "/c/engramd/config.json",
      stateDir: "/s/engramd",
      dataDir: "/d/engramd",
      socket: "/run/user/1/engramd/engramd.sock",
      claudeHome: "/k",
    });
  });

  it("uses the account's home without HOME and ignores relative values", () => {
    expect(resolve({ HOME: "ana", XDG_STATE_HOME: "state", CLAUDE_CONFIG_DIR: "" })).toMatchObject({
      home: "/home/account",
      stateDir: "/home/account/.local/state/engramd",
      claudeHome: "/home/account/.claude",
    });
  });

  it("moves a socket whose path the kernel would cut, to the same place every time", () => {
    const home = `/home/${"ü".repeat(60)}`;
    const { socket } = resolve({ HOME: home });

    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(SOCKET_LIMITS.pathBytesMax);
    expect(socket).toBe(resolve({ HOME: home }).socket);
    expect(socket).not.toBe(resolve({ HOME: `${home}2` }).socket);
  });

  it("keeps the socket in the user's temporary folder on macOS", () => {
    expect(resolve({ HOME: "/Users/ana" }, "darwin").socket).toBe("/tmp/engramd/engramd.sock");
  });
});

describe("a configured path", () => {
  it.each([
    ["/x/a/", "/x/a"],
    ["~/a/", "/home/ana/a"],
    ["~", "/home/ana"],
    ["~/notes/../memory", "/home/ana/memory"],
    ["/abs//path/", "/abs/path"],
    ["~/notes/", "/home/ana/notes"],
    ["relative", undefined],
    ["~other/x", undefined],
    ["", undefined],
  ])("%j becomes %j", (path, expected) => {
    expect(expandHome(path, "/home/ana")).toBe(expected);
  });

  it("is inside a folder only below it, not beside it", () => {
    expect(isInside("/a/b", "/a")).toBe(true);
    expect(isInside("/a", "/a")).toBe(true);
    expect(isInside("/ab", "/a")).toBe(false);
    expect(isInside("/a", "/a/b")).toBe(false);
    expect(isInside("/anything", "/")).toBe(true);
  });
});
