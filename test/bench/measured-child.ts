// Runs one measurement in a process of its own, so that CPU time, memory and descriptors are its alone.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const BUNDLES = "node_modules/.cache/engramd-bench/children";

/** Bundles a TypeScript file of this folder as the build does; answers the path of the script. */
export async function bundleChild(name: string): Promise<string> {
  const outfile = join(process.cwd(), BUNDLES, `${name}.mjs`);
  mkdirSync(join(process.cwd(), BUNDLES), { recursive: true });
  await build({
    entryPoints: [join(process.cwd(), "test/bench", `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}

/** Runs a program to its end and parses the JSON it prints. */
export async function runChild<T>(command: string, args: readonly string[]): Promise<T> {
  const child = spawn(command, [...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`);
  return JSON.parse(output) as T;
}

/** User and system time of one run of any program, from the shell's own accounting of its children. */
export function childCpuMs(command: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const script = '"$@" >/dev/null 2>&1; times';
  const printed = execFileSync("bash", ["-c", script, "bash", ...command], { env, encoding: "utf8" });
  const children = printed.trim().split("\n")[1] ?? "";
  let ms = 0;
  for (const [, minutes, seconds] of children.matchAll(/(\d+)m([\d.]+)s/g)) {
    ms += Number(minutes) * 60_000 + Number(seconds) * 1_000;
  }
  return ms;
}

/** Calls `act` with a fresh folder and removes it afterwards. */
export async function withFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "engramd-bench-"));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
