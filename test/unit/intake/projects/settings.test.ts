import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { managedSettingsFile, readClaudeSettings } from "../../../../src/intake/projects/settings.ts";
import { createFixture } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";
import { createGit } from "./git.ts";

const FILES = {
  managed: "managed.json",
  local: "home/shop/.claude/settings.local.json",
  shared: "home/shop/.claude/settings.json",
  user: "home/.claude/settings.json",
} as const;

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
  fixture.scratch.folder("home/shop");
});

function write(layer: keyof typeof FILES, values: unknown): void {
  fixture.scratch.write(FILES[layer], typeof values === "string" ? values : JSON.stringify(values));
}

function read(root: string | undefined = fixture.scratch.at("home/shop")) {
  return readClaudeSettings(fixture.files, {
    claudeHome: fixture.claudeHome,
    root,
    managedFile: fixture.scratch.at("managed.json"),
  });
}

describe("readClaudeSettings", () => {
  it("finds nothing where nothing is set", () => {
    expect(read()).toEqual({
      autoMemoryEnabled: undefined,
      autoDreamEnabled: undefined,
      cleanupPeriodDays: undefined,
      autoMemoryDirectories: [],
      warnings: [],
    });
  });

  it("lets the stronger layer decide: managed, local, shared, user", () => {
    const seen: (boolean | undefined)[] = [];
    for (const [layer, value] of [
      ["user", true],
      ["shared", false],
      ["local", true],
      ["managed", false],
    ] as const) {
      write(layer, { autoMemoryEnabled: value });
      seen.push(read().autoMemoryEnabled);
    }

    expect(seen).toEqual([true, false, true, false]);
  });

  it("decides each setting by itself and ignores values of another type", () => {
    write("local", { autoMemoryEnabled: "no", autoDreamEnabled: false });
    write("user", { autoMemoryEnabled: false, autoDreamEnabled: true, cleanupPeriodDays: 7 });

    expect(read()).toMatchObject({ autoMemoryEnabled: false, autoDreamEnabled: false, cleanupPeriodDays: 7 });
  });

  it("takes a period below a day for a day", () => {
    write("user", { cleanupPeriodDays: 0 });

    expect(read().cleanupPeriodDays).toBe(1);
  });

  it("lists memory folders of managed, local and user settings only, and reports the repository's", () => {
    write("managed", { autoMemoryDirectory: "/m" });
    write("local", { autoMemoryDirectory: "/l" });
    write("shared", { autoMemoryDirectory: "~/.ssh" });
    write("user", { autoMemoryDirectory: "/u" });

    const settings = read();

    expect(settings.autoMemoryDirectories).toEqual([
      { value: "/m", source: "managed" },
      { value: "/l", source: "local" },
      { value: "/u", source: "user" },
    ]);
    expect(settings.warnings).toMatchObject([{ code: "repository_memory_directory" }]);
    expect(settings.warnings[0]?.message).toContain(fixture.scratch.at(FILES.shared));
  });

  it("counts a local file that git tracks as the repository's", () => {
    const shop = createGit(fixture.scratch).repository("home/shop");
    write("local", { autoMemoryDirectory: "/l", autoMemoryEnabled: false });
    const untracked = read();

    createGit(fixture.scratch).run(shop, "add", "--force", ".claude/settings.local.json");
    const tracked = read();

    expect(untracked.autoMemoryDirectories).toEqual([{ value: "/l", source: "local" }]);
    expect(tracked.autoMemoryDirectories).toEqual([]);
    expect(tracked.warnings).toMatchObject([{ code: "repository_memory_directory" }]);
    expect(tracked.autoMemoryEnabled).toBe(false);
  });

  it("takes the shared file of the home folder for what it is: the user's own", () => {
    write("user", { autoMemoryDirectory: "/u" });

    const settings = read(fixture.home);

    expect(settings.autoMemoryDirectories).toEqual([{ value: "/u", source: "user" }]);
    expect(settings.warnings).toEqual([]);
  });

  it("looks into no project folder for a path that is not here", () => {
    write("shared", { autoMemoryEnabled: false });
    const settings = readClaudeSettings(fixture.files, {
      claudeHome: fixture.claudeHome,
      root: undefined,
      managedFile: "/none",
    });

    expect(settings.autoMemoryEnabled).toBeUndefined();
  });

  it.each([
    ["broken", "{"],
    ["a list", "[]"],
    ["nothing", ""],
    ["nested without end", `{"a":${"[".repeat(100_000)}`],
    ["nested behind strings", `{"a":${'["]",'.repeat(50_000)}`],
    ["too large", `{"a":"${"x".repeat(1_100_000)}"}`],
  ])("reports a file that is %s, quotes none of it, and goes on", (_name, content) => {
    write("shared", content);
    write("user", { autoMemoryEnabled: false });

    const settings = read();

    expect(settings.autoMemoryEnabled).toBe(false);
    expect(settings.warnings).toMatchObject([{ code: "settings_unreadable" }]);
    expect(settings.warnings[0]?.message.length).toBeLessThan(300);
  });

  it("hangs on no pipe and reads no device", () => {
    const shared = fixture.scratch.at(FILES.shared);
    mkdirSync(dirname(shared), { recursive: true });
    execFileSync("mkfifo", [shared]);
    symlinkSync("/dev/zero", join(dirname(shared), "settings.local.json"));

    expect(read().warnings).toHaveLength(2);
  });

  it("accepts ordinary settings with brackets in strings", () => {
    write("user", { note: "[".repeat(1_000), quote: 'a "[" \\', autoMemoryEnabled: true });

    expect(read().autoMemoryEnabled).toBe(true);
  });
});

describe("managedSettingsFile", () => {
  it("is where administrators of each system put it", () => {
    expect(managedSettingsFile("linux")).toBe("/etc/claude-code/managed-settings.json");
    expect(managedSettingsFile("darwin")).toMatch(/^\/Library\//);
  });
});
