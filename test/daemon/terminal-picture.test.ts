// The picture at the top of the README shows what the program prints now.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startChild } from "../helpers/child-process.ts";
import { builtEntry } from "../helpers/daemon-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const SCRIPT = ".ci/terminal-picture.mjs";
const PICTURE = "docs/first-screen.svg";

function textOf(svg: string): string[] {
  const texts = [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, inner = ""]) => inner);
  return texts.map((inner) =>
    inner
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

it(`${PICTURE} is what engramd prints; else: npm run build && node ${SCRIPT} > ${PICTURE}`, async () => {
  const child = startChild({
    command: process.execPath,
    args: [join(ROOT, SCRIPT)],
    env: { PATH: process.env["PATH"] ?? "", ENGRAMD_ENTRY: builtEntry() },
  });
  expect((await child.exit).code).toBe(0);

  const shown = textOf(readFileSync(join(ROOT, PICTURE), "utf8"));

  expect(shown).toEqual(textOf(child.stdout()));
  expect(shown.slice(0, 2)).toEqual(["$ engramd", "engramd is watching (offline: no network, no cost)"]);
  expect(shown.length).toBeGreaterThan(5);
});

it("the README shows it, and says the same in words for those who see no picture", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const lines = textOf(readFileSync(join(ROOT, PICTURE), "utf8"));

  const alternative = /!\[([^\]]*)\]\(docs\/first-screen\.svg\)/.exec(readme)?.[1] ?? "";
  // What stands at the end of the line is a command.
  expect(alternative).toContain(lines[3]?.trim().split(/\s{2,}/u)[0]);
});
