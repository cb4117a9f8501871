// Real git repositories for tests, with a configuration of their own.
import { execFileSync } from "node:child_process";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

export interface Git {
  /** Runs git in a folder inside the scratch space; answers its output. */
  run(folder: string, ...args: readonly string[]): string;
  /** Makes a repository with one commit; answers its absolute path. */
  repository(name: string): string;
}

export function createGit(scratch: TempFolder): Git {
  const config = scratch.write(
    "gitconfig",
    '[user]\nname = Ana\nemail = ana@example.com\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n',
  );
  const run = (folder: string, ...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        GIT_CONFIG_GLOBAL: config,
        GIT_CONFIG_NOSYSTEM: "1",
        HOME: scratch.path,
      },
    });
  return {
    run,
    repository(name) {
      const folder = scratch.folder(name);
      run(folder, "init", "--quiet");
      run(folder, "commit", "--quiet", "--allow-empty", "--message", "start");
      return folder;
    },
  };
}
