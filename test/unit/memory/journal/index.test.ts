import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { type Bench, createBench, createOf } from "./bench.ts";

const FIX = "The API moved to port 9090.";

function topic(name: string, text: string): string {
  return `---\nname: ${name}\ndescription: ${text}\ntype: project\n---\n${text}\n`;
}

function plant(bench: Bench, files: Record<string, string>): void {
  mkdirSync(bench.memoryDir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${bench.memoryDir}/${name}`, text);
}

describe("the index after a commit", () => {
  it("is cut to 200 whole lines; the superseded line goes first, the newest stays (B25a)", async () => {
    const bench = createBench(createTempFolder());
    const lines: string[] = [];
    const files: Record<string, string> = {};
    for (let at = 1; at <= 203; at++) {
      const name = at === 3 ? "port" : `fact_${String(at).padStart(3, "0")}`;
      files[`${name}.md`] = topic(name.replace("_", "-"), at === 3 ? "API on 8080" : `fact number ${at}`);
      lines.push(`- [${name}](${name}.md) — some fact about ${name} kept for later`);
    }
    plant(bench, { ...files, "MEMORY.md": `${lines.join("\n")}\n` });

    const result = await bench.commit([createOf("port_fix.md", FIX, { memory: { type: "project" } })]);

    const index = bench.read("MEMORY.md").split("\n");
    expect(index.length - 1).toBe(200);
    expect(Buffer.byteLength(bench.read("MEMORY.md"))).toBeLessThanOrEqual(25_000);
    expect(index).toContainEqual(expect.stringContaining("(port_fix.md)"));
    expect(index).not.toContainEqual(expect.stringContaining("(port.md)"));
    expect(index.filter((line) => line !== "" && !/^- \[.+\]\(.+\.md\) — .+$/.test(line))).toEqual([]);
    expect(result.indexLeft[0]).toBe("port.md");
    expect(result.indexLeft).toHaveLength(4);
    expect(Object.keys(bench.contents())).toHaveLength(205);
  });

  it("is cut to 25,000 bytes where lines are few and long (B25b), also in CJK (B25c)", async () => {
    for (const hook of ["x".repeat(330), "数据库迁移说明".repeat(15)]) {
      const bench = createBench(createTempFolder());
      const names = Array.from({ length: 146 }, (_, at) => `fact_${at}`);
      plant(bench, {
        ...Object.fromEntries(names.map((name) => [`${name}.md`, topic(name.replace("_", "-"), "a fact")])),
        "MEMORY.md": names.map((name) => `- [${name}](${name}.md) — ${hook}\n`).join(""),
      });

      const result = await bench.commit([createOf("port_fix.md", FIX, { memory: { type: "project" } })]);

      expect(Buffer.byteLength(bench.read("MEMORY.md"))).toBeLessThanOrEqual(25_000);
      expect(bench.read("MEMORY.md")).toContain("(port_fix.md)");
      expect(result.indexLeft.length).toBeGreaterThan(0);
    }
  });

  it("stays byte for byte when the person's own text alone is over a cap", async () => {
    const bench = createBench(createTempFolder());
    const text = "My own prose.\n".repeat(250);
    plant(bench, { "MEMORY.md": text });

    const result = await bench.commit([createOf("port_fix.md", FIX, { memory: { type: "project" } })]);

    expect(bench.read("MEMORY.md")).toBe(text);
    expect(result).toMatchObject({ indexOverCap: true, written: [{ file: "port_fix.md" }] });
  });

  it("keeps a line the host agent adds while we write (fault 49)", async () => {
    const folder = createTempFolder();
    let interfered = false;
    const locks = {
      take: () =>
        Promise.resolve({
          held: () => {
            // Asked before the topic file and again before the index: the second time the index was read already.
            if (!interfered && hasTopic()) {
              interfered = true;
              writeFileSync(folder.at("memory/MEMORY.md"), "- [Host](host.md) — written meanwhile\n");
            }
            return true;
          },
          lost: new AbortController().signal,
          release: () => Promise.resolve(),
        }),
    };
    const bench = createBench(folder, { locks });
    const hasTopic = () => "port_fix.md" in bench.contents();
    plant(bench, { "host.md": topic("host", "by the host"), "MEMORY.md": "" });

    await bench.commit([createOf("port_fix.md", FIX, { memory: { type: "project" } })]);

    expect(interfered).toBe(true);
    expect(bench.read("MEMORY.md")).toContain("- [Host](host.md) — written meanwhile\n");
    expect(bench.read("MEMORY.md")).toContain("(port_fix.md)");
  });

  it("leaves sync copies, stubs and leftovers alone and rewrites nothing when nothing changes (B32)", async () => {
    const bench = createBench(createTempFolder());
    const copies = {
      "MEMORY.sync-conflict-20260504-101500-ABCDEFG.md": "- [x](x.md)\n",
      "user_role (ana's conflicted copy 2026-05-04).md": topic("role", "copy"),
      "MEMORY 2.md": "- [y](y.md)\n",
      ".user_role.md.icloud": "stub",
      "user_role.md~": "backup",
      ".#user_role.md": "lock",
      "4913": "",
      "user_role.md.tmp8f": "half",
    };
    plant(bench, { ...copies, "MEMORY.md": "- [Role](user_role.md) — data scientist\n" });
    const project = { id: "demo", key: "-demo", root: "/demo", agentHome: undefined, present: true };
    await bench.writer.upkeep(bench.memoryDir, project);
    const before = bench.contents();
    const times = Object.keys(before).map((name) => statSync(`${bench.memoryDir}/${name}`).mtimeMs);

    const idle = await bench.writer.upkeep(bench.memoryDir, project);
    await bench.commit([]);

    expect(idle.conflictCopies).toHaveLength(3);
    expect(idle).toMatchObject({ added: [], edited: [], vanished: [], indexChanged: false });
    expect(bench.contents()).toEqual(before);
    expect(Object.keys(before).map((name) => statSync(`${bench.memoryDir}/${name}`).mtimeMs)).toEqual(times);

    await bench.commit([createOf("port_fix.md", FIX, { memory: { type: "project" } })]);
    expect(bench.read("MEMORY.md")).toContain("(user_role.md)");
    expect(bench.contents()).toMatchObject(copies);
  });

  it("refuses placeholders and emptied rewrites of existing files (B33)", async () => {
    const bench = createBench(createTempFolder());
    const body =
      "I am a data scientist with ten years of Python who is new to React and likes short answers.";
    plant(bench, {
      "user_role.md": topic("user-role", body),
      "project_x.md": topic("project-x", body),
      "MEMORY.md": "- [Role](user_role.md) — role\n",
    });
    const before = bench.contents();
    const rewrite = (file: string, text: string) => ({
      ...createOf(file, text),
      op: "update" as const,
      basis: bench.hash(file),
      evidence: [
        {
          ...createOf(file, "data scientist with ten years").evidence[0]!,
          by: "memory" as const,
          recordId: file,
        },
      ],
    });

    const result = await bench.commit(
      [
        rewrite("user_role.md", "unchanged"),
        rewrite("project_x.md", "(same as before)"),
        createOf("MEMORY.md", "x"),
      ],
      { producer: "model" },
    );

    expect(result.verdicts.map((verdict) => verdict.accepted)).toEqual([false, false, false]);
    expect(result.written).toEqual([]);
    expect(bench.contents()).toEqual(before);
  });
});

describe("an index that is no plain file", () => {
  it.each([
    ["is a link", "readlink", (path: string) => symlinkSync("elsewhere.md", path)],
    [
      "has a second hard link",
      "cp MEMORY.md",
      (path: string) => {
        writeFileSync(path, "theirs");
        linkSync(path, `${path}.other`);
      },
    ],
    ["is a folder", "move it away", (path: string) => mkdirSync(path)],
    ["is a pipe or a device", "move it away", (path: string) => execFileSync("mkfifo", [path])],
  ])("stops the commit, which says that it %s and what mends that", async (what, fix, make) => {
    const bench = createBench(createTempFolder());
    mkdirSync(bench.memoryDir, { recursive: true });
    make(`${bench.memoryDir}/MEMORY.md`);

    const commit = bench.commit([createOf("port_fix.md", FIX, { memory: { type: "project" } })]);

    await expect(commit).rejects.toMatchObject({
      message: expect.stringContaining(what),
      fix: expect.stringContaining(fix),
    });
  });
});
