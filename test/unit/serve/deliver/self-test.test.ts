// Which limits of the unit hold: judged by the kernel's figures, here invented ones, and once by the real kernel.
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Hardening } from "../../../../src/domain/status.ts";
import type { Kernel } from "../../../../src/serve/deliver/self-test.ts";
import { managerOf, testService } from "../../../../src/serve/deliver/self-test.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

const PID = 4242;

/** A kernel that enforces everything but what is said. */
function createKernel(folder: TempFolder, changes: Readonly<Record<string, string>> = {}): Kernel {
  const files: Readonly<Record<string, string>> = {
    "proc/self/status": "Name:\tnode\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\n",
    "proc/self/limits":
      "Limit                     Soft Limit           Hard Limit           Units\nMax core file size        0                    0                    bytes\n",
    "proc/self/cgroup": "0::/user.slice/engramd.service\n",
    "cgroup/user.slice/engramd.service/memory.max": "1073741824\n",
    ...changes,
  };
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  return {
    procDir: folder.at("proc"),
    cgroupDir: folder.at("cgroup"),
    lingerDir: folder.folder("linger"),
    umask: () => 0o077,
    refusesOddSockets: () => true,
  };
}

function tested(folder: TempFolder, kernel: Kernel, env: Readonly<Record<string, string>> = {}) {
  const runtime = folder.folder("runtime");
  return testService({
    files: createFiles(),
    env: { INVOCATION_ID: "abc", XDG_RUNTIME_DIR: runtime, USER: "mara", ...env },
    platform: "linux",
    pid: PID,
    kernel,
  });
}

function effects(hardening: readonly Hardening[]): Readonly<Record<string, boolean | null>> {
  return Object.fromEntries(hardening.map(({ name, effective }) => [name, effective]));
}

describe("the service's self-test", () => {
  it("finds every limit in force where the kernel says so", () => {
    const folder = createTempFolder();
    const kernel = createKernel(folder);

    const { manager, hardening, linger } = tested(folder, kernel);

    expect({ manager, linger }).toEqual({ manager: "systemd", linger: false });
    expect(effects(hardening)).toEqual({
      umask: true,
      "no-new-privileges": true,
      seccomp: true,
      "core-limit": true,
      "memory-ceiling": true,
      // The invented runtime folder is an ordinary one.
      "write-outside-fails": false,
      "address-families": true,
    });
  });

  it("finds each limit missing that the kernel does not enforce, and tells what it cannot know", () => {
    const folder = createTempFolder();
    const kernel = createKernel(folder, {
      "proc/self/status": "NoNewPrivs:\t0\nSeccomp:\t0\n",
      "proc/self/limits": "Max core file size        0                    unlimited            bytes\n",
      "proc/self/cgroup": "12:memory:/old\n",
    });

    const { hardening } = tested(folder, {
      ...kernel,
      umask: () => 0o022,
      refusesOddSockets: () => undefined,
    });

    expect(effects(hardening)).toMatchObject({
      umask: false,
      "no-new-privileges": false,
      seccomp: false,
      "core-limit": false,
      "memory-ceiling": null,
      "address-families": null,
    });
  });

  it("has no ceiling where the group says max", () => {
    const folder = createTempFolder();
    const kernel = createKernel(folder, { "cgroup/user.slice/engramd.service/memory.max": "max\n" });

    expect(effects(tested(folder, kernel).hardening)["memory-ceiling"]).toBe(false);
  });

  it("leaves nothing of the write it tried", () => {
    const folder = createTempFolder();

    tested(folder, createKernel(folder));

    expect(readdirSync(folder.at("runtime"))).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("takes a write that the folder refuses for a limit in force", () => {
    const folder = createTempFolder();
    const kernel = createKernel(folder);
    chmodSync(folder.folder("runtime"), 0o500);

    expect(effects(tested(folder, kernel).hardening)["write-outside-fails"]).toBe(true);
    chmodSync(folder.at("runtime"), 0o700);
  });

  it("knows a user whose services go on without a login", () => {
    const folder = createTempFolder();
    const kernel = createKernel(folder);
    folder.write("linger/mara", "");

    expect(tested(folder, kernel).linger).toBe(true);
    expect(tested(folder, kernel, { USER: "../mara" }).linger).toBeNull();
  });

  it("tries nothing when nobody's service runs us", () => {
    const folder = createTempFolder();
    const runtime = folder.at("runtime");

    const facts = testService({
      files: createFiles(),
      env: { XDG_RUNTIME_DIR: runtime },
      platform: "linux",
      pid: PID,
    });

    expect(facts).toEqual({ manager: "none", hardening: [], linger: null });
  });

  it.each([
    ["linux", { INVOCATION_ID: "abc" }, "systemd"],
    ["linux", { NOTIFY_SOCKET: "/run/notify" }, "systemd"],
    ["linux", { INVOCATION_ID: "abc", SYSTEMD_EXEC_PID: String(PID) }, "systemd"],
    // A shell in a terminal that is a service.
    ["linux", { INVOCATION_ID: "abc", SYSTEMD_EXEC_PID: "1" }, "none"],
    ["linux", {}, "none"],
    ["darwin", { XPC_SERVICE_NAME: "engramd" }, "launchd"],
    ["darwin", { XPC_SERVICE_NAME: "0" }, "none"],
    ["win32", { INVOCATION_ID: "abc" }, "none"],
  ] as const)("on %s with %j the manager is %s", (platform, env, manager) => {
    expect(managerOf({ env, platform, pid: PID })).toBe(manager);
  });

  it.skipIf(process.platform !== "linux")("reads the real kernel without a complaint", () => {
    const folder = createTempFolder();
    const { hardening } = testService({
      files: createFiles(),
      env: { INVOCATION_ID: "abc", XDG_RUNTIME_DIR: join(folder.path, "gone") },
      platform: "linux",
      pid: PID,
    });

    const found = effects(hardening);
    expect([true, false]).toContain(found["no-new-privileges"]);
    expect([true, false]).toContain(found["core-limit"]);
    expect(found["write-outside-fails"]).toBeNull();
  });
});
