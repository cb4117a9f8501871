// The shipped service files and what install makes of them, judged by the programs that will read them.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ServicePlan } from "../../../../src/serve/deliver/install/service-text.ts";
import { agentText, limits, unitText } from "../../../../src/serve/deliver/install/service-text.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const UNIT = readFileSync(join(ROOT, "systemd/engramd.service"), "utf8");
const AGENT = readFileSync(join(ROOT, "launchd/engramd.plist"), "utf8");
/** What an audit of the shipped unit may count at most. */
const EXPOSURE_MAX = 4.0;

const HAS_SYSTEMD = has("systemd-analyze", ["--version"]);
const HAS_PLISTLIB = has("python3", ["-c", "import plistlib"]);

function has(program: string, args: readonly string[]): boolean {
  if (spawnSync(program, args).status === 0) return true;
  process.stdout.write(`skipped: no ${[program, ...args].join(" ")} here\n`);
  return false;
}

const PLAN: ServicePlan = {
  node: process.execPath,
  args: ["/opt/engramd/dist/main.js", "run"],
  environment: [],
  network: true,
  namespaces: true,
  notify: true,
  writable: [],
  printed: "/home/mara/.local/state/engramd/engramd.err.log",
};

/** Everything a path may hold that means something to a reader of units or property lists. */
const ODD = `/opt/a b/50%h $HOME \${X} "q" 'r' \\n ; # <&> ü`;

/** The same without what systemd takes in no name of a program. */
const ODD_PROGRAM = ODD.replaceAll(/["'\\]/gu, "");

function analyze(text: string, args: (path: string) => readonly string[]) {
  const folder = createTempFolder();
  const path = folder.write("engramd.service", text);
  mkdirSync(folder.at("run"), { mode: 0o700 });
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args(path), {
    encoding: "utf8",
    env: { ...process.env, XDG_RUNTIME_DIR: folder.at("run"), SYSTEMD_COLORS: "0" },
  });
  return { status, stdout, stderr };
}

const verify = (text: string) => {
  const { stdout, stderr } = analyze(text, (path) => ["--user", "verify", path]);
  return stdout + stderr;
};

function exposure(text: string): number {
  const { stdout } = analyze(text, (path) => ["security", "--user", "--offline=true", "--no-pager", path]);
  const [, level = "none"] = /exposure level for \S+: ([\d.]+)/u.exec(stdout) ?? [];
  return Number(level);
}

describe("the shipped unit", () => {
  it.skipIf(!HAS_SYSTEMD)("is one systemd has nothing to say about", () => {
    expect(verify(UNIT)).toBe("");
    expect(verify(UNIT.replace("TasksMax", "TaskMax"))).toContain("TaskMax");
  });

  it.skipIf(!HAS_SYSTEMD)("leaves little exposed", () => {
    expect(exposure(UNIT)).toBeLessThanOrEqual(EXPOSURE_MAX);
    expect(exposure("[Service]\nExecStart=/bin/true\n")).toBeGreaterThan(EXPOSURE_MAX);
  });

  it("starts again after a crash, not after an exit code that says it would be in vain", () => {
    expect(UNIT).toMatch(/^Restart=on-failure$/m);
    expect(UNIT).toMatch(/^RestartPreventExitStatus=2 3 4$/m);
    expect(UNIT).toMatch(/^StartLimitBurst=\d+$/m);
  });

  it("bounds memory, leaves no core dumps and lets the JIT live", () => {
    expect(UNIT).toMatch(/^MemoryMax=/m);
    expect(UNIT).toMatch(/^LimitCORE=0$/m);
    expect(UNIT).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });

  it("waits for the daemon's word and its beats where the manager hears them", () => {
    const silent = unitText(UNIT, { ...PLAN, notify: false });

    expect(unitText(UNIT, PLAN)).toMatch(/^Type=notify\nNotifyAccess=all\nWatchdogSec=\d+$/m);
    expect(silent).not.toMatch(/^(?:Type|NotifyAccess|WatchdogSec)=/m);
    expect(silent).toMatch(/^ExecStart=/m);
  });

  it("keeps what needs namespaces in the block that can be left out", () => {
    const reduced = unitText(UNIT, { ...PLAN, namespaces: false });

    expect(limits(UNIT, { namespaces: true })).toContain("PrivateUsers=yes");
    expect(limits(UNIT, { namespaces: false })).not.toContain("PrivateUsers=yes");
    expect(limits(UNIT, { namespaces: false })).toContain("NoNewPrivileges=yes");
    expect(
      limits(UNIT, { namespaces: true }).filter((line) => !/^[A-Z]\w+=/.test(line) || line.includes("%")),
    ).toEqual([]);
    expect(reduced).not.toMatch(/^(?:Private|Protect|ReadWritePaths|CapabilityBoundingSet)/m);
    expect(reduced).toMatch(/^NoNewPrivileges=yes$/m);
    expect(reduced).toMatch(/^\[Install\]\nWantedBy=default\.target$/m);
  });
});

describe("the unit that install writes", () => {
  it.skipIf(!HAS_SYSTEMD)("is one systemd has nothing to say about, whatever the paths hold", () => {
    const environment = [{ name: "CLAUDE_CONFIG_DIR", value: ODD }];
    const args = [`${ODD}/main.js`, "run"];

    for (const namespaces of [true, false])
      for (const [network, notify] of [
        [true, false],
        [false, true],
      ] as const)
        expect(
          verify(
            unitText(UNIT, { ...PLAN, args, environment, writable: [ODD], namespaces, network, notify }),
          ),
        ).toBe("");
  });

  it("runs exactly the recorded words", () => {
    const text = unitText(UNIT, { ...PLAN, args: [ODD, "run"] });

    const escaped = String.raw`"/opt/a b/50%%h $HOME ${"${X}"} \"q\" 'r' \\n ; # <&> ü"`;
    expect(text).toContain(`\nExecStart=:${process.execPath} ${escaped} run\n`);
    expect(text.match(/^ExecStart=/gm)).toHaveLength(1);
  });

  it.skipIf(!HAS_SYSTEMD)("names a program systemd finds, whatever its path holds", () => {
    const node = createTempFolder().write(`${ODD_PROGRAM}/node`, "#!/bin/sh\n");
    chmodSync(node, 0o755);

    expect(verify(unitText(UNIT, { ...PLAN, node }))).toBe("");
    expect(verify(unitText(UNIT, { ...PLAN, node: `${node}2` }))).toContain("No such file");
    expect(() => unitText(UNIT, { ...PLAN, node: ODD })).toThrow("cannot stand in a service file");
  });

  it("may use the network unless it was told not to", () => {
    expect(unitText(UNIT, PLAN)).toMatch(/^RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6$/m);
    expect(unitText(UNIT, { ...PLAN, network: false })).toMatch(/^RestrictAddressFamilies=AF_UNIX$/m);
  });

  it("may write the recorded folders outside the home folder", () => {
    expect(unitText(UNIT, { ...PLAN, writable: ["/srv/claude"] })).toMatch(
      /^ReadWritePaths=%h .*-\/srv\/claude$/m,
    );
  });

  it("is refused when a path would begin a setting of its own", () => {
    const value = "/x\nExecStartPre=/bin/evil";

    expect(() => unitText(UNIT, { ...PLAN, node: value })).toThrow("cannot stand in a service file");
    expect(() => unitText(UNIT, { ...PLAN, environment: [{ name: "CODEX_HOME", value }] })).toThrow();
    expect(() => agentText(AGENT, { ...PLAN, args: [value] })).toThrow();
  });

  it("is refused when the shipped file is not the one we know", () => {
    expect(() => unitText("[Service]\n", PLAN)).toThrow("not the one it was shipped with");
    expect(() => agentText("<plist/>", PLAN)).toThrow("not the one it was shipped with");
  });
});

describe("the agent of launchd", () => {
  function parsePlist(text: string): Readonly<Record<string, unknown>> {
    const program = "import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
    const { stdout, stderr } = spawnSync("python3", ["-c", program], { input: text, encoding: "utf8" });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  }

  it.skipIf(!HAS_PLISTLIB)("is a property list that keeps the service running in the background", () => {
    expect(parsePlist(AGENT)).toMatchObject({
      Label: "engramd",
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ProcessType: "Background",
      Umask: 0o77,
      HardResourceLimits: { Core: 0 },
    });
  });

  it.skipIf(!HAS_PLISTLIB)("holds the recorded words, variables and log, whatever they are made of", () => {
    const environment = [{ name: "CLAUDE_CONFIG_DIR", value: ODD }];
    const text = agentText(AGENT, { ...PLAN, node: ODD, environment });

    expect(parsePlist(text)).toMatchObject({
      ProgramArguments: [ODD, ...PLAN.args],
      EnvironmentVariables: { CLAUDE_CONFIG_DIR: ODD },
      StandardOutPath: "/dev/null",
      StandardErrorPath: PLAN.printed,
    });
  });
});

describe("the package", () => {
  it("ships both service files", () => {
    const manifest: { files: string[] } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(manifest.files).toEqual(expect.arrayContaining(["dist", "systemd", "launchd"]));
  });
});
