import { describe, expect, it } from "vitest";
import { memorySwitch } from "../../../../src/intake/projects/switches.ts";

describe("memorySwitch", () => {
  it.each([
    ["default", {}, undefined, true],
    ["0 beats a setting that says off", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" }, false, true],
    ["1 beats a setting that says on", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }, true, false],
    ["a word for yes", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: " TRUE " }, true, false],
    [
      "an explicit no beats bare mode",
      { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "off", CLAUDE_CODE_SIMPLE: "1" },
      false,
      true,
    ],
    [
      "an explicit no beats a remote run",
      { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "no", CLAUDE_CODE_REMOTE: "1" },
      false,
      true,
    ],
    ["neither yes nor no decides nothing", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "maybe" }, false, false],
    ["bare mode", { CLAUDE_CODE_SIMPLE: "1" }, true, false],
    ["bare mode switched off", { CLAUDE_CODE_SIMPLE: "0" }, undefined, true],
    ["safe mode", { CLAUDE_CODE_SAFE_MODE: "yes" }, true, false],
    ["remote without a folder", { CLAUDE_CODE_REMOTE: "true" }, true, false],
    [
      "remote with a folder",
      { CLAUDE_CODE_REMOTE: "true", CLAUDE_CODE_REMOTE_MEMORY_DIR: "/m" },
      undefined,
      true,
    ],
    [
      "remote with a folder, setting off",
      { CLAUDE_CODE_REMOTE: "1", CLAUDE_CODE_REMOTE_MEMORY_DIR: "/m" },
      false,
      false,
    ],
    ["setting off", {}, false, false],
    ["setting on", {}, true, true],
  ] as const)("%s", (_name, env, autoMemoryEnabled, enabled) => {
    expect(memorySwitch({ env, settings: { autoMemoryEnabled } }).enabled).toBe(enabled);
  });

  it("says what decided", () => {
    expect(memorySwitch({ env: { CLAUDE_CODE_SIMPLE: "1" }, settings: {} }).why).toContain(
      "CLAUDE_CODE_SIMPLE",
    );
    expect(memorySwitch({ env: {}, settings: { autoMemoryEnabled: false } }).why).toContain(
      "autoMemoryEnabled",
    );
    expect(memorySwitch({ env: {}, settings: {} }).why).toBe("default");
  });
});
