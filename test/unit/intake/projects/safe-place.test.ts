import { describe, expect, it } from "vitest";
import { validateOverride, validateSetting } from "../../../../src/intake/projects/safe-place.ts";

const FACTS = { home: "/home/ana", claudeHomes: ["/home/ana/.claude"] };

describe("validateOverride", () => {
  it.each([
    "",
    "/",
    "//",
    "/x",
    "C:",
    "C:\\mem",
    "//host/x",
    "\\\\host\\x",
    "mem",
    "./mem",
    "/srv/a\0b",
    "~",
    "~/mem",
    "/home",
    "/home/ana",
    "/home/ana/",
    "/home/ana/x/..",
    "/srv/../home/ana",
  ])("refuses %j", (value) => {
    expect(validateOverride(value, FACTS).ok).toBe(false);
  });

  it.each([
    "/home/ana/.ssh",
    "/home/ana/.SSH/",
    "/home/ana/.ssh/mem",
    "/home/ana/.gnupg/x",
    "/home/ana/.config",
    "/home/ana/.config/systemd/user",
    "/home/ana/.config/autostart",
    "/home/ana/.bashrc",
    "/home/ana/.local/bin",
    "/home/ana/.claude",
    "/home/ana/.claude/commands/mem",
    "/home/ana/.claude/skills",
    "/home/ana/shop/.git/hooks",
    "/home/bob/mem",
    "/etc/cron.d",
    "/usr/local/bin",
  ])("refuses %s, where files are keys, code or another person's", (value) => {
    expect(validateOverride(value, FACTS).ok).toBe(false);
  });

  it.each([
    ["/home/ana/notes/mem/", "/home/ana/notes/mem"],
    ["/srv/mem/../memory", "/srv/memory"],
    ["/home/ana/.claude/projects/-x/memory", "/home/ana/.claude/projects/-x/memory"],
    ["/home/ana/.sshnotes", "/home/ana/.sshnotes"],
    ["/home/ana/é".normalize("NFD"), "/home/ana/é"],
  ])("takes %s as %s", (value, path) => {
    expect(validateOverride(value, FACTS)).toEqual({ ok: true, path });
  });

  it("says why", () => {
    expect(validateOverride("/home/ana/.ssh/x", FACTS)).toEqual({
      ok: false,
      why: "it is, holds or lies in /home/ana/.ssh",
    });
  });
});

describe("validateSetting", () => {
  it.each(["~", "~/", "~/.", "~/..", "~/../ana", "~/.ssh", "~bob/x", "mem", "~/a\0b"])(
    "refuses %j",
    (value) => {
      expect(validateSetting(value, FACTS).ok).toBe(false);
    },
  );

  it("expands the home folder", () => {
    expect(validateSetting("~/vault/mem", FACTS)).toEqual({ ok: true, path: "/home/ana/vault/mem" });
  });
});
