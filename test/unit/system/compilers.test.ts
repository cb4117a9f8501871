import { describe, expect, it } from "vitest";
import { createCompilers } from "../../../src/system/compilers.ts";
import { startChild } from "../../helpers/child-process.ts";

/** Whether V8 compiled a hot function: `%GetOptimizationStatus` is the only thing that tells. */
const IS_COMPILED = `
const { setFlagsFromString } = require("node:v8");
for (const flag of process.argv.slice(1)) setFlagsFromString(flag);
function hot(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
for (let i = 0; i < 2000; i++) hot(2000);
const OPTIMIZED = 1 << 4;
console.log((%GetOptimizationStatus(hot) & OPTIMIZED) !== 0);
`;

async function isCompiled(...flags: string[]): Promise<string> {
  // In the thread that asks: another one may not be done yet when it is asked, on a busy machine.
  const args = ["--allow-natives-syntax", "--no-concurrent-recompilation", "-e", IS_COMPILED, "--", ...flags];
  const child = startChild({ command: process.execPath, args });
  await child.exit;
  return child.stdout().trim();
}

describe("compilers", () => {
  it("are switched by flags that this Node takes while it runs", async () => {
    expect(await isCompiled()).toBe("true");
    expect(await isCompiled("--no-opt", "--no-sparkplug")).toBe("false");
    expect(await isCompiled("--no-opt", "--no-sparkplug", "--opt", "--sparkplug")).toBe("true");
  });

  it("can be switched any number of times", () => {
    const compilers = createCompilers();
    for (const isOn of [false, false, true, false, true]) compilers.use(isOn);
  });
});
