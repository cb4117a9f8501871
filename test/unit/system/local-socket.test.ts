import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "../../../src/domain/errors.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { listenLocally, probeSocket } from "../../../src/system/local-socket.ts";
import { whyNotPrivate } from "../../../src/system/private-folder.ts";
import { startChild } from "../../helpers/child-process.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const clock = createClock();
const files = createFiles();

async function listen(path: string) {
  const server = createServer();
  const socket = await listenLocally(server, { path, files, clock });
  const close = () => closed(server);
  onTestFinished(close);
  return { server, socket, close };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => (server.listening ? server.close(() => resolve()) : resolve()));
}

/** A socket whose process was killed: its file stays. */
async function leaveDeadSocket(path: string): Promise<void> {
  const child = startChild({
    command: process.execPath,
    args: ["-e", `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`],
  });
  await child.waitForLine((line) => line === "up");
  child.signal("SIGKILL");
  await child.exit;
  expect(lstatSync(path).isSocket()).toBe(true);
}

describe("a local socket", () => {
  it("has mode 0600 in a folder of mode 0700, whatever the umask", async () => {
    const folder = createTempFolder();
    const mask = process.umask(0o000);
    try {
      await listen(folder.at("run/engramd/s.sock"));
    } finally {
      process.umask(mask);
    }

    expect(lstatSync(folder.at("run/engramd")).mode & 0o777).toBe(0o700);
    expect(lstatSync(folder.at("run/engramd/s.sock")).mode & 0o777).toBe(0o600);
  });

  it("is alone in its folder but for the lock's token, and gone after it was removed", async () => {
    const folder = createTempFolder();
    const { socket, close } = await listen(folder.at("r/s.sock"));

    expect(readdirSync(folder.at("r")).toSorted()).toEqual(["s.sock", "socket.owner"]);
    await close();
    socket?.remove();
    socket?.remove();

    expect(readdirSync(folder.at("r"))).toEqual(["socket.owner"]);
  });

  it("puts the umask back", async () => {
    const before = process.umask();
    await listen(createTempFolder().at("s.sock"));

    expect(process.umask()).toBe(before);
  });

  it("takes the place of a dead one (fault 110, B46a)", async () => {
    const folder = createTempFolder();
    await leaveDeadSocket(folder.at("s.sock"));

    await listen(folder.at("s.sock"));

    expect(await probeSocket(folder.at("s.sock"), clock)).toBe("alive");
  });

  it("takes away what a start left that was killed before it named its socket, and nothing else", async () => {
    const folder = createTempFolder();
    const run = folder.folder("run");
    await leaveDeadSocket(`${run}/.0a1b2c3d`);
    const living = createServer();
    onTestFinished(() => closed(living));
    await new Promise<void>((resolve) => living.listen(`${run}/.1a2b3c4d`, resolve));
    folder.write("run/.2a3b4c5d", "x");

    await listen(`${run}/s.sock`);

    const names = [".1a2b3c4d", ".2a3b4c5d", "s.sock", "socket.owner"];
    expect(readdirSync(run).toSorted()).toEqual(names);
  });

  it("never takes the place of a living one (fault 111, B46b)", async () => {
    const folder = createTempFolder();
    const path = folder.at("s.sock");
    await listen(path);
    const { ino } = lstatSync(path);

    await expect(listen(path)).rejects.toMatchObject({
      code: "already-running",
      exitCode: EXIT.alreadyRunning,
    });

    expect(lstatSync(path).ino).toBe(ino);
    expect(await probeSocket(path, clock)).toBe("alive");
  });

  it("never takes the place of one whose process is stopped (B46b)", async () => {
    const folder = createTempFolder();
    const path = folder.at("s.sock");
    const child = startChild({
      command: process.execPath,
      args: ["-e", `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`],
    });
    await child.waitForLine((line) => line === "up");
    child.signal("SIGSTOP");

    await expect(listen(path)).rejects.toMatchObject({ code: "already-running" });

    expect(lstatSync(path).isSocket()).toBe(true);
  });

  it("leaves a file, a folder or a link at its path untouched (B46c)", async () => {
    const folder = createTempFolder();
    folder.write("file.sock", "notes");
    folder.folder("folder.sock");
    symlinkSync(folder.at("file.sock"), folder.at("link.sock"));

    for (const name of ["file.sock", "folder.sock", "link.sock"]) {
      await expect(listen(folder.at(name))).rejects.toMatchObject({ code: "socket-path-taken" });
    }

    expect(readFileSync(folder.at("file.sock"), "utf8")).toBe("notes");
    expect(lstatSync(folder.at("link.sock")).isSymbolicLink()).toBe(true);
  });

  it("refuses a path the kernel would cut, and makes nothing (fault 112)", async () => {
    const folder = createTempFolder();
    const path = folder.at("x".repeat(100 - folder.path.length), "s.sock");

    await expect(listen(path)).rejects.toMatchObject({ code: "socket-path-too-long" });

    expect(folder.tree()).toEqual([]);
  });

  it("does not remove a successor's socket when it is closed late", async () => {
    const folder = createTempFolder();
    const path = folder.at("s.sock");
    const first = await listen(path);
    first.socket?.remove();
    await listen(path);
    const { ino } = lstatSync(path);

    await first.close();
    first.socket?.remove();

    expect(lstatSync(path).ino).toBe(ino);
  });

  it("has exactly one winner among ten starts on a dead one (B46e)", async () => {
    const folder = createTempFolder();
    const path = folder.at("s.sock");
    await leaveDeadSocket(path);

    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => listen(path)));

    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await probeSocket(path, clock)).toBe("alive");
  });
});

describe("another user of the machine", () => {
  it.skipIf(process.getuid?.() !== 0)("cannot connect (fault 108; needs root)", async () => {
    const folder = createTempFolder();
    chmodSync(folder.path, 0o755);
    const path = folder.at("r/s.sock");
    await listen(path);
    const script = `const s = require("net").connect(${JSON.stringify(path)});
      s.on("connect", () => { console.log("in"); s.destroy(); }).on("error", (e) => console.log(e.code))`;

    const answers = [0, 12_345].map((uid) =>
      execFileSync(process.execPath, ["-e", script], { uid, cwd: "/", encoding: "utf8" }).trim(),
    );

    expect(answers).toEqual(["in", "EACCES"]);
  });
});

describe("the socket's folder", () => {
  it.each([0o777, 0o775, 0o722])("of mode %o is refused and stays as it is (fault 109)", async (mode) => {
    const folder = createTempFolder();
    mkdirSync(folder.at("r"));
    chmodSync(folder.at("r"), mode);

    await expect(listen(folder.at("r/s.sock"))).rejects.toMatchObject({ code: "socket-folder-unsafe" });

    expect(lstatSync(folder.at("r")).mode & 0o777).toBe(mode);
    expect(existsSync(folder.at("r/s.sock"))).toBe(false);
  });

  it("that others may only read is closed to them", async () => {
    const folder = createTempFolder();
    mkdirSync(folder.at("r"), { mode: 0o755 });

    await listen(folder.at("r/s.sock"));

    expect(lstatSync(folder.at("r")).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.getuid?.() !== 0)("of somebody else is refused (fault 109; needs root)", async () => {
    const folder = createTempFolder();
    mkdirSync(folder.at("r"), { mode: 0o700 });
    chownSync(folder.at("r"), 12_345, 12_345);

    await expect(listen(folder.at("r/s.sock"))).rejects.toMatchObject({ code: "socket-folder-unsafe" });
    expect(whyNotPrivate(files, folder.at("r"))).toContain("belongs to user 12345");
  });

  it("that is a link is refused", async () => {
    const folder = createTempFolder();
    symlinkSync(folder.folder("elsewhere"), folder.at("r"));

    await expect(listen(folder.at("r/s.sock"))).rejects.toMatchObject({ code: "socket-folder-unsafe" });
    expect(readdirSync(folder.at("elsewhere"))).toEqual([]);
  });
});

describe("a probe", () => {
  it("tells an absent socket from a dead one", async () => {
    const folder = createTempFolder();
    await leaveDeadSocket(folder.at("dead.sock"));

    expect(await probeSocket(folder.at("none.sock"), clock)).toBe("absent");
    expect(await probeSocket(folder.at("dead.sock"), clock)).toBe("dead");
  });
});
