// Stories about engramd as a service, with scripts in the place of the service manager: what install changes is what
// it announces, and uninstall takes back just that.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { InstallReport } from "../../src/serve/deliver/install/install.ts";
import { installService } from "../../src/serve/deliver/install/install.ts";
import type { UninstallReport } from "../../src/serve/deliver/install/uninstall.ts";
import { uninstallService } from "../../src/serve/deliver/install/uninstall.ts";
import { createClock } from "../../src/system/clock.ts";
import { createRunCommand } from "../../src/system/command.ts";
import { createFiles } from "../../src/system/files.ts";
import { resolvePaths } from "../../src/system/paths.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import type { FakePrograms } from "../helpers/fake-programs.ts";
import { addSystemd, createFakePrograms } from "../helpers/fake-programs.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { turn } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

interface Setting {
  readonly home: ScratchHome;
  readonly programs: FakePrograms;
  readonly unit: string;
  readonly record: string;
  run(...args: string[]): ReturnType<typeof runCommand>;
  install(...args: string[]): Promise<InstallReport>;
  uninstall(...args: string[]): Promise<UninstallReport>;
  /** Everything below the home folder. */
  tree(): string[];
}

function createSetting(
  env: Readonly<Record<string, string>> = {},
  home: ScratchHome = createScratchHome(),
): Setting {
  const programs = createFakePrograms(home.folder);
  addSystemd(programs, home.folder);
  const run = (...args: string[]) =>
    runCommand({ home, args, env: { PATH: programs.path, USER: "mara", ...env } });
  const parsed = async (args: readonly string[]) => JSON.parse((await run(...args, "--json")).stdout);
  return {
    home,
    programs,
    unit: join(home.home, ".config/systemd/user/engramd.service"),
    record: join(home.stateDir, "install.json"),
    run,
    install: (...args) => parsed(["install", ...args]),
    uninstall: (...args) => parsed(["uninstall", ...args]),
    tree: () => home.folder.tree().filter((path) => path.startsWith("home/")),
  };
}

const onLinux = describe.skipIf(process.platform !== "linux");

onLinux("install", () => {
  it("makes exactly the files and folders it announces, and has the manager start the service", async () => {
    const setting = createSetting();
    const before = new Set(setting.tree());

    const report = await setting.install();

    const announced = report.changes.filter(({ did }) => did !== "ran").map(({ what }) => what);
    const made = setting
      .tree()
      .filter((path) => !before.has(path))
      .map((path) => setting.home.folder.at(path.replace(/\/$/u, "")));
    expect(made.toSorted()).toEqual(announced.toSorted());
    expect(report).toMatchObject({ outcome: "installed", linger: false, byHand: null, warnings: [] });
    expect(report.changes.filter(({ did }) => did === "ran").map(({ what }) => what)).toEqual([
      "systemctl --user daemon-reload",
      `systemctl --user enable ${setting.unit}`,
      "systemctl --user restart engramd.service",
    ]);
  });

  it("changes nothing the second time", async () => {
    const setting = createSetting();
    await setting.install();
    const [tree, unit, record] = [setting.tree(), readFileSync(setting.unit), readFileSync(setting.record)];
    const callsBefore = setting.programs.calls().length;

    const report = await setting.install();

    expect(report).toMatchObject({ outcome: "unchanged", changes: [] });
    expect([setting.tree(), readFileSync(setting.unit), readFileSync(setting.record)]).toEqual([
      tree,
      unit,
      record,
    ]);
    expect(
      setting.programs
        .calls()
        .slice(callsBefore)
        .filter((call) => /restart|enable |reload/u.test(call)),
    ).toEqual([]);
  });

  it("says on a terminal what it did, how to undo it, and that it stops with the session", async () => {
    const { run, unit } = createSetting({ CLAUDE_CONFIG_DIR: "/data/claude" });

    const { stdout, stderr, code } = await run("install", "--no-network");

    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain(`wrote   ${unit}`);
    expect(stdout).toContain("undo    engramd uninstall");
    expect(stdout).toContain("loginctl enable-linger");
    expect(stdout).toContain("CLAUDE_CONFIG_DIR=/data/claude");
    expect(stdout).toContain("network none");
  });

  it("records folders of agents and never a key", async () => {
    const key = ["sk", "ant", "made-up"].join("-");
    const setting = createSetting({
      CLAUDE_CONFIG_DIR: "/data/claude",
      ANTHROPIC_API_KEY: key,
      ENGRAMD_API_KEY_ENV: "OTHER",
    });

    await setting.install();

    const unit = readFileSync(setting.unit, "utf8");
    expect(unit).toMatch(/^Environment=CLAUDE_CONFIG_DIR=\/data\/claude$/m);
    expect(unit).toMatch(/^ReadWritePaths=.* -\/data\/claude\/projects$/m);
    expect(unit + readFileSync(setting.record, "utf8")).not.toMatch(/sk-ant|API_KEY/);
  });

  it("writes a unit whose program runs with nothing but a home folder and a bare PATH", async () => {
    const setting = createSetting();
    await setting.install();
    const [, words = ""] = /^ExecStart=(.*)$/mu.exec(readFileSync(setting.unit, "utf8")) ?? [];
    const recorded = words.split(" ").map((word) => word.replaceAll('"', ""));

    const child = startChild({
      command: "/usr/bin/env",
      args: ["-i", `HOME=${setting.home.home}`, "PATH=/usr/bin:/bin", ...recorded],
      cwd: "/",
    });
    await child.waitForLine((line) => line.includes("daemon:ready"));
    child.signal("SIGTERM");

    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  it("leaves a unit alone that somebody else wrote, or edited since", async () => {
    const setting = createSetting();
    setting.home.folder.write("home/.config/systemd/user/engramd.service", "[Service]\n");
    const before = setting.tree();

    const first = await setting.run("install");

    expect(first).toMatchObject({ code: 1, stdout: "" });
    expect(first.stderr).toContain("was not written by engramd");
    expect(setting.tree()).toEqual(before);
    rmSync(setting.unit);
    await setting.install();
    writeFileSync(setting.unit, `${readFileSync(setting.unit, "utf8")}# mine\n`);
    expect(await setting.run("install")).toMatchObject({ code: 1 });
    expect(readFileSync(setting.unit, "utf8")).toContain("# mine");
  });

  it("does not write through a link that stands in the unit's place", async () => {
    const setting = createSetting();
    const target = setting.home.folder.write("elsewhere.txt", "theirs");
    setting.home.folder.folder("home/.config/systemd/user");
    symlinkSync(target, setting.unit);

    expect(await setting.run("install")).toMatchObject({ code: 1 });
    expect(readFileSync(target, "utf8")).toBe("theirs");
  });

  it("leaves the namespaces out where the manager has none, and says so", async () => {
    const setting = createSetting();
    setting.programs.add("systemd-run", `case "$*" in *PrivateUsers*) exit 217 ;; esac`);

    const report = await setting.install();

    expect(report.service.namespaces).toBe(false);
    expect(report.warnings.map(({ code }) => code)).toEqual(["fewer-protections"]);
    expect(readFileSync(setting.unit, "utf8")).not.toContain("PrivateUsers");
  });

  it.each([
    ["gives", true],
    ["does not give", false],
  ])(
    "protects as far as the kernel allows where it %s namespaces and systemd-run does not work",
    async (_, given) => {
      const setting = createSetting();
      setting.programs.add("systemd-run", "exit 1");
      setting.programs.add("unshare", given ? "exit 0" : "exit 1");

      const report = await setting.install();

      expect(report.service).toMatchObject({ namespaces: given, notify: false });
      expect(report.warnings.map(({ code }) => code)).toEqual(["protections-untried"]);
      expect(readFileSync(setting.unit, "utf8").includes("PrivateUsers")).toBe(given);
    },
  );

  it.each([
    ["is missing", undefined],
    ["fails", "exit 1"],
  ])("writes the file and says what to run when systemctl %s", async (_title, body) => {
    const setting = createSetting();
    if (body === undefined) rmSync(join(setting.programs.path, "systemctl"));
    else setting.programs.add("systemctl", body);

    const { code, stdout, stderr } = await setting.run("install");

    expect(code).toBe(1);
    expect(existsSync(setting.unit)).toBe(true);
    expect(stdout).toContain("written and not started");
    expect(stderr).toContain("systemctl --user daemon-reload && systemctl --user enable");
    expect(stderr).toContain("(service-not-started)");
  });

  it("says so when a daemon somebody started keeps the service from starting", async () => {
    const setting = createSetting();
    const daemon = startDaemon({ home: setting.home });
    await daemon.waitForEvent("daemon:ready");

    const report = await setting.install();

    expect(report.warnings).toMatchObject([{ code: "runs-by-hand" }]);
    await daemon.stop();
  });

  it("does not lift a ban on the network unseen", async () => {
    const setting = createSetting();
    await setting.install("--no-network");
    expect(readFileSync(setting.unit, "utf8")).toMatch(/^RestrictAddressFamilies=AF_UNIX$/m);

    const report = await setting.install();

    expect(report.warnings.map(({ code }) => code)).toEqual(["network-allowed"]);
    expect((await setting.install()).warnings).toEqual([]);
  });
});

onLinux("uninstall", () => {
  it("takes back what install made and nothing else", async () => {
    const setting = createSetting();
    setting.home.folder.write("home/.config/other/file", "theirs");
    setting.home.folder.write("home/.claude/projects/-x/memory/MEMORY.md", "theirs");
    const before = setting.tree();
    await setting.install();

    const report = await setting.uninstall("--purge");

    expect(report).toMatchObject({ outcome: "uninstalled", warnings: [] });
    expect(setting.tree()).toEqual(before);
    expect(setting.programs.calls()).toEqual(
      expect.arrayContaining([
        "systemctl --user stop engramd.service",
        "systemctl --user disable engramd.service",
      ]),
    );
  });

  it("keeps our state unless it is told to drop it, and what others put into our folders", async () => {
    const setting = createSetting();
    await setting.install();
    const journal = setting.home.folder.write("home/.local/state/engramd/journal/x", "kept");
    const theirs = setting.home.folder.write("home/.config/systemd/user/theirs.service", "theirs");

    const { changes, kept } = await setting.uninstall();

    expect(existsSync(setting.unit)).toBe(false);
    expect(existsSync(setting.record)).toBe(false);
    expect([existsSync(journal), existsSync(theirs)]).toEqual([true, true]);
    expect(kept).toContain(setting.home.stateDir);
    expect(changes.filter(({ did }) => did === "removed").map(({ what }) => what)).toEqual([setting.unit]);
  });

  it("keeps a unit that was edited by hand and names it", async () => {
    const setting = createSetting();
    await setting.install();
    writeFileSync(setting.unit, "[Service]\n");

    const { changes, warnings } = await setting.uninstall();

    expect(existsSync(setting.unit)).toBe(true);
    expect(changes).toContainEqual({ did: "kept", what: setting.unit });
    expect(warnings).toMatchObject([{ code: "service-file-edited" }]);
  });

  it("removes nothing while an engramd runs that the manager does not stop", async () => {
    const setting = createSetting();
    await setting.install();
    const daemon = startDaemon({ home: setting.home });
    await daemon.waitForEvent("daemon:ready");

    const { code, stderr } = await setting.run("uninstall", "--purge");

    expect(code).toBe(4);
    expect(stderr).toContain("already-running");
    expect([existsSync(setting.unit), existsSync(setting.record)]).toEqual([true, true]);
    await daemon.stop();
  });

  it("finds nothing to do where nothing is installed", async () => {
    const setting = createSetting();
    const before = setting.tree();

    expect(await setting.uninstall()).toMatchObject({ outcome: "nothing", changes: [] });
    expect(setting.tree()).toEqual(before);
  });

  it("undoes nothing by guess when its record is damaged", async () => {
    const setting = createSetting();
    await setting.install();
    writeFileSync(setting.record, "{");

    const { code, stderr } = await setting.run("uninstall");

    expect(code).toBe(1);
    expect(stderr).toContain("install-record-damaged");
    expect(existsSync(setting.unit)).toBe(true);
  });
});

onLinux("uninstall --remove-memories", () => {
  /** Two memories of one session and the program that could remove them. */
  async function learnt() {
    const story = createStory();
    story.transcript(SHOP, S1, `${turn(TABS)}${turn(RELEASE, 20)}`);
    await story.sync();
    expect(story.topics(SHOP)).toHaveLength(2);
    return { story, setting: createSetting({}, story.home) };
  }
  const at = (story: Story, name: string) => join(story.memoryDir(SHOP), name);

  it("removes what engramd made, index and folder included, also without a service", async () => {
    const { story, setting } = await learnt();

    const { changes } = await setting.uninstall("--remove-memories");

    expect(existsSync(story.memoryDir(SHOP))).toBe(false);
    expect(existsSync(dirname(story.memoryDir(SHOP)))).toBe(true);
    expect(changes.filter(({ did }) => did === "removed")).toHaveLength(4);
  });

  it("keeps what somebody wrote, edited or added to the index", async () => {
    const { story, setting } = await learnt();
    const [edited = "", ours = ""] = story.topics(SHOP);
    writeFileSync(at(story, edited), `${readFileSync(at(story, edited), "utf8")}\nMy own words.\n`);
    writeFileSync(at(story, "mine.md"), "---\nname: mine\ndescription: mine\n---\nMine.\n");
    writeFileSync(at(story, "MEMORY.md"), `# My notes\n${story.index(SHOP)}`);

    const { changes } = await setting.uninstall("--remove-memories");

    expect(story.topics(SHOP)).toEqual([edited, "mine.md"].toSorted());
    expect(readFileSync(at(story, edited), "utf8")).toContain("My own words.");
    expect(story.index(SHOP)).toContain("# My notes\n");
    expect(story.index(SHOP)).not.toContain(ours);
    expect(changes).toContainEqual({ did: "kept", what: at(story, edited) });
  });

  it("keeps what was edited before engramd confirmed it", async () => {
    const { story, setting } = await learnt();
    const [edited = ""] = story.topics(SHOP).filter((name) => /tab/u.test(name));
    writeFileSync(at(story, edited), `${readFileSync(at(story, edited), "utf8")}\nAlso in tests.\n`);
    const again = { cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 40, startAt: Date.UTC(2026, 5, 1) };
    story.transcript(SHOP, S2, createTranscript(again).user(TABS).text());
    expect((await story.sync()).memories.confirmed).toBe(1);

    await setting.uninstall("--remove-memories");

    expect(story.topics(SHOP)).toEqual([edited]);
  });

  it("leaves a folder that leads elsewhere alone", async () => {
    const { story, setting } = await learnt();
    const dir = story.memoryDir(SHOP);
    renameSync(dir, `${dir}-moved`);
    symlinkSync(`${dir}-moved`, dir);

    await setting.uninstall("--remove-memories");

    expect(story.topics(SHOP)).toHaveLength(2);
  });

  it("reads the journal before a purge drops it", async () => {
    const { story, setting } = await learnt();

    await setting.uninstall("--remove-memories", "--purge");

    expect(existsSync(story.memoryDir(SHOP))).toBe(false);
    expect(existsSync(story.home.stateDir)).toBe(false);
  });
});

onLinux("restart and logs", () => {
  it("have the manager do it", async () => {
    const setting = createSetting();
    expect(await setting.run("restart")).toMatchObject({ code: 1 });
    await setting.install();

    expect(await setting.run("restart")).toMatchObject({ code: 0, stderr: "" });
    const { stdout, code } = await setting.run("logs", "-n", "7");

    expect(setting.programs.calls().slice(-2)).toEqual([
      "systemctl --user restart engramd.service",
      "journalctl --user --unit engramd.service --no-pager --quiet --output=short-iso --lines=7",
    ]);
    expect({ stdout, code }).toEqual({ stdout: "one\ntwo [31mred\n", code: 0 });
  });

  it("follow the log until somebody says stop", async () => {
    const { home, programs } = createSetting();
    // The shell becomes the program that waits, so that the signal reaches it.
    programs.add("journalctl", "echo first\nexec /bin/sleep 60");

    const logs = startDaemon({ home, args: ["logs", "-f"], env: { PATH: programs.path } });
    await logs.child.waitForLine((line) => line === "first");

    expect(await logs.stop("SIGINT")).toEqual({ code: 0, signal: null });
    expect(programs.calls().at(-1)).toContain("--follow");
  });

  it("say that nothing is kept where no service was installed and the manager knows none", async () => {
    const setting = createSetting();
    setting.programs.add("journalctl", "exit 0");

    const { code, stdout, stderr } = await setting.run("logs");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/not installed as a service.*engramd install.*\(no-log\)/u);

    // One made by hand has logged.
    setting.programs.add("journalctl", "echo one");
    expect(await setting.run("logs")).toMatchObject({ code: 0, stdout: "one\n" });
    await setting.install();
    setting.programs.add("journalctl", "exit 0");
    expect(await setting.run("logs")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("are what a person is told of who finds the service stopped", async () => {
    const setting = createSetting();
    const told = async () => {
      const { stderr, stdout } = await setting.run("status");
      const doctor = JSON.parse((await setting.run("doctor", "--json")).stdout) as {
        checks: { code: string; fix: string }[];
      };
      const fix = doctor.checks.find(({ code }) => code === "daemon")?.fix;
      return { stderr, stdout, fix, screen: (await setting.run()).stdout };
    };
    const before = await told();
    expect(before.stderr).toContain('start it with "engramd run"');
    expect(before.screen).toContain("engramd install");

    setting.home.folder.write("home/.config/engramd/config.json", "{");
    const { stderr, stdout } = await setting.run("status");
    expect(stderr).toContain("engramd config check");
    expect(stdout).toContain("fix: engramd config check");
    expect(`${stderr}${stdout}`).not.toContain("engramd run");
    rmSync(setting.home.configFile);

    await setting.install();

    const after = await told();
    expect(after.stderr).toContain('start it with "engramd restart"');
    expect(after.stdout).toContain("fix: engramd restart");
    expect(after.fix).toMatch(/engramd restart.*engramd logs/u);
    expect(after.screen).toMatch(/engramd restart\n.*engramd logs\n/u);
    expect(Object.values(after).join("\n")).not.toMatch(/engramd (?:run|install)\b/u);

    writeFileSync(setting.record, "{");
    expect((await setting.run("status")).stderr).toContain("engramd run");
  });

  it("refuse what makes no sense", async () => {
    const setting = createSetting();

    expect(await setting.run("logs", "-n", "many")).toMatchObject({ code: 2 });
    expect(await setting.run("logs", "-f", "--json")).toMatchObject({ code: 2 });
    setting.programs.add("journalctl", "exit 1");
    expect((await setting.run("logs")).stderr).toContain("(no-log)");
  });
});

describe("a daemon whose manager listens", () => {
  it("tells it when it is ready and when it stops", async () => {
    const { home, programs } = createSetting();
    programs.add("systemd-notify", "exit 0");
    const env = { PATH: programs.path, NOTIFY_SOCKET: "/nobody/listens" };

    const daemon = startDaemon({ home, env });
    await daemon.waitForEvent("daemon:ready");
    await daemon.stop();

    // Nobody waits for the last word, so it may come after the end.
    await expect
      .poll(() => programs.calls())
      .toEqual(["systemd-notify READY=1", "systemd-notify STOPPING=1"]);
  });

  it("starts and stops although the manager cannot be told", async () => {
    const { home, programs } = createSetting();
    const daemon = startDaemon({ home, env: { PATH: programs.path, NOTIFY_SOCKET: "/nobody/listens" } });
    await daemon.waitForEvent("daemon:ready");

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});

describe("install on macOS", () => {
  function createMac() {
    const home = createScratchHome();
    const programs = createFakePrograms(home.folder);
    programs.add("launchctl", `case "$1" in bootout | print) exit 3 ;; esac`);
    const env = { HOME: home.home, PATH: programs.path };
    const paths = resolvePaths({ env, accountHome: "/", platform: "darwin", temporaryDir: "/tmp" });
    const clock = createClock();
    const deps = {
      ...({ platform: "darwin", env, paths, uid: 501, clock, files: createFiles() } as const),
      run: createRunCommand(clock),
      program: { node: process.execPath, entry: join(dirname(builtEntry()), "main.js") },
    };
    return { home, programs, deps };
  }

  it("writes the agent and loads it", async () => {
    const { home, programs, deps } = createMac();

    const report = await installService(deps, { network: true, configFile: undefined });

    const file = join(home.home, "Library/LaunchAgents/engramd.plist");
    expect(report).toMatchObject({ outcome: "installed", linger: null, service: { kind: "launchd", file } });
    expect(programs.calls()).toContain(`launchctl bootstrap gui/501 ${file}`);
    const agent = readFileSync(file, "utf8");
    expect(agent).toContain(`<string>${report.service.entry}</string>`);
    // launchd rotates nothing: the log is a file of ours.
    expect(agent).toContain("<string>run</string><string>--log-file</string></array>");
    expect(agent).toContain("<key>StandardOutPath</key><string>/dev/null</string>");
  });

  it("announces just what it makes, and every uninstall takes just that back", async () => {
    for (const purge of [false, true]) {
      const { home, programs, deps } = createMac();
      home.folder.write("home/Library/LaunchAgents/theirs.plist", "theirs");
      const tree = () => home.folder.tree().filter((path) => path.startsWith("home/"));
      const before = tree();

      const { changes } = await installService(deps, { network: true, configFile: undefined });
      const made = tree().filter((path) => !before.includes(path));
      const { changes: undone, warnings } = await uninstallService(
        {
          ...deps,
          removeMemories: () => Promise.reject(new Error("nobody asked for it")),
          takeInstance: () =>
            Promise.resolve({
              held: () => true,
              lost: new AbortController().signal,
              release: () => Promise.resolve(),
            }),
          alreadyRunning: () => new AppError({ code: "already-running", message: "" }),
        },
        { purge, removeMemories: false },
      );

      const announced = changes.filter(({ did }) => did !== "ran").map(({ what }) => what);
      expect(made.map((path) => home.folder.at(path.replace(/\/$/u, ""))).toSorted()).toEqual(
        announced.toSorted(),
      );
      expect(tree()).toEqual(before);
      expect(warnings).toEqual([]);
      expect(undone.length).toBeGreaterThan(1);
      expect(programs.calls()).toContain("launchctl bootout gui/501/engramd");
    }
  });

  it("refuses a ban on the network that launchd cannot keep", async () => {
    const { deps, programs } = createMac();

    await expect(installService(deps, { network: false, configFile: undefined })).rejects.toMatchObject({
      exitCode: 2,
    });
    expect(programs.calls()).toEqual([]);
  });
});

describe("the packed package", () => {
  it("holds what install needs", { timeout: 60_000 }, () => {
    const root = join(import.meta.dirname, "../..");
    const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    const [packed] = JSON.parse(stdout) as readonly { readonly files: readonly { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];

    expect(paths).toEqual(
      expect.arrayContaining(["dist/main.js", "systemd/engramd.service", "launchd/engramd.plist"]),
    );
  });
});
