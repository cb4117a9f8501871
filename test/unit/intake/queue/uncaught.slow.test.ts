import { build } from "esbuild";
import { expect, it } from "vitest";
import { startChild } from "../../../helpers/child-process.ts";

it("outlives a throw from a job's timer, a floating rejection and a rejected job (Q3, Q4, fault 71)", async () => {
  const root = `${import.meta.dirname}/../../../..`;
  // Beside the dependencies, which a bundle outside the project would not find.
  const outfile = `${root}/node_modules/.cache/engramd-test/uncaught-in-job.mjs`;
  await build({
    entryPoints: [`${root}/test/fixtures/uncaught-in-job.ts`],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });

  const child = startChild({ command: process.execPath, args: [outfile] });
  await child.exit;

  expect(child.lines()).toEqual([
    "k:timer thrown by timer",
    "k:floating thrown by floating",
    "k:rejecting rejected by rejecting",
    "k:good succeeded",
    "alive",
  ]);
});
