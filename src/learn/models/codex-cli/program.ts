// Finds Codex's program and whether somebody is logged in. Looks only; reads no token and starts nothing.
import { isAbsolute, join } from "node:path";
import type { Files } from "../../../system/files.ts";
import type { Environment } from "../../../system/paths.ts";
import type { ProgramDeps } from "../cli/program.ts";
import { findProgram } from "../cli/program.ts";

export function findCodex(deps: ProgramDeps): string | undefined {
  return findProgram("codex", deps, [".local/bin", ".codex/bin"]);
}

/** Where the program keeps the login, whether it is there or not. */
export function loginFile({ env, home }: { readonly env: Environment; readonly home: string }): string {
  const named = env["CODEX_HOME"] ?? "";
  return join(isAbsolute(named) ? named : join(home, ".codex"), "auth.json");
}

/** Whether its own file is there; whether the login still holds, or is a key, only a request would tell. */
export function hasCodexLogin(deps: {
  readonly files: Pick<Files, "follow">;
  readonly env: Environment;
  readonly home: string;
}): boolean {
  return deps.files.follow(loginFile(deps))?.kind === "file";
}
