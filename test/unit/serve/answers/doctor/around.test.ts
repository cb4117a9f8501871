// Checks of what is around us: the program, settings, transcripts, the machine, neighbours. Each is shown what it must
// find, and what it must not.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { completeConfig } from "../../../../../src/config/schema.ts";
import { AppError } from "../../../../../src/domain/errors.ts";
import type { Check, DoctorFacts } from "../../../../../src/serve/answers/doctor/check.ts";
import { examine } from "../../../../../src/serve/answers/doctor/examine.ts";
import { CLOCK, DISK, WATCH_ROOM } from "../../../../../src/serve/answers/doctor/machine.ts";
import { SECOND_DAEMON, SYNCED } from "../../../../../src/serve/answers/doctor/neighbours.ts";
import * as program from "../../../../../src/serve/answers/doctor/program.ts";
import { CONFIG, KEY_COMMAND, PRIVATE_SETTINGS } from "../../../../../src/serve/answers/doctor/settings.ts";
import { COLLISIONS, EXPIRING, STATE_FORMAT } from "../../../../../src/serve/answers/doctor/sources.ts";
import { createManualClock } from "../../../../helpers/manual-clock.ts";
import type { Machine } from "./fixture.ts";
import { createMachine, projectAt, statusWith } from "./fixture.ts";

async function look(check: Check, facts: DoctorFacts) {
  const [report] = (await examine({ checks: [check], facts, fix: true })).checks;
  if (report === undefined) throw new Error("no report");
  return report;
}

describe("the program", () => {
  it("asks for the Node that package.json asks for", async () => {
    const manifest: { engines: { node: string } } = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../../../../package.json"), "utf8"),
    );

    const old = await look(program.NODE_VERSION, createMachine({ nodeVersion: "20.18.3" }).facts);
    const next = await look(program.NODE_VERSION, createMachine({ nodeVersion: "22.1.0" }).facts);

    expect(manifest.engines.node).toBe(`>=${program.NODE_MIN}`);
    expect([old.state, next.state]).toEqual(["fail", "ok"]);
  });

  it("is not what package.json says after half an update", async () => {
    const machine = createMachine();
    const shipped = ["systemd/engramd.service", "launchd/engramd.plist"];
    machine.home.folder.write("package/package.json", JSON.stringify({ version: "1.1.1" }));
    const incomplete = await look(program.PACKAGE, machine.facts);
    for (const name of shipped) machine.home.folder.write(`package/${name}`, "");

    const report = await look(program.PACKAGE, machine.facts);

    expect(incomplete.state).toBe("fail");
    expect(report).toMatchObject({ state: "warn", message: "package.json says 1.1.1, the program is 1.1.0" });
  });

  it("is there twice on PATH when two files are, not when one is a link to the other", async () => {
    const machine = createMachine();
    const { programs, facts, home } = machine;
    programs.add("engramd", "");
    const second = home.folder.folder("second-bin");
    const env = { ...facts.env, PATH: `${programs.path}:${second}` };
    symlinkSync(join(programs.path, "engramd"), join(second, "engramd"));
    const linked = await look(program.OTHER_INSTALLS, { ...facts, env });
    const third = home.folder.folder("third-bin");
    chmodSync(home.folder.write("third-bin/engramd", "#!/bin/sh\n"), 0o755);

    const report = await look(program.OTHER_INSTALLS, {
      ...facts,
      env: { ...env, PATH: `${env.PATH}:${third}` },
    });

    expect(linked.state).toBe("ok");
    expect(report.state).toBe("warn");
    expect(report.message).toContain(join(third, "engramd"));
  });

  it("is looked for in the folders on PATH that can be entered", async () => {
    const { facts, home } = createMachine();
    const circle = home.folder.at("circle");
    symlinkSync(circle, circle);

    const report = await look(program.OTHER_INSTALLS, { ...facts, env: { ...facts.env, PATH: circle } });

    expect(report.state).toBe("ok");
  });

  it("is an older one that still runs after an update", async () => {
    const live = statusWith({ version: "1.0.0" });

    const report = await look(program.DAEMON, createMachine({ live }).facts);

    expect(report).toMatchObject({ state: "warn", fix: "engramd restart" });
    expect(report.message).toContain("1.1.0");
    expect(report.message).toContain("1.0.0");
  });
});

describe("the settings", () => {
  it("that nobody can use are a finding with the fix of their error", async () => {
    const loadConfig = () => {
      throw new AppError({ code: "config-invalid", message: "budget is a word", fix: "give a number" });
    };

    const report = await look(CONFIG, createMachine({ loadConfig }).facts);

    expect(report).toMatchObject({ state: "fail", message: "budget is a word", fix: "give a number" });
  });

  it("name a key file that others may read: told, and not changed", async () => {
    const machine = createMachine();
    const path = machine.home.folder.write("home/key", "k");
    chmodSync(path, 0o640);
    const config = () => completeConfig({ apiKeyFile: path });

    const report = await look(PRIVATE_SETTINGS, { ...machine.facts, config });

    expect(report).toMatchObject({ state: "fail", fix: `chmod 600 ${path}`, did: [] });
  });

  it("name a key program this shell finds and a service does not", async () => {
    const machine = createMachine();
    machine.programs.add("key-tool", "echo hidden");
    machine.programs.add("systemctl", "echo PATH=/usr/bin:/bin");
    const config = () => completeConfig({ apiKeyCommand: "key-tool read engramd" });
    const installed = () => ({
      kind: "systemd" as const,
      file: "/nowhere",
      hashes: [],
      folders: [],
      node: process.execPath,
      entry: "/nowhere",
      network: true,
      at: "",
    });

    const byHand = await look(KEY_COMMAND, { ...machine.facts, config });
    const asService = await look(KEY_COMMAND, { ...machine.facts, config, installed });

    expect(byHand.state).toBe("ok");
    expect(asService.state).toBe("warn");
    expect(asService.fix).toContain(join(machine.programs.path, "key-tool"));
  });

  it("name a key program by a path where nothing can be run", async () => {
    const config = () => completeConfig({ apiKeyCommand: "~/bin/gone --flag" });

    const report = await look(KEY_COMMAND, createMachine({ config }).facts);

    expect(report.state).toBe("fail");
  });
});

describe("the state", () => {
  it("of a newer engramd is named with both versions", async () => {
    const machine = createMachine();
    machine.home.folder.write(
      "home/.local/state/engramd/stamps/format",
      JSON.stringify({ v: 1, format: 99, engramd: "9.0.0" }),
    );

    const report = await look(STATE_FORMAT, machine.facts);

    expect(report.state).toBe("fail");
    expect(report.message).toContain("9.0.0");
  });
});

describe("what is read", () => {
  it("is about to be deleted unread", async () => {
    const source = {
      agent: "claude-code" as const,
      root: "/nowhere",
      sessions: 3,
      typedMessages: 0,
      headlessSessions: 0,
      pendingBytes: 10,
      damagedLines: 0,
      skippedLines: 0,
      unknownTypes: {},
      expiringSessions: 2,
    };

    const report = await look(EXPIRING, createMachine({ known: statusWith({ sources: [source] }) }).facts);

    expect(report).toMatchObject({ state: "warn", fix: "engramd sync --backfill all" });
  });

  it("is two projects in one memory folder", async () => {
    const projects = [projectAt("/a/b", "/m/-a-b/memory"), projectAt("/a-b", "/m/-a-b/memory")];

    const report = await look(COLLISIONS, createMachine({ known: statusWith({ projects }) }).facts);

    expect(report.state).toBe("warn");
    expect(report.message).toContain("/a-b, /a/b");
  });
});

/** A process as /proc shows it. */
function addProcess(
  { home }: Machine,
  pid: number,
  command: readonly string[],
  env: readonly string[],
): void {
  home.folder.write(`proc/${pid}/cmdline`, `${command.join("\0")}\0`);
  home.folder.write(`proc/${pid}/environ`, `${env.join("\0")}\0`);
}

describe("neighbours", () => {
  it("are daemons with this home folder, other than the one that answers", async () => {
    const machine = createMachine({ live: statusWith({ pid: 10 }) });
    const run = ["node", "/opt/engramd/dist/main.js", "run"];
    const home = `HOME=${machine.home.home}`;
    addProcess(machine, 10, run, [home]);
    addProcess(machine, 11, run, ["HOME=/home/else"]);
    addProcess(machine, 12, ["node", "/opt/engramd/dist/main.js", "status"], [home]);
    const alone = await look(SECOND_DAEMON, machine.facts);
    addProcess(machine, 13, [...run, "--config", "/x"], ["SECRET=1", home]);

    const report = await look(SECOND_DAEMON, machine.facts);

    expect(alone.state).toBe("ok");
    expect(report).toMatchObject({ state: "warn", fix: "kill 13" });
    expect(report.message).not.toContain("SECRET");
  });

  it.each([
    ["Dropbox", "home/Dropbox/claude/memory", undefined],
    ["iCloud Drive", "home/Library/Mobile Documents/memory", undefined],
    ["OneDrive", "home/OneDrive - Shop/memory", undefined],
    ["Syncthing", "home/shared/memory", "home/shared/.stfolder"],
  ])("are programs that copy a memory folder elsewhere: %s", async (name, folder, mark) => {
    const machine = createMachine();
    const memoryDir = machine.home.folder.folder(folder);
    if (mark !== undefined) mkdirSync(machine.home.folder.at(mark));

    const known = statusWith({ projects: [projectAt("/shop", memoryDir)] });
    const report = await look(SYNCED, { ...machine.facts, known });

    expect(report.state).toBe("warn");
    expect(report.message).toContain(`${memoryDir} (${name})`);
  });

  it("are not there for a folder of any other name", async () => {
    const machine = createMachine();
    const known = statusWith({
      projects: [projectAt("/shop", machine.home.folder.folder("home/Dropboxes/m"))],
    });

    expect(await look(SYNCED, { ...machine.facts, known })).toMatchObject({ state: "ok" });
  });
});

describe("the machine", () => {
  it("lets too few folders be watched", async () => {
    const machine = createMachine();
    machine.home.folder.write("proc/sys/fs/inotify/max_user_watches", "100\n");
    machine.home.folder.write("proc/sys/fs/inotify/max_user_instances", "128\n");

    expect(await look(WATCH_ROOM, machine.facts)).toMatchObject({ state: "warn", did: [] });
  });

  it("has a clock that is far behind, or was far ahead before", async () => {
    const behind = createMachine({
      clock: createManualClock({ startAt: Date.parse("2001-01-01T00:00:00Z") }),
    });
    const ahead = createMachine();
    const status = ahead.home.folder.write("home/.local/state/engramd/status.json", "{}");
    const inAWeek = Date.now() / 1_000 + 7 * 86_400;
    utimesSync(status, inAWeek, inAWeek);

    expect(await look(CLOCK, behind.facts)).toMatchObject({ state: "fail" });
    expect(await look(CLOCK, ahead.facts)).toMatchObject({ state: "warn" });
  });

  it.each([
    [300_000_000, "ok"],
    [100_000_000, "warn"],
    [1_000_000, "fail"],
  ])("has %i free bytes: %s", async (free, state) => {
    expect(await look(DISK, createMachine({ freeBytes: () => free }).facts)).toMatchObject({ state });
  });
});
