// Bundles a TypeScript file so that a real child process of plain Node can run it.
import { join } from "node:path";
import { buildSync } from "esbuild";

/** As in the build of the program itself: some packages ask for `require`. */
const BANNER = `import{createRequire as r}from'node:module';const require=r(import.meta.url);`;

/** Writes `<folder>/script.mjs` from the entry and answers its path. */
export function bundleScript(entry: string, folder: string): string {
  const outfile = join(folder, "script.mjs");
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: BANNER },
    logLevel: "warning",
  });
  return outfile;
}
