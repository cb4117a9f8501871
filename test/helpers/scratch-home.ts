// A home folder of its own for everything that looks for `HOME` or the XDG folders.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createKeptFolder, createTempFolder } from "./temp-folder.ts";
import type { TempFolder } from "./temp-folder.ts";

export interface ScratchHome {
  readonly home: string;
  readonly folder: TempFolder;
  /** `~/.claude/projects` */
  readonly claudeProjects: string;
  readonly stateDir: string;
  readonly configFile: string;
  readonly socket: string;
  /** The whole environment for a child process: nothing of the caller's but `PATH`. */
  readonly env: Record<string, string>;
}

/** Removed when the test is over; `kept` leaves that to the caller (`removeTree(home.folder.path)`). */
export function createScratchHome(options: { readonly kept?: boolean } = {}): ScratchHome {
  const folder = options.kept === true ? createKeptFolder() : createTempFolder();
  const home = folder.folder("home");
  const runtime = folder.at("run");
  mkdirSync(runtime, { mode: 0o700 });
  return {
    home,
    folder,
    claudeProjects: folder.folder("home/.claude/projects"),
    stateDir: join(home, ".local/state/engramd"),
    configFile: join(home, ".config/engramd/config.json"),
    socket: join(runtime, "engramd/engramd.sock"),
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_STATE_HOME: join(home, ".local/state"),
      XDG_DATA_HOME: join(home, ".local/share"),
      XDG_RUNTIME_DIR: runtime,
      TMPDIR: folder.folder("tmp"),
      TZ: "UTC",
      LANG: "C.UTF-8",
    },
  };
}
