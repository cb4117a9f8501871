// Optional data kept beside the repository (genuine transcripts, bench sets). Tests skip what is not there.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/**
 * Absolute path of a file or folder of the optional data, from `ENGRAMD_SHARED` or the folder beside the
 * repository. Undefined (with a printed reason) when it does not exist; use with `it.skipIf`.
 */
export function sampleData(name: string): string | undefined {
  const path = join(resolve(ROOT, process.env["ENGRAMD_SHARED"] ?? "../shared"), name);
  if (existsSync(path)) return path;
  process.stdout.write(`skipped: no ${name} in the optional data (set ENGRAMD_SHARED)\n`);
  return undefined;
}
