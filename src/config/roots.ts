// Refuses transcript roots that would let a setting lead us into keys, start-up files or the whole home folder.
import type { Files } from "../system/files.ts";
import { expandHome, isInside } from "../system/paths.ts";
import { unusable } from "./layer.ts";
import type { Config } from "./schema.ts";

/** Below the home folder: credentials, and what a shell or a service manager runs. */
const FORBIDDEN_IN_HOME = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".config/systemd",
  ".config/autostart",
  ".local/share/keyrings",
  "Library/LaunchAgents",
  "Library/Keychains",
] as const;

const FORBIDDEN = ["/proc", "/sys", "/etc"] as const;

/** Throws an AppError (exit 3) for a root that is, contains or lies in a forbidden folder; links are followed. */
export function refuseDangerousRoots(
  config: Config,
  { files, home }: { readonly files: Files; readonly home: string },
): void {
  const forbidden = [...FORBIDDEN, ...FORBIDDEN_IN_HOME.map((name) => `${home}/${name}`)];
  for (const [agent, { roots }] of Object.entries(config.agents)) {
    for (const root of roots) {
      const path = expandHome(root, home) ?? root;
      for (const place of new Set([path, files.real(path) ?? path])) {
        const met = forbidden.find((folder) => isInside(place, folder) || isInside(folder, place));
        if (met !== undefined) throw dangerous({ agent, root, met });
      }
    }
  }
}

function dangerous({ agent, root, met }: { agent: string; root: string; met: string }): Error {
  return unusable(
    "config-bad-root",
    `agents.${agent}.roots holds ${JSON.stringify(root)}, which is, contains or lies in ${met}`,
    "name the folder that holds only transcripts",
  );
}
