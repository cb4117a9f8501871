// Which instruction files of a project are read, and which never.
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { instructionsOf } from "../../../../src/memory/journal/instructions.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { createBench, PROJECT } from "./bench.ts";

const RULE = "Never push to the main branch.";

function read(root: string, agentHome?: string) {
  return instructionsOf(createFiles(), { root, agentHome }).map(
    ({ name, isLoaded, rules }) => `${name}${isLoaded ? "" : " (not loaded)"}: ${rules.join(" | ")}`,
  );
}

it("the project's files and the person's own are read", () => {
  const folder = createTempFolder();
  folder.write("shop/CLAUDE.md", RULE);
  folder.write("shop/.claude/CLAUDE.md", "Use tabs.");
  folder.write("home/.claude/CLAUDE.md", "Answer briefly.");

  expect(read(folder.at("shop"), folder.at("home", ".claude"))).toEqual([
    `CLAUDE.md: ${RULE}`,
    "CLAUDE.md: Use tabs.",
    "CLAUDE.md: Answer briefly.",
  ]);
});

it("another agent's file counts as read only where ours takes it in", () => {
  const folder = createTempFolder();
  folder.write("shop/AGENTS.md", RULE);
  expect(read(folder.at("shop"))).toEqual([`AGENTS.md (not loaded): ${RULE}`]);

  folder.write("shop/CLAUDE.md", "@AGENTS.md\n");
  expect(read(folder.at("shop")).at(1)).toBe(`AGENTS.md: ${RULE}`);
});

it("a link inside the project is followed, one that leads out of it never", () => {
  const folder = createTempFolder();
  folder.write("shop/AGENTS.md", RULE);
  folder.write("elsewhere/CLAUDE.md", RULE);
  symlinkSync("AGENTS.md", folder.at("shop", "CLAUDE.md"));
  symlinkSync(folder.at("elsewhere"), folder.at("shop", ".claude"));
  symlinkSync(folder.at("elsewhere", "CLAUDE.md"), folder.at("shop", "GEMINI.md"));
  symlinkSync("CLAUDE.local.md", folder.at("shop", "CLAUDE.local.md"));

  expect(read(folder.at("shop"))).toEqual([`CLAUDE.md: ${RULE}`, `AGENTS.md (not loaded): ${RULE}`]);
});

it("a pipe, a folder and a file beyond the bound say nothing, and nothing waits for them", () => {
  const folder = createTempFolder();
  folder.write("shop/CLAUDE.local.md", `${RULE}\n`.repeat(4_000));
  folder.folder("shop/AGENTS.md");
  execFileSync("mkfifo", [folder.at("shop", "CLAUDE.md")]);

  expect(read(folder.at("shop"))).toEqual([]);
});

it("a project that is not on this machine has none", () => {
  expect(read("/nowhere/at/all", "/nowhere/.claude")).toEqual([]);
});

it("the commit refuses what the project's file says, and stores it once the person insists", async () => {
  const folder = createTempFolder();
  folder.write("shop/CLAUDE.md", RULE);
  const bench = createBench(folder);
  const project = { ...PROJECT, root: folder.at("shop") };
  const memory = { name: "no-push", description: RULE, type: "feedback", body: `${RULE}\n` } as const;
  const evidence = [
    {
      session: { agent: "claude-code", id: "s1", projectId: "p1" },
      recordId: "r1",
      by: "user",
      quote: RULE,
      at: 0,
    },
  ] as const;
  const change = { op: "create", file: "feedback_no_push.md", memory, evidence } as const;

  const refused = await bench.commit([change], { project });
  expect(refused.verdicts).toMatchObject([{ accepted: false, reason: "restated" }]);
  const kept = await bench.commit([change], { project, keep: true });
  expect(kept.written).toHaveLength(1);
});
