// A machine for one check: a scratch home, a fake /proc and whatever a test says of the rest.
import type { Config } from "../../../../../src/config/schema.ts";
import { completeConfig } from "../../../../../src/config/schema.ts";
import type { Status } from "../../../../../src/domain/status.ts";
import type { DoctorFacts } from "../../../../../src/serve/answers/doctor/check.ts";
import { readLastStatus } from "../../../../../src/serve/client/last-status.ts";
import { readInstalled } from "../../../../../src/serve/deliver/install/record.ts";
import { createClock } from "../../../../../src/system/clock.ts";
import { createRunCommand } from "../../../../../src/system/command.ts";
import { createFiles } from "../../../../../src/system/files.ts";
import { resolvePaths } from "../../../../../src/system/paths.ts";
import { ownUid } from "../../../../../src/system/process.ts";
import type { FakePrograms } from "../../../../helpers/fake-programs.ts";
import { createFakePrograms } from "../../../../helpers/fake-programs.ts";
import type { ScratchHome } from "../../../../helpers/scratch-home.ts";
import { createScratchHome } from "../../../../helpers/scratch-home.ts";

export interface Machine {
  readonly home: ScratchHome;
  readonly programs: FakePrograms;
  readonly facts: DoctorFacts;
}

export function createMachine(changes: Partial<DoctorFacts> = {}): Machine {
  const home = createScratchHome();
  const programs = createFakePrograms(home.folder);
  const files = createFiles();
  const clock = createClock();
  const env = { ...home.env, PATH: programs.path, USER: "mara" };
  const paths = resolvePaths({
    env,
    accountHome: home.home,
    platform: "linux",
    temporaryDir: home.folder.at("tmp"),
  });
  const config: Config = completeConfig({});
  const facts: DoctorFacts = {
    files,
    paths,
    env,
    platform: "linux",
    uid: ownUid(),
    pid: process.pid,
    clock,
    run: createRunCommand(clock),
    program: { node: process.execPath, entry: home.folder.write("package/dist/main.js", "") },
    nodeVersion: "20.19.0",
    version: "1.1.0",
    loadConfig: () => ({ config, warnings: [], origin: new Map(), locked: [] }),
    config: () => config,
    installed: () => readInstalled({ files, paths }),
    live: undefined,
    unanswered: undefined,
    known: readLastStatus({ files, paths }).status,
    freeBytes: () => 10_000_000_000,
    procDir: home.folder.folder("proc"),
    ...changes,
  };
  return { home, programs, facts };
}

/** A status with nothing in it but what is said. */
export function statusWith(changes: Partial<Status>): Status {
  const { facts } = createMachine();
  return { ...facts.known, state: "idle", pid: 4242, ...changes };
}

export function projectAt(root: string, memoryDir: string): Status["projects"][number] {
  return {
    key: root.replaceAll("/", "-"),
    root,
    memoryDir,
    mode: "auto",
    memories: 0,
    index: { lines: 0, bytes: 0 },
    waitingFor: null,
    lastRun: null,
    lastSkip: null,
    lastError: null,
    nextDue: { extract: null, dream: null, distill: null },
    gates: { dream: null, distill: null },
    spentUsdToday: 0,
  };
}
