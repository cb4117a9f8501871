// What the checks of `engramd doctor` may ask, for one run of it. Asks the daemon once; reads the settings anew for
// every check that wants them.
import { loadConfig } from "../../../config/load.ts";
import { completeConfig } from "../../../config/schema.ts";
import { AppError, messageOf } from "../../../domain/errors.ts";
import { VERSION } from "../../../domain/version.ts";
import { freeBytes } from "../../../system/disk-space.ts";
import { nodeVersion } from "../../../system/process.ts";
import { findDaemon } from "../../client/daemon-file.ts";
import { readLastStatus } from "../../client/last-status.ts";
import { createRemoteService } from "../../client/remote-service.ts";
import { readInstalled } from "../../deliver/install/record.ts";
import type { DoctorFacts } from "./check.ts";

export interface FactsInput extends Pick<
  DoctorFacts,
  "files" | "paths" | "env" | "platform" | "uid" | "pid" | "clock" | "run" | "program"
> {
  /** `--config`, absolute. */
  readonly configFile: string | undefined;
}

const PROC = "/proc";

export async function gatherFacts({ configFile, ...input }: FactsInput): Promise<DoctorFacts> {
  const { files, env } = input;
  const paths = configFile === undefined ? input.paths : { ...input.paths, configFile };
  const load = () => loadConfig({ files, paths, env, ...(configFile === undefined ? {} : { configFile }) });
  const daemon = await askDaemon(input);
  return {
    ...input,
    ...daemon,
    paths,
    nodeVersion: nodeVersion(),
    version: VERSION,
    loadConfig: load,
    config() {
      try {
        return load().config;
      } catch (error) {
        if (error instanceof AppError) return completeConfig({});
        throw error;
      }
    },
    installed: () => readInstalled({ files, paths }),
    known: daemon.live ?? readLastStatus({ files, paths }).status,
    freeBytes,
    procDir: PROC,
  };
}

type Daemon = Pick<DoctorFacts, "live" | "unanswered">;

async function askDaemon(input: Pick<FactsInput, "files" | "paths" | "clock">): Promise<Daemon> {
  try {
    const live = await createRemoteService({ ...input, address: findDaemon(input) }).status();
    return { live, unanswered: undefined };
  } catch (error) {
    // A folder that cannot be entered as well: the doctor is called because something is broken.
    const isAbsent = error instanceof AppError && error.code === "not-running";
    return { live: undefined, unanswered: isAbsent ? undefined : messageOf(error) };
  }
}
