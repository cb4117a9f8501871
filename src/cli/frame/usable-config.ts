// Whether the service could be started with the settings there are. Loaded only when it does not run: reading settings takes
// longer than asking for the status.
import { loadConfig } from "../../config/load.ts";
import type { CommandContext } from "./command.ts";
import { configFileOf } from "./service.ts";

/** Whatever is wrong with them, `engramd config check` says what. */
export function hasUsableConfig({ host, call, files, paths }: CommandContext): boolean {
  const configFile = configFileOf({ host, call });
  try {
    loadConfig({ files, paths, env: host.env, ...(configFile === undefined ? {} : { configFile }) });
    return true;
  } catch {
    return false;
  }
}
