// The settings file of the person, to be changed by a command they said yes to: read as text, tried out, replaced as
// a whole. Decides nothing about what goes into it.
import { dirname } from "node:path";
import { loadConfig } from "../config/load.ts";
import { STATE_LIMITS } from "../domain/limits.ts";
import type { SettingsText } from "../serve/answers/model-edits.ts";
import type { Ground } from "./ground.ts";

export function createSettingsFile({ files, paths, input }: Ground): SettingsText {
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
