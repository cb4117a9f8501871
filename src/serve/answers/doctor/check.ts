// What a check of `engramd doctor` is: it looks at one thing within bounds, and may mend what is our own.
import type { Config } from "../../../config/schema.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import type { Status } from "../../../domain/status.ts";
import type { Clock } from "../../../system/clock.ts";
import type { RunCommand } from "../../../system/command.ts";
import type { Files } from "../../../system/files.ts";
import type { Environment, Paths } from "../../../system/paths.ts";
import type { Program } from "../../deliver/install/program.ts";
import type { InstalledService } from "../../deliver/install/record.ts";

export type CheckState = "ok" | "warn" | "fail";

export interface Finding {
  readonly state: CheckState;
  readonly message: string;
  /** The command or the step that mends it; null when there is nothing to do. */
  readonly fix: string | null;
}

export interface Check {
  /** Stable kebab-case name of what is looked at. */
  readonly code: string;
  /** Throws what it cannot cope with: the doctor makes a `fail` of it. Asks nothing that could wait for ever. */
  look(facts: DoctorFacts): Finding | Promise<Finding>;
  /**
   * Mends what `look` found, where that is safe and our own, and answers what it did. Called only after a finding that
   * is not `ok`; never touches a file of the person.
   */
  mend?(facts: DoctorFacts): readonly string[] | Promise<readonly string[]>;
}

/** What every check may ask; nothing of it is asked before a check does. */
export interface DoctorFacts {
  readonly files: Files;
  readonly paths: Paths;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly pid: number;
  readonly clock: Clock;
  readonly run: RunCommand;
  /** What runs now. */
  readonly program: Program;
  readonly nodeVersion: string;
  readonly version: string;
  /** Throws an AppError for settings nobody can use. */
  loadConfig(): LoadedConfig;
  /** Settings in force, the defaults where they cannot be read: another check says so. */
  config(): Config;
  /** Throws for a record that cannot be read. */
  installed(): InstalledService | undefined;
  /** The daemon's own words; undefined when nobody answers. */
  readonly live: Status | undefined;
  /** Why nobody could be asked although somebody seems to be there. */
  readonly unanswered: string | undefined;
  /** The last known status, running or not. */
  readonly known: Status;
  /** Free bytes where a path lies. */
  freeBytes(path: string): number | undefined;
  /** `/proc`, where there is one. */
  readonly procDir: string;
}

/** Names in one message; a thousand broken files are one problem. */
const NAMED_MAX = 5;

export function ok(message: string): Finding {
  return { state: "ok", message, fix: null };
}

export function warn(message: string, fix: string): Finding {
  return { state: "warn", message, fix };
}

export function fail(message: string, fix: string): Finding {
  return { state: "fail", message, fix };
}

/** The first few, and how many more. */
export function named(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  return `${names.slice(0, NAMED_MAX).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
