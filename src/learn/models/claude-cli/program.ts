// Finds Claude Code's program and whether somebody is logged in. Looks only; reads no token and starts nothing.
import { isAbsolute, join } from "node:path";
import type { Files } from "../../../system/files.ts";
import type { Environment } from "../../../system/paths.ts";
import { mayUse } from "../../../system/rights.ts";
import { asObject, parseArguments } from "../arguments.ts";

export interface ProgramDeps {
  readonly files: Pick<Files, "follow">;
  readonly env: Environment;
  readonly home: string;
}

/** Folders on PATH that are looked into; a longer PATH is a mistake. */
const PATH_FOLDERS_MAX = 200;

/** The program's path. A service does not have the PATH of a shell: its usual places are looked into as well. */
export function findClaude({ files, env, home }: ProgramDeps): string | undefined {
  const onPath = (env["PATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));
  const usual = [
    join(home, ".local/bin"),
    join(home, ".claude/local"),
    "/opt/homebrew/bin",
    "/usr/local/bin",
  ];
  return [...onPath.slice(0, PATH_FOLDERS_MAX), ...usual]
    .map((folder) => join(folder, "claude"))
    .find((path) => mayUse(path, "run") && files.follow(path)?.kind === "file");
}

export interface LoginDeps {
  readonly files: Pick<Files, "follow" | "read">;
  readonly env: Environment;
  readonly home: string;
  readonly claudeHome: string;
}

/** It keeps notes of every project in that file. */
const ACCOUNT_BYTES_MAX = 16_000_000;

/** Whether its own files say that somebody is logged in; whether the login still holds, only a request would tell. */
export function hasClaudeLogin({ files, env, home, claudeHome }: LoginDeps): boolean {
  if ((env["CLAUDE_CODE_OAUTH_TOKEN"] ?? "") !== "") return true;
  if (files.follow(join(claudeHome, ".credentials.json"))?.kind === "file") return true;
  // On a Mac the login is in the keychain, and this file names whose it is.
  const account = env["CLAUDE_CONFIG_DIR"] === undefined ? home : claudeHome;
  const path = join(account, ".claude.json");
  const facts = files.follow(path);
  if (facts?.kind !== "file" || facts.bytes > ACCOUNT_BYTES_MAX) return false;
  const text = files.read(path, ACCOUNT_BYTES_MAX)?.toString("utf8");
  return text !== undefined && asObject(parseArguments(text)?.["oauthAccount"]) !== undefined;
}
