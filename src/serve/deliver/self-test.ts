// Which limits of the service's unit really hold: what is asked for in a unit is silently weaker on many machines.
// Looks at the kernel's own figures, and tries one write that must fail. Tries nothing when nobody's service runs us.
import { join } from "node:path";
import type { Hardening, ServiceFacts } from "../../domain/status.ts";
import { systemCode } from "../../domain/errors.ts";
import type { Files } from "../../system/files.ts";
import { randomSuffix } from "../../system/ids.ts";
import type { Environment } from "../../system/paths.ts";
import { ownUmask, refusesOddSockets } from "../../system/process.ts";
import { readProcFile } from "../../system/proc-file.ts";

export interface SelfTestDeps {
  readonly files: Files;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  /** What the kernel tells; default the real ones. Tests hand in their own. */
  readonly kernel?: Partial<Kernel>;
}

export interface Kernel {
  readonly procDir: string;
  readonly cgroupDir: string;
  readonly lingerDir: string;
  umask(): number;
  refusesOddSockets(): boolean | undefined;
}

const KERNEL: Kernel = {
  procDir: "/proc",
  cgroupDir: "/sys/fs/cgroup",
  lingerDir: "/var/lib/systemd/linger",
  umask: ownUmask,
  refusesOddSockets,
};

/** Once at start. Takes a millisecond; never throws for what it finds. */
export function testService(deps: SelfTestDeps): ServiceFacts {
  const manager = managerOf(deps);
  if (manager === "none") return { manager, hardening: [], linger: null };
  const kernel = { ...KERNEL, ...deps.kernel };
  const umask = { name: "umask", effective: (kernel.umask() & 0o077) === 0o077 };
  if (manager === "launchd") return { manager, hardening: [umask], linger: null };
  return {
    manager,
    hardening: [umask, ...kernelLimits(deps.files, kernel), writeOutside(deps), addressFamilies(kernel)],
    linger: lingers(deps, kernel),
  };
}

/** The label of our agent; launchd sets it for what it starts. */
const LABEL = "engramd";

/**
 * The variables of a service are inherited by all it starts, a terminal among them: the manager's word which process
 * it means decides where it gives one.
 */
export function managerOf({ env, platform, pid }: Omit<SelfTestDeps, "files">): ServiceFacts["manager"] {
  if (platform === "darwin") return env["XPC_SERVICE_NAME"] === LABEL ? "launchd" : "none";
  if (platform !== "linux") return "none";
  const meant = env["SYSTEMD_EXEC_PID"];
  const isOurs = meant === undefined || meant === String(pid);
  const isSet = (name: string) => (env[name] ?? "") !== "";
  return isOurs && (isSet("INVOCATION_ID") || isSet("NOTIFY_SOCKET")) ? "systemd" : "none";
}

const STATUS_BYTES_MAX = 16_384;
/** `Seccomp` of /proc/self/status: a filter is in force. */
const FILTERED = "2";

function kernelLimits(files: Files, { procDir, cgroupDir }: Kernel): Hardening[] {
  const read = (name: string) =>
    readProcFile(files, { path: join(procDir, "self", name), bytesMax: STATUS_BYTES_MAX });
  const status = read("status");
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "mu").exec(status ?? "")?.[1];
  const core = /^Max core file size\s+(\S+)\s+(\S+)/mu.exec(read("limits") ?? "");
  const group = /^0::(\/.*)$/mu.exec(read("cgroup") ?? "")?.[1];
  return [
    { name: "no-new-privileges", effective: isOne(field("NoNewPrivs"), "1") },
    { name: "seccomp", effective: isOne(field("Seccomp"), FILTERED) },
    { name: "core-limit", effective: core === null ? null : core[1] === "0" && core[2] === "0" },
    {
      name: "memory-ceiling",
      effective: hasCeiling(files, group === undefined ? undefined : join(cgroupDir, group)),
    },
  ];
}

function isOne(found: string | undefined, wanted: string): boolean | null {
  return found === undefined ? null : found === wanted;
}

const FIGURE_BYTES_MAX = 64;

/** `memory.max` of our own group: a number, or `max` for none. */
function hasCeiling(files: Files, group: string | undefined): boolean | null {
  if (group === undefined) return null;
  const figure = readProcFile(files, { path: join(group, "memory.max"), bytesMax: FIGURE_BYTES_MAX })?.trim();
  return figure === undefined || figure === "" ? null : /^\d+$/u.test(figure);
}

/** What a folder that was mounted read-only for us answers. */
const CLOSED = new Set(["EROFS", "EACCES", "EPERM"]);

/**
 * The unit leaves us the home folder, where memories are, and closes the rest. The runtime folder of the user is
 * outside and theirs to write: a file there fails, or is gone again at once.
 */
function writeOutside({ files, env }: SelfTestDeps): Hardening {
  const name = "write-outside-fails";
  const folder = env["XDG_RUNTIME_DIR"] ?? "";
  if (!folder.startsWith("/")) return { name, effective: null };
  const path = join(folder, `.engramd-self-test-${randomSuffix()}`);
  try {
    if (files.createExclusive(path, "")) files.remove(path);
    return { name, effective: false };
  } catch (error) {
    return { name, effective: CLOSED.has(systemCode(error) ?? "") ? true : null };
  }
}

function addressFamilies(kernel: Kernel): Hardening {
  return { name: "address-families", effective: kernel.refusesOddSockets() ?? null };
}

/** A file of this name says that the user's services go on without a login. */
function lingers({ files, env }: SelfTestDeps, { lingerDir }: Kernel): boolean | null {
  const user = env["USER"] ?? env["LOGNAME"] ?? "";
  if (!/^[\w.][\w.@-]*$/u.test(user)) return null;
  try {
    return files.names(lingerDir)?.includes(user) ?? false;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null;
  }
}
