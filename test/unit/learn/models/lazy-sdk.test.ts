// What an idle service must not load: the SDK, which only a request may, the parser of command lines, and more of Node
// than it uses.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../../..");
/** A header name that only the SDK's code holds. */
const MARK = "X-Stainless-Retry-Count";

describe("the SDK", () => {
  it("is in a chunk that the registry of providers loads only by a dynamic import", () => {
    const { metafile } = buildSync({
      absWorkingDir: ROOT,
      entryPoints: ["src/learn/models/registry.ts"],
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      outdir: "unused",
      write: false,
      metafile: true,
      logLevel: "warning",
    });
    const outputs = metafile.outputs;
    const holds = (path: string) =>
      Object.keys(outputs[path]?.inputs ?? {}).some((input) => input.includes("@anthropic-ai/sdk"));
    const eager = reach("unused/registry.js", (path) =>
      (outputs[path]?.imports ?? [])
        .filter(({ kind }) => kind === "import-statement")
        .map(({ path: to }) => to),
    );

    expect([...eager].filter(holds)).toEqual([]);
    expect(Object.keys(outputs).filter(holds)).not.toEqual([]);
  });

  it.each(["engine.mjs", "service.mjs"])("is not among what the built %s loads at its start", (name) => {
    const engine = join(ROOT, "dist", name);
    const eager = builtReach(engine);

    expect(existsSync(engine)).toBe(true);
    expect(eager.size).toBeGreaterThan(1);
    const loaded = [join(ROOT, "dist/main.js"), ...eager];
    expect(loaded.filter((path) => readFileSync(path, "utf8").includes(MARK))).toEqual([]);
  });

  it("is known by its mark", () => {
    const client = readFileSync(join(ROOT, "node_modules/@anthropic-ai/sdk/client.mjs"), "utf8");

    expect(client).toContain(MARK);
  });
});

describe("the built service", () => {
  it("loads no parser of command lines", () => {
    const holders = (name: string) =>
      [...builtReach(join(ROOT, "dist", name))].filter((path) =>
        readFileSync(path, "utf8").includes("commander.unknownOption"),
      );

    expect(holders("service.mjs")).toEqual([]);
    expect(holders("engine.mjs")).toHaveLength(1);
  });

  it("imports no module of Node as a namespace, which would load all of its members", () => {
    const chunks = readdirSync(join(ROOT, "dist/chunks")).map((name) => join(ROOT, "dist/chunks", name));
    const imports = chunks.filter((path) =>
      /(?:^|;)import[^;"]*"(?!\.)[^"]+"/mu.test(readFileSync(path, "utf8")),
    );

    expect(imports).toEqual([]);
    expect(chunks.some((path) => readFileSync(path, "utf8").includes("getBuiltinModule"))).toBe(true);
  });
});

/** What a built file loads at once. */
function builtReach(file: string): Set<string> {
  return reach(file, (path) =>
    [...readFileSync(path, "utf8").matchAll(/(?:^|;)(?:import|export)\b[^;"']*["'](\.[^"']+)["']/gm)].map(
      ([, to]) => join(dirname(path), to ?? ""),
    ),
  );
}

function reach(from: string, next: (path: string) => readonly string[]): Set<string> {
  const seen = new Set([from]);
  for (const path of seen) for (const to of next(path)) seen.add(to);
  return seen;
}
