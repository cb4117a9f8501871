// Whether memory is on for a project, and why. Pure: environment and settings are handed in.
import type { Environment } from "../../system/paths.ts";

export interface MemorySwitch {
  readonly enabled: boolean;
  /** What decided, as a person would look it up. */
  readonly why: string;
}

/** The agent's own order; the first decisive line wins. */
export function memorySwitch({
  env,
  settings,
}: {
  readonly env: Environment;
  readonly settings: { readonly autoMemoryEnabled?: boolean | undefined };
}): MemorySwitch {
  const disabled = truth(env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"]);
  if (disabled !== undefined) {
    return { enabled: !disabled, why: `CLAUDE_CODE_DISABLE_AUTO_MEMORY is ${disabled ? "set" : "off"}` };
  }
  for (const bare of ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"]) {
    if (truth(env[bare]) === true) return { enabled: false, why: `${bare} is set` };
  }
  if (truth(env["CLAUDE_CODE_REMOTE"]) === true && (env["CLAUDE_CODE_REMOTE_MEMORY_DIR"] ?? "") === "") {
    return { enabled: false, why: "CLAUDE_CODE_REMOTE is set without CLAUDE_CODE_REMOTE_MEMORY_DIR" };
  }
  if (settings.autoMemoryEnabled !== undefined) {
    return { enabled: settings.autoMemoryEnabled, why: `setting autoMemoryEnabled` };
  }
  return { enabled: true, why: "default" };
}

/** Undefined: neither a yes nor a no, so the next line decides. */
function truth(value: string | undefined): boolean | undefined {
  const word = value?.trim().toLowerCase() ?? "";
  if (["1", "true", "yes", "on"].includes(word)) return true;
  if (["0", "false", "no", "off"].includes(word)) return false;
  return undefined;
}
