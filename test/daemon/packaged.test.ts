// What is shipped: the built program alone, and a lock file anybody can install from.
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const ROOT = join(import.meta.dirname, "../..");

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(join(ROOT, "package-lock.json"), "utf8"),
);
const installed = Object.entries(lock.packages).filter(([path]) => path !== "");
const runtime = installed.filter(([, one]) => one.dev !== true);

/** The built files copied away from `node_modules`. */
function copyProgram() {
  const home = createScratchHome();
  const folder = home.folder.folder("program");
  cpSync(join(builtEntry(), ".."), join(folder, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  return { home, entry: join(folder, "dist/main.js") };
}

describe("the built program in a folder of its own", () => {
  it("tells its version", async () => {
    const { home, entry } = copyProgram();

    const { code, stdout } = await runCommand({ home, entry, args: ["--version"] });

    expect({ code, version: stdout.trim() }).toEqual({ code: 0, version: manifest.version });
  });

  it("runs as a daemon until it is asked to stop, with nothing on standard error", async () => {
    const { home, entry } = copyProgram();
    const daemon = startDaemon({ home, entry });

    const ready = await daemon.waitForEvent("daemon:ready");
    expect(ready["pid"]).toBe(daemon.child.pid);
    expect(existsSync(String(ready["socket"]))).toBe(true);

    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    await daemon.waitForEvent("daemon:stopped");
    expect(daemon.child.stderr()).toBe("");
    expect(existsSync(String(ready["socket"]))).toBe(false);
  });

  it("names every chunk it needs and asks for nothing but Node's own modules", () => {
    const folder = join(builtEntry(), "..");
    const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.m?js$/u.test(name))
      .map((name) => readFileSync(join(folder, name), "utf8"));
    const wanted = texts.flatMap((text) =>
      [...text.matchAll(/(?:^|;)(?:import|export)\b[^"'\n;]*["']([^"'\n;]+)["'](?=;|$)/gm)].map(
        ([, specifier]) => specifier ?? "",
      ),
    );

    const main = readFileSync(join(folder, "main.js"), "utf8");
    wanted.push(...[...main.matchAll(/\b(?:require|import)\("([^"]+)"\)/gu)].map(([, name]) => name ?? ""));

    expect(wanted.length).toBeGreaterThan(5);
    expect(wanted).toContain("./engine.mjs");
    expect(wanted.filter((name) => !name.startsWith(".") && !isNodeModule(name))).toEqual([]);
  });
});

describe("the lock file", () => {
  it("names no registry, so that any mirror can serve it", () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
    expect(installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual(
      [],
    );
  });

  it("brings users no package that runs a script when it is installed", () => {
    expect(runtime.length).toBeGreaterThan(10);
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });

  it("brings users no native addon", () => {
    const addons = runtime.flatMap(([path]) => {
      const folder = join(ROOT, path);
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".node") || name.endsWith("binding.gyp"))
        .map((name) => join(path, name));
    });

    expect(addons).toEqual([]);
  });

  it("pins every direct dependency to one version", () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

/** Bundled packages import Node's modules with and without the prefix. */
function isNodeModule(name: string): boolean {
  return process.getBuiltinModule?.(name) !== undefined || name.startsWith("node:");
}
