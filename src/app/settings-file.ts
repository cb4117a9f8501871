// The settings file of the person, to be changed by a command they said yes to: read as text, tried out, replaced as
// a whole. Decides nothing about what goes into it.
import { dirname } from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { loadConfig } from "../config/load.ts";
import { STATE_LIMITS } from "../domain/limits.ts";
import type { Ground } from "./ground.ts";

export interface SettingsFile {
  readonly path: string;
  readonly managedPath: string;
  /** Undefined when there is none. */
  text(): string | undefined;
  /** The settings as they would be with this text; throws for what cannot be used. */
  tryOut(text: string | undefined): LoadedConfig;
  /** Throws `changed` when the file is not as it was. */
  write(change: { readonly before: string | undefined; readonly after: string }): void;
}

export function createSettingsFile({ files, paths, input }: Ground): SettingsFile {
  const { env, configFile } = input;
  const path = configFile ?? paths.configFile;
  const text = () => files.read(path, STATE_LIMITS.configBytesMax)?.toString("utf8");
  return {
    path,
    managedPath: paths.managedConfigFile,
    text,
    tryOut(tried) {
      const read: typeof files.read = (asked, bytesMax) => {
        if (asked !== path) return files.read(asked, bytesMax);
        return tried === undefined ? undefined : Buffer.from(tried);
      };
      return loadConfig({
        files: { ...files, read },
        paths,
        env,
        ...(configFile === undefined ? {} : { configFile }),
      });
    },
    write({ before, after }) {
      // A link leads to where the person keeps their settings; it stays a link.
      const real = files.real(path) ?? path;
      files.ensureFolder(dirname(real));
      files.replace(real, after, { stillValid: () => text() === before });
    },
  };
}
