// Checks of what is ours: modes, leavings of dead processes, the installed service. Each is shown what it must find.
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Check, DoctorFacts } from "../../../../../src/serve/answers/doctor/check.ts";
import { examine } from "../../../../../src/serve/answers/doctor/examine.ts";
import {
  LEFTOVER_FILES,
  STALE_LOCKS,
  STALE_SOCKET,
  CONSOLIDATE_LOCKS,
} from "../../../../../src/serve/answers/doctor/leavings.ts";
import { gatherFacts } from "../../../../../src/serve/answers/doctor/facts.ts";
import { MEMORY_WRITABLE, STATE_RIGHTS } from "../../../../../src/serve/answers/doctor/rights.ts";
import * as service from "../../../../../src/serve/answers/doctor/service.ts";
import { saveInstalled } from "../../../../../src/serve/deliver/install/record.ts";
import { contentHash } from "../../../../../src/system/ids.ts";
import { createFileLocks } from "../../../../../src/system/file-lock.ts";
import { addSystemd } from "../../../../helpers/fake-programs.ts";
import type { Machine } from "./fixture.ts";
import { createMachine, projectAt, statusWith } from "./fixture.ts";

async function look(check: Check, facts: DoctorFacts, fix = false) {
  const [report] = (await examine({ checks: [check], facts, fix })).checks;
  if (report === undefined) throw new Error("no report");
  return report;
}

/** A file of our state; its folders are private. */
function stateFile({ facts }: Machine, name: string, content = "x"): string {
  const path = join(facts.paths.stateDir, name);
  facts.files.ensureFolder(dirname(path));
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

describe("modes of our state", () => {
  it("finds a file others may read, takes their rights on --fix, and follows no link", async () => {
    const machine = createMachine();
    const open = stateFile(machine, "journal/abc/entry.json");
    const personal = machine.home.folder.write("home/notes.txt", "theirs");
    chmodSync(open, 0o644);
    chmodSync(personal, 0o644);
    symlinkSync(personal, join(machine.facts.paths.stateDir, "link"));

    const before = await look(STATE_RIGHTS, machine.facts);
    const after = await look(STATE_RIGHTS, machine.facts, true);

    expect(before.state).toBe("fail");
    expect(before.message).toContain(open);
    expect(after).toMatchObject({ state: "ok", did: [`took others' rights from ${open}`] });
    expect(statSync(open).mode & 0o777).toBe(0o600);
    expect(statSync(personal).mode & 0o777).toBe(0o644);
  });
});

describe("a state folder that cannot be used", () => {
  it.each([
    ["is a file", ""],
    ["would have to be made below a file", "/below"],
  ])("which %s is found, and nothing is mended", async (_, below) => {
    const { facts, home } = createMachine();
    const file = home.folder.write("home/taken", "theirs");
    const paths = { ...facts.paths, stateDir: `${file}${below}` };

    const report = await look(STATE_RIGHTS, { ...facts, paths }, true);

    expect(report).toMatchObject({ state: "fail", did: [] });
    expect(report.message).toContain(`${file} is no folder`);
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });

  it("does not keep the other checks from being made", async () => {
    const machine = createMachine();
    const { files } = machine.facts;
    const refuse = () => {
      throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    };

    const facts = await gatherFacts({
      ...machine.facts,
      files: { ...files, look: refuse },
      configFile: undefined,
    });

    expect(facts.unanswered).toContain("EACCES");
    expect(facts.live).toBeUndefined();
  });
});

/** A process id that is none: beyond what any kernel gives out. */
const DEAD_PID = 2 ** 30;

describe("leavings of a dead process", () => {
  it("removes a lock whose heart-beat has stopped and leaves a held one alone", async () => {
    const machine = createMachine();
    const { files, paths, clock } = machine.facts;
    const folder = join(paths.stateDir, "locks");
    const held = await createFileLocks({ files, clock, folder }).take("memory-held", { waitMs: 0 });
    mkdirSync(join(folder, "memory-dead.lock"));
    const longAgo = Date.now() / 1_000 - 60;
    utimesSync(join(folder, "memory-dead.lock"), longAgo, longAgo);

    const before = await look(STALE_LOCKS, machine.facts);
    const after = await look(STALE_LOCKS, machine.facts, true);

    expect(before).toMatchObject({ state: "warn", message: "locks of dead processes: memory-dead" });
    expect(after).toMatchObject({ state: "ok", did: ["removed the lock memory-dead of a dead process"] });
    expect(existsSync(join(folder, "memory-dead.lock"))).toBe(false);
    expect(held?.held()).toBe(true);
    await held?.release();
  });

  it("clears a lock that is a file, or an old one that files strayed into (fault 47)", async () => {
    const machine = createMachine();
    const folder = join(machine.facts.paths.stateDir, "locks");
    mkdirSync(join(folder, "memory-full.lock"), { recursive: true });
    writeFileSync(join(folder, "memory-full.lock/.DS_Store"), "x");
    utimesSync(join(folder, "memory-full.lock"), 1_000_000_000, 1_000_000_000);
    writeFileSync(join(folder, "memory-file.lock"), "");

    expect(await look(STALE_LOCKS, machine.facts)).toMatchObject({ state: "warn" });
    const after = await look(STALE_LOCKS, machine.facts, true);

    expect(after.state).toBe("ok");
    expect(after.did).toHaveLength(2);
    expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  it.each([
    ["a link", (path: string) => symlinkSync("/no/such/place", path), "memory-odd.lock"],
    [
      "a folder of folders",
      (path: string) => mkdirSync(join(path, "inner"), { recursive: true }),
      "memory-odd.lock",
    ],
    ["a folder in the place of a token", (path: string) => mkdirSync(path), "memory-odd.owner"],
  ])("names %s in the place of a lock and leaves it alone", async (_, plant, name) => {
    const machine = createMachine();
    const folder = join(machine.facts.paths.stateDir, "locks");
    mkdirSync(folder, { recursive: true });
    plant(join(folder, name));

    const found = await look(STALE_LOCKS, machine.facts, true);

    expect(found).toMatchObject({
      state: "fail",
      message: expect.stringContaining(join(folder, name)),
      did: [],
    });
    expect(readdirSync(folder)).toContain(name);
  });

  it("clears the lock of a dream that was killed", async () => {
    const machine = createMachine();
    const folder = join(machine.facts.paths.stateDir, "locks");
    mkdirSync(join(folder, "consolidate-0123456789abcdef.lock"), { recursive: true });
    utimesSync(join(folder, "consolidate-0123456789abcdef.lock"), 1_000_000_000, 1_000_000_000);

    expect(await look(STALE_LOCKS, machine.facts)).toMatchObject({
      state: "warn",
      message: "locks of dead processes: consolidate-0123456789abcdef",
    });
    expect(await look(STALE_LOCKS, machine.facts, true)).toMatchObject({ state: "ok" });
  });

  it.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link", (path: string) => symlinkSync("/etc/hostname", path)],
    ["a pipe", (path: string) => void spawnSync("mkfifo", [path])],
    ["a huge file", (path: string) => writeFileSync(path, "1".repeat(100_000))],
  ])("names %s in the place of the lock for dreams, and leaves it alone", async (_, plant) => {
    const machine = createMachine();
    const [planted, fine, gone] = ["shop", "well", "gone"].map((name) => machine.home.folder.at(name));
    for (const dir of [planted, fine]) mkdirSync(dir ?? "");
    const lock = join(planted ?? "", ".consolidate-lock");
    plant(lock);
    writeFileSync(join(fine ?? "", ".consolidate-lock"), "4242");
    const projects = [planted, fine, gone].map((dir) => projectAt(dir ?? "", dir ?? ""));
    const facts = { ...machine.facts, known: statusWith({ projects }) };

    const found = await look(CONSOLIDATE_LOCKS, facts, true);

    expect(found).toMatchObject({
      state: "fail",
      did: [],
      fix: expect.stringContaining("remove it by hand"),
    });
    expect(found.message).toContain(`.consolidate-lock in ${planted} is no lock`);
    expect(found.message).not.toContain(fine);
    expect(lstatSync(lock, { throwIfNoEntry: false })).toBeDefined();
    const well = { ...facts, known: statusWith({ projects: projects.slice(1) }) };
    expect(await look(CONSOLIDATE_LOCKS, well)).toMatchObject({ state: "ok" });
  });

  it("removes a socket nobody listens at and the note of its daemon, and never one that lives", async () => {
    const machine = createMachine();
    const { socket } = machine.facts.paths;
    mkdirSync(dirname(socket), { mode: 0o700 });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const alive = await look(STALE_SOCKET, machine.facts, true);
    // Closing removes the name: keep it as a killed process does.
    const kept = `${socket}.kept`;
    linkSync(socket, kept);
    await new Promise((resolve) => server.close(resolve));
    renameSync(kept, socket);
    const note = stateFile(
      machine,
      "daemon.json",
      JSON.stringify({ v: 1, pid: DEAD_PID, socket, version: "1.0.0" }),
    );

    const after = await look(STALE_SOCKET, machine.facts, true);

    expect(alive).toMatchObject({ state: "ok", did: [] });
    expect(after.did).toEqual([`removed ${socket} of a dead daemon`, `removed ${note} of a dead daemon`]);
    expect(existsSync(socket) || existsSync(note)).toBe(false);
  });

  it("removes unfinished files once they are old, never young ones or others", async () => {
    const machine = createMachine();
    const old = stateFile(machine, "cursors/.engramd-tmp-0000-sources.jsonl");
    const young = stateFile(machine, "cursors/.engramd-tmp-0001-sources.jsonl");
    const other = stateFile(machine, "cursors/sources.jsonl");
    const longAgo = Date.now() / 1_000 - 7_200;
    for (const path of [old, other]) utimesSync(path, longAgo, longAgo);

    const after = await look(LEFTOVER_FILES, machine.facts, true);

    expect(after).toMatchObject({ state: "ok", did: [`removed the unfinished ${old}`] });
    expect([old, young, other].map((path) => existsSync(path))).toEqual([false, true, true]);
  });
});

/** A unit as install would have left it, naming a Node of a version manager. */
function withService(machine: Machine, edit = ""): { readonly unit: string; readonly node: string } {
  const { facts, home } = machine;
  const node = home.folder.at("versions/v20.1.0/bin/node");
  const unit = join(home.home, ".config/systemd/user/engramd.service");
  const text = `[Service]\nExecStart=${node} ${facts.program.entry} run\n`;
  facts.files.ensureFolder(dirname(unit));
  facts.files.ensureFolder(facts.paths.stateDir);
  writeFileSync(unit, `${text}${edit}`);
  saveInstalled(facts, {
    kind: "systemd",
    file: unit,
    hashes: [contentHash(text)],
    folders: [],
    node,
    entry: facts.program.entry,
    network: true,
    environment: [{ name: "CODEX_HOME", value: "/data/codex" }],
    at: "2026-11-30T00:00:00.000Z",
  });
  return { unit, node };
}

describe("the installed service", () => {
  it("is pointed at the Node that runs when its own is gone, and started", async () => {
    const machine = createMachine();
    addSystemd(machine.programs, machine.home.folder);
    const { unit, node } = withService(machine);

    const before = await look(service.RECORDED_NODE, machine.facts);
    const after = await look(service.RECORDED_NODE, machine.facts, true);

    expect(before).toMatchObject({ state: "fail", fix: "engramd doctor --fix" });
    expect(before.message).toContain(node);
    expect(after.state).toBe("ok");
    expect(after.did[0]).toBe(`${unit} now names ${process.execPath} instead of ${node}`);
    expect(readFileSync(unit, "utf8")).toContain(`ExecStart=${process.execPath} `);
    expect(machine.programs.calls()).toContain("systemctl --user restart engramd.service");
    expect(await look(service.SERVICE_FILE, machine.facts)).toMatchObject({ state: "ok" });
  });

  it("is left alone when somebody edited its file, whatever is gone", async () => {
    const machine = createMachine();
    const { unit } = withService(machine, "Nice=5\n");
    const text = readFileSync(unit, "utf8");

    const node = await look(service.RECORDED_NODE, machine.facts, true);
    const file = await look(service.SERVICE_FILE, machine.facts, true);

    expect(node.state).toBe("fail");
    expect(node.message).toContain("edited");
    expect(file.state).toBe("warn");
    expect(readFileSync(unit, "utf8")).toBe(text);
  });

  it("is known to be off, to look elsewhere than this shell, and to end with the login", async () => {
    const machine = createMachine();
    addSystemd(machine.programs, machine.home.folder);
    withService(machine);
    const facts = { ...machine.facts, env: { ...machine.facts.env, CLAUDE_CONFIG_DIR: "/data/claude" } };

    const on = await look(service.SERVICE_ON, facts);
    const environment = await look(service.SERVICE_ENVIRONMENT, facts);
    const linger = await look(service.LINGER, facts);

    expect(on.state).toBe("warn");
    expect(environment.message).toContain("CLAUDE_CONFIG_DIR (service: not set, here: /data/claude)");
    expect(environment.message).toContain("CODEX_HOME (service: /data/codex, here: not set)");
    expect(linger).toMatchObject({ state: "warn", fix: "loginctl enable-linger" });
  });

  it("is named with the protections it runs without", async () => {
    const hardening = [
      { name: "seccomp", effective: false },
      { name: "umask", effective: true },
      { name: "core-limit", effective: null },
    ];
    const live = statusWith({ service: { manager: "systemd", hardening, linger: null } });

    const report = await look(service.HARDENING, createMachine({ live }).facts);

    expect(report).toMatchObject({ state: "warn", message: "the service runs without: seccomp" });
  });

  it("whose record cannot be read is a finding of each check that needs it", async () => {
    const machine = createMachine();
    stateFile(machine, "install.json", "{");

    const report = await look(service.SERVICE_FILE, machine.facts, true);

    expect(report.state).toBe("fail");
    expect(report.message).toContain("install.json");
  });
});

describe("memory folders", () => {
  it.each([
    ["a file", "warn", (path: string) => writeFileSync(path, "theirs")],
    ["a link that leads nowhere", "warn", (path: string) => symlinkSync(`${path}-nowhere`, path)],
    ["not there yet", "ok", () => undefined],
    ["a folder", "ok", (path: string) => mkdirSync(path)],
  ])("that are %s: %s", async (_, state, make) => {
    const { home, facts } = createMachine();
    const memoryDir = join(home.folder.folder("home/claude"), "memory");
    make(memoryDir);
    const known = statusWith({ projects: [projectAt("/shop", memoryDir)] });

    expect(await look(MEMORY_WRITABLE, { ...facts, known })).toMatchObject({ state });
  });

  it("repeat what the status says of one that leads elsewhere", async () => {
    const { home, facts } = createMachine();
    const projects = [projectAt("/shop", home.folder.folder("home/memory"))];
    const warnings = [{ code: "memory_folder_parked", message: "it led there before", fix: "put it back" }];
    const known = statusWith({ projects, warnings });

    expect(await look(MEMORY_WRITABLE, { ...facts, known })).toMatchObject({
      state: "warn",
      message: "it led there before",
      fix: "put it back",
    });
  });
});
