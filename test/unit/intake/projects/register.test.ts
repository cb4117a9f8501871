import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../src/domain/errors.ts";
import { claudeSession, createFixture } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});

function writeState(content: string): void {
  mkdirSync(dirname(fixture.statePath), { recursive: true });
  writeFileSync(fixture.statePath, content);
}

describe("projects.json", () => {
  it("holds every directory, root and key, readable by a person", () => {
    const projects = fixture.open();
    const ref = claudeSession(projects, { cwd: "/nowhere/ana/shop", agentHome: fixture.claudeHome });

    projects.save();

    const stored = JSON.parse(readFileSync(fixture.statePath, "utf8"));
    expect(stored).toMatchObject({
      v: 1,
      projects: [
        { id: ref.id, key: ref.key, root: ref.root, cwds: [[fixture.claudeHome, "/nowhere/ana/shop"]] },
      ],
    });
    expect(statSync(fixture.statePath).mode & 0o777).toBe(0o600);
    expect(fixture.open().known()).toEqual([ref]);
  });

  it("is written only when something is new", () => {
    const projects = fixture.open();
    claudeSession(projects, { cwd: "/nowhere/shop", agentHome: fixture.claudeHome });
    projects.save();
    const before = statSync(fixture.statePath).ino;

    claudeSession(projects, { cwd: "/nowhere/shop", agentHome: fixture.claudeHome });
    projects.save();

    expect(statSync(fixture.statePath).ino).toBe(before);
  });

  it.each(["", "{", "[]", "null", '{"v":1}', '{"v":"x","projects":[]}', '{"v":1,"projects":{}}'])(
    "is set aside and rebuilt when damaged (%#)",
    (content) => {
      writeState(content);

      const projects = fixture.open();
      claudeSession(projects, { cwd: "/nowhere/shop", agentHome: fixture.claudeHome });
      projects.save();

      expect(readFileSync(`${fixture.statePath}.damaged`, "utf8")).toBe(content);
      expect(fixture.open().known()).toHaveLength(1);
    },
  );

  it("loses only the entries that are damaged", () => {
    const good = {
      id: "shop-1",
      key: "-s",
      root: "/s",
      agentHome: fixture.claudeHome,
      cwds: [["x"], 3, "y", [1, 2]],
    };
    writeState(JSON.stringify({ v: 1, projects: [null, 1, [], { id: "x" }, { ...good, id: 7 }, good] }));

    expect(fixture.open().known()).toEqual([
      { id: "shop-1", key: "-s", root: "/s", agentHome: fixture.claudeHome, present: false },
    ]);
  });

  it("is left alone when a newer version wrote it", () => {
    writeState('{"v":2,"projects":[]}');

    const open = () => fixture.open();

    expect(open).toThrow(AppError);
    expect(open).toThrow(/newer engramd/);
    expect(readFileSync(fixture.statePath, "utf8")).toBe('{"v":2,"projects":[]}');
  });
});
