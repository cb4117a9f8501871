// Proofs that the linter's settings are in force: a misspelt or moved rule would otherwise just be silent.
import { spawnSync } from "node:child_process";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTempFolder } from "./helpers/temp-folder.ts";

const ROOT = join(import.meta.dirname, "..");

/** One broken snippet for each rule, by the name the linter prints. */
const BROKEN: Readonly<Record<string, string>> = {
  "no-floating-promises": `export function f() {\n  Promise.resolve(1);\n}`,
  "no-misused-promises": `export function f(x: Promise<boolean>) {\n  if (x) return 1;\n  return 2;\n}`,
  "switch-exhaustiveness-check": `export function f(x: "a" | "b") {\n  switch (x) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}`,
  "no-explicit-any": `export const a: any = 1;`,
  "no-non-null-assertion": `export const a = (x: string | undefined) => x!.length;`,
  "consistent-type-imports": `import { Stats } from "node:fs";\nexport type A = Stats;`,
  "no-default-export": `export default 1;`,
  "no-cycle": `import type { B } from "./no-cycle-partner.ts";\nexport type A = B;`,
  "max-lines-per-function": `export function f() {\n${"  void 0;\n".repeat(60)}}`,
  "no-console": `console.log(1);`,
  eqeqeq: `export const f = (a: number) => a == 1;`,
  "prefer-const": `export function f() {\n  let a = 1;\n  return a;\n}`,
  "no-empty": `export function f() {\n  try {\n    void 0;\n  } catch {}\n}`,
};

describe("the linter", () => {
  it("reports every rule the project relies on", () => {
    const folder = createTempFolder();
    copyFileSync(join(ROOT, ".oxlintrc.json"), folder.at(".oxlintrc.json"));
    copyFileSync(join(ROOT, "tsconfig.json"), folder.at("tsconfig.json"));
    symlinkSync(join(ROOT, "node_modules"), folder.at("node_modules"));
    folder.folder("src");
    for (const [rule, text] of Object.entries(BROKEN)) writeFileSync(folder.at("src", `${rule}.ts`), text);
    folder.write(
      "src/no-cycle-partner.ts",
      `import type { A } from "./no-cycle.ts";\nexport type B = A | 1;`,
    );

    const linter = join(ROOT, "node_modules/oxlint/bin/oxlint");
    const args = [linter, "--config", ".oxlintrc.json", "--type-aware", "--format", "json", "src"];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });

    const report: { diagnostics: { code: string; filename: string }[] } = JSON.parse(stdout);
    const missing = Object.keys(BROKEN).filter(
      (rule) =>
        !report.diagnostics.some(
          ({ code, filename }) => code.includes(`(${rule})`) && filename.includes(rule),
        ),
    );
    expect(missing).toEqual([]);
  });
});
