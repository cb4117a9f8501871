import { describe, expect, it } from "vitest";
import { rootsOf, sourceAt } from "../../../../../src/intake/agents/claude-code/places.ts";
import type { WatchRoot } from "../../../../../src/intake/transcripts/format.ts";

const ROOT: WatchRoot = {
  agent: "claude-code",
  path: "/home/ana/.claude/projects",
  agentHome: "/home/ana/.claude",
  depth: 4,
};
const ID = "11111111-1111-4111-8111-111111111111";
const at = (name: string) => sourceAt(`${ROOT.path}/${name}`, ROOT);

describe("rootsOf", () => {
  it("names the projects folder of every home", () => {
    expect(rootsOf({ home: "/home/ana", claudeHomes: ["/home/ana/.claude", "/srv/claude"] })).toMatchObject([
      { path: "/home/ana/.claude/projects", agentHome: "/home/ana/.claude" },
      { path: "/srv/claude/projects", agentHome: "/srv/claude" },
    ]);
  });
});

describe("sourceAt", () => {
  it("takes a file in a project folder for a session named after the file", () => {
    expect(at(`-home-ana-shop/${ID}.jsonl`)).toMatchObject({ sessionId: ID, role: "session", root: ROOT });
  });

  it.each([
    "constructor",
    "__proto__",
    "two\nlines",
    "esc\u001b[31m",
    "back\\slash",
    "x".repeat(249),
    "caf\u00e9",
    "cafe\u0301",
  ])("accepts the odd name %j as it is (faults 40, 41, 42)", (stem) => {
    expect(at(`-home-ana-shop/${stem}.jsonl`)).toMatchObject({ sessionId: stem, role: "session" });
    expect(at(`${stem}/${ID}.jsonl`)).toMatchObject({ sessionId: ID, role: "session" });
  });

  it("knows subagents in both layouts, by the session they belong to where the path tells", () => {
    expect(at(`-home-ana-shop/${ID}/subagents/agent-a1.jsonl`)).toMatchObject({
      sessionId: ID,
      role: "subagent",
    });
    expect(at("-home-ana-shop/agent-b2.jsonl")).toMatchObject({ role: "subagent" });
  });

  it.each([
    `${ID}.jsonl`,
    "-home-ana-shop/.jsonl",
    `-home-ana-shop/${ID}.json`,
    `-home-ana-shop/${ID}.jsonl.bak`,
    `-home-ana-shop/memory/MEMORY.md`,
    `-home-ana-shop/memory/notes.jsonl`,
    `-home-ana-shop/${ID}/tool-results/x.jsonl`,
    `-home-ana-shop/${ID}/subagents/agent-a1.meta.json`,
    `-home-ana-shop/${ID}/subagents/other.jsonl`,
    `-home-ana-shop/${ID}/subagents/deep/agent-a1.jsonl`,
    `-home-ana-shop//${ID}.jsonl`,
    `../projects-old/${ID}.jsonl`,
  ])("leaves %j alone", (name) => {
    expect(at(name)).toBeUndefined();
  });

  it("leaves files outside the root alone", () => {
    expect(sourceAt(`/home/ana/.claude/projects2/x/${ID}.jsonl`, ROOT)).toBeUndefined();
  });
});
