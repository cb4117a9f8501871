// Finds Claude Code's program and whether somebody is logged in. Looks only; reads no token and starts nothing.
import { fieldsOf } from "../../../domain/json.ts";
import { join } from "node:path";
import type { Files } from "../../../system/files.ts";
import type { Environment } from "../../../system/paths.ts";
import { parseArguments } from "../arguments.ts";
import type { ProgramDeps } from "../cli/program.ts";
import { findProgram } from "../cli/program.ts";

export function findClaude(deps: ProgramDeps): string | undefined {
  return findProgram("claude", deps, [".local/bin", ".claude/local"]);
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
  return text !== undefined && fieldsOf(parseArguments(text)?.["oauthAccount"]) !== undefined;
}
