// The package as people get it: packed, installed by npm under an empty prefix, run as a service, and taken away again
// in every way there is. Needs a registry for the dependencies; says so and skips without one.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { InstallReport } from "../../src/serve/deliver/install/install.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { startChild } from "../helpers/child-process.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { addSystemd, createFakePrograms } from "../helpers/fake-programs.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { createKeptFolder, removeTree } from "../helpers/temp-folder.ts";
import { environmentOf, execStartOf } from "../helpers/unit-file.ts";
import { createStory, RELEASE, S1, SHOP, TABS } from "./story.ts";
import { turn } from "./running.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXPOSURE_MAX = 4.0;
const HAS_SYSTEMD = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** One package for all tests. */
const place = createKeptFolder();
afterAll(() => removeTree(place.path));
const prefix = place.folder("prefix");
const why = installPackage();
if (why !== undefined) process.stdout.write(`skipped: npm cannot install the package here: ${why}\n`);
const ENTRY = join(prefix, "bin/engramd");

/** What went wrong, if anything did. */
function installPackage(): string | undefined {
  const npm = (args: readonly string[], cwd: string) =>
    spawnSync("npm", args, { cwd, encoding: "utf8", timeout: 120_000 });
  const packed = npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", place.path], ROOT);
  const archive = packed.stdout.trim();
  if (packed.status !== 0) throw new Error(packed.stderr);
  const args = ["install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", "--fetch-retries=0"];
  const { status, stderr } = npm([...args, place.at(archive)], place.path);
  return status === 0 ? undefined : stderr.split("\n").slice(0, 3).join(" ");
}

function createSetting(home: ScratchHome = createScratchHome()) {
  const programs = createFakePrograms(home.folder);
  addSystemd(programs, home.folder);
  const env = { PATH: `${programs.path}:/usr/bin:/bin`, USER: "mara" };
  const run = (...args: string[]) => runCommand({ home, entry: ENTRY, args, env });
  return {
    home,
    programs,
    env,
    unit: join(home.home, ".config/systemd/user/engramd.service"),
    run,
    async install(...args: string[]): Promise<InstallReport> {
      return JSON.parse((await run("install", ...args, "--json")).stdout);
    },
  };
}

/** Every path below the home folder with what it is made of. */
function snapshot({ home, folder }: ScratchHome): ReadonlyMap<string, string> {
  const inside = folder.tree().filter((path) => path.startsWith("home/"));
  return new Map(
    inside.map((path) => {
      const absolute = folder.at(path.replace(/\/$/u, ""));
      const facts = lstatSync(absolute);
      const content = facts.isFile()
        ? createHash("sha256").update(readFileSync(absolute)).digest("hex")
        : facts.isSymbolicLink()
          ? readlinkSync(absolute)
          : "folder";
      return [absolute.slice(home.length + 1), `${(facts.mode & 0o777).toString(8)} ${content}`];
    }),
  );
}

function gone(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before.keys()].filter((path) => !after.has(path)).toSorted();
}

function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after.entries()].filter(([path, made]) => before.get(path) !== made).map(([path]) => path);
}

const withPackage = describe.skipIf(why !== undefined || process.platform !== "linux");

withPackage("the installed package", () => {
  it("brings its program and its manual page", async () => {
    const { run } = createSetting();

    expect(await run("--version")).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(prefix, "share/man/man1/engramd.1"), "utf8")).toContain(".SH NAME");
  });

  it("installs itself as a service by its real path, and changes just what it announces", async () => {
    const setting = createSetting();
    const before = snapshot(setting.home);

    const report = await setting.install();

    const made = changed(before, snapshot(setting.home)).map((path) => join(setting.home.home, path));
    const announced = report.changes.filter(({ did }) => did !== "ran").map(({ what }) => what);
    expect(made.toSorted()).toEqual(announced.toSorted());
    const entry = join(prefix, "lib/node_modules/engramd/dist/main.js");
    expect(execStartOf(readFileSync(setting.unit, "utf8")).slice(-2)).toEqual([entry, "run"]);
  });

  it.skipIf(!HAS_SYSTEMD)(
    "writes a unit systemd has nothing to say about and leaves little exposed",
    async () => {
      const setting = createSetting();
      await setting.install();
      const runtime = setting.home.folder.at("empty-run");
      mkdirSync(runtime, { mode: 0o700 });
      const analyze = (...args: string[]) =>
        spawnSync("systemd-analyze", [...args, setting.unit], {
          encoding: "utf8",
          env: { ...process.env, XDG_RUNTIME_DIR: runtime, SYSTEMD_COLORS: "0" },
        });

      const { stdout, stderr } = analyze("--user", "verify");
      const security = analyze("security", "--user", "--offline=true", "--no-pager").stdout;

      expect(stdout + stderr).toBe("");
      const [, exposure = "none"] = /exposure level for \S+: ([\d.]+)/u.exec(security) ?? [];
      expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE_MAX);
    },
  );

  it("runs by the recorded words alone, with the recorded roots and the key file, and answers", async () => {
    const { env: base, ...scratch } = createScratchHome();
    const root = scratch.folder.folder(`claude 50% "of" $HOME/projects/-x`);
    const claude = dirname(dirname(root));
    writeFileSync(join(root, S1), createTranscript({ cwd: SHOP }).user(TABS).assistant("ok").text());
    const keyFile = join(scratch.home, "key file");
    writeFileSync(keyFile, ["made", "up", "key"].join("-"), { mode: 0o600 });
    mkdirSync(dirname(scratch.configFile), { recursive: true });
    writeFileSync(
      scratch.configFile,
      JSON.stringify({ provider: "local", baseUrl: "http://127.0.0.1:9", apiKeyFile: keyFile }),
    );
    const setting = createSetting({ ...scratch, env: { ...base, CLAUDE_CONFIG_DIR: claude } });
    await setting.install();
    const unit = readFileSync(setting.unit, "utf8");
    const recorded = environmentOf(unit);

    const words = Object.entries(recorded).map(([name, value]) => `${name}=${value}`);
    const child = startChild({
      command: "/usr/bin/env",
      args: ["-i", `HOME=${scratch.home}`, "PATH=/usr/bin:/bin", ...words, ...execStartOf(unit)],
      cwd: "/",
    });
    await child.waitForLine((line) => line.includes("daemon:ready"));
    const { XDG_RUNTIME_DIR: _not, ...asker } = setting.home.env;
    const { stdout } = await runCommand({
      home: { ...setting.home, env: asker },
      entry: ENTRY,
      args: ["status", "--json"],
    });
    child.signal("SIGTERM");

    expect(recorded["CLAUDE_CONFIG_DIR"]).toBe(claude);
    const status = JSON.parse(stdout);
    expect(status).toMatchObject({ pid: child.pid, provider: { name: "local" } });
    expect(status.sources[0].root).toBe(join(claude, "projects"));
    expect(
      status.warnings.map(({ code }: { code: string }) => code).filter((code: string) => /key/u.test(code)),
    ).toEqual([]);
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });
});

withPackage("after uninstall", () => {
  const MADE = /\.claude\/projects\/[^/]+\/memory(?:\/|$)/u;
  const LOCKS = /^\.local\/state\/engramd\/locks\//u;
  const STATE = /^\.local\/state\/engramd(?:\/|$)/u;

  /** Memories of ours, one edited since, one of the person, settings, and files of other programs. */
  async function livedIn() {
    const story = createStory();
    story.transcript(SHOP, S1, `${turn(TABS)}${turn(RELEASE, 20)}`);
    await story.sync();
    const [edited = "", ours = ""] = story.topics(SHOP);
    const memory = (name: string) => join(story.memoryDir(SHOP), name);
    writeFileSync(memory(edited), `${readFileSync(memory(edited), "utf8")}\nMy own words.\n`);
    writeFileSync(memory("mine.md"), "---\nname: mine\ndescription: mine\ntype: user\n---\nMine.\n");
    story.config({ concurrency: 1 });
    story.home.folder.write("home/.config/systemd/user/theirs.service", "[Service]\n");
    story.home.folder.write("home/.local/state/other/file", "theirs");
    return { story, ours, setting: createSetting(story.home) };
  }

  it.each([
    ["nothing but the service", [], { state: false, memories: false }],
    ["the service and our state", ["--purge"], { state: true, memories: false }],
    ["the service and memories only engramd wrote", ["--remove-memories"], { state: false, memories: true }],
    ["all of it", ["--purge", "--remove-memories"], { state: true, memories: true }],
  ] as const)("%s is gone, and the rest is as it was, byte for byte", async (_title, options, promised) => {
    const { story, ours, setting } = await livedIn();
    const before = snapshot(setting.home);
    await setting.install();

    const { code, stdout } = await setting.run("uninstall", ...options, "--json");

    const after = snapshot(setting.home);
    const { changes } = JSON.parse(stdout);
    expect(code, stdout).toBe(0);
    const missing = gone(before, after);
    const state = [...before.keys()].filter((path) => STATE.test(path)).toSorted();
    const memory = join(story.memoryDir(SHOP), ours).slice(setting.home.home.length + 1);
    expect(missing).toEqual(
      [...(promised.state ? state : []), ...(promised.memories ? [memory] : [])].toSorted(),
    );
    // The index loses the line of a memory that went; our own notes of that are ours.
    const touched = changed(before, after).filter((path) => !STATE.test(path));
    expect(touched).toEqual(promised.memories ? [expect.stringMatching(/memory\/MEMORY\.md$/u)] : []);
    expect(touched.every((path) => MADE.test(path))).toBe(true);
    const own = changed(before, after).filter((path) => STATE.test(path) && !LOCKS.test(path));
    if (!promised.memories) expect(own).toEqual([]);
    const said = changes
      .filter(({ did }: { did: string }) => did === "removed")
      .map(({ what }: { what: string }) => what);
    expect(said).toContain(setting.unit);
    if (promised.state) expect(said).toContain(setting.home.stateDir);
  });
});

withPackage("a package removed before its service", () => {
  function copyPackage({ folder }: ScratchHome): string {
    const copy = folder.at("package");
    // The program needs nothing of its dependencies' folder.
    for (const part of ["package.json", "dist", "systemd", "launchd"])
      cpSync(join(prefix, "lib/node_modules/engramd", part), join(copy, part), { recursive: true });
    return copy;
  }

  /** Command lines of the README's part about it. */
  function byHand(): string {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const [, part = ""] = /### Removed the package first\?\n([\s\S]*?)(?=\n##)/u.exec(readme) ?? [];
    const [, linux = ""] = /Linux[\s\S]*?\n\n((?: {4}.*\n)+)/u.exec(part) ?? [];
    return linux.replaceAll(/^ {4}/gmu, "").replaceAll(/\s+#.*$/gmu, "");
  }

  it("leaves a service that says which file is missing, and the README's lines clean up after it", async () => {
    const setting = createSetting();
    const before = snapshot(setting.home);
    const copy = copyPackage(setting.home);
    const entry = join(copy, "dist/main.js");
    await runCommand({ home: setting.home, entry, args: ["install"], env: setting.env });
    rmSync(copy, { recursive: true });
    const [node = "", ...args] = execStartOf(readFileSync(setting.unit, "utf8"));

    const service = startChild({ command: node, args, env: setting.home.env });

    expect(await service.exit).toEqual({ code: 1, signal: null });
    expect(service.stderr()).toContain(entry);
    const lines = byHand();
    expect(lines).toContain("systemctl --user");
    const { status, stderr } = spawnSync("/bin/sh", ["-ec", lines], {
      encoding: "utf8",
      env: { ...setting.home.env, ...setting.env },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(existsSync(setting.unit)).toBe(false);
    // Folders may stay where install made them; files may not.
    const left = changed(before, snapshot(setting.home)).map((path) => join(setting.home.home, path));
    expect(left.filter((path) => lstatSync(path).isFile())).toEqual([]);
  });

  it("is taken away by the next installation's own uninstall", async () => {
    const setting = createSetting();
    const before = snapshot(setting.home);
    const copy = copyPackage(setting.home);
    await runCommand({
      home: setting.home,
      entry: join(copy, "dist/main.js"),
      args: ["install"],
      env: setting.env,
    });
    rmSync(copy, { recursive: true });
    expect(existsSync(setting.unit)).toBe(true);

    expect(await setting.run("uninstall", "--purge")).toMatchObject({ code: 0, stderr: "" });
    expect(snapshot(setting.home)).toEqual(before);
  });

  it("runs on until it is stopped, and is stopped by its manager without the package", async () => {
    const setting = createSetting();
    const copy = copyPackage(setting.home);
    const daemon = startDaemon({ home: setting.home, entry: join(copy, "dist/main.js") });
    await daemon.waitForEvent("daemon:ready");
    rmSync(copy, { recursive: true });

    expect((await setting.run("status")).code).toBe(0);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
