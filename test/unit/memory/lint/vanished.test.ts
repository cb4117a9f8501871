// Things a memory names that the project has no more, and the many words that only look like one.
import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mentionsIn } from "../../../../src/memory/lint/mentions.ts";
import { createProjectProbe } from "../../../../src/memory/lint/project-probe.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { findings, one, type Texts, writeAll } from "./lint-folder.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 9;

const PROJECT: Texts = {
  "package.json": JSON.stringify({
    name: "shop",
    scripts: { test: "vitest", "db:seed": "node seed.js" },
    dependencies: { zod: "3", "@shop/ui": "1" },
  }),
  "packages/web/package.json": JSON.stringify({ name: "@shop/web", scripts: { preview: "x" } }),
  "packages/web/src/page.ts": "",
  "src/queue.ts": "",
  "docs/guide.md": "",
  Makefile: "all: build\nbuild:\n\techo x\n.PHONY: all\n",
};

const codesOf = (body: string, project: Texts = PROJECT) =>
  findings(one(body), { project }).map(({ code }) => code);

describe("what is gone from the project", () => {
  it.each([
    ["The retry logic is in `src/retry.ts`.", "vanished-path"],
    ["The retry logic is in src/net/retry.ts and nowhere else to look.", "vanished-path"],
    ["Read docs/deploy.md. Never skip it.", "vanished-path"],
    ["重试逻辑在 `src/retry.ts` 里。", "vanished-path"],
    ["Seed with `npm run seed` each morning.", "vanished-command"],
    ["Use `pnpm run lint:all` for that.", "vanished-command"],
    ["Call `make release` for it.", "vanished-command"],
    ["We validate with the `joi` library.", "vanished-package"],
    ["Das Paket `@shop/theme` hält die Farben.", "vanished-package"],
  ])("is found: %j", (body, code) => {
    expect(codesOf(body)).toEqual([code]);
  });

  it.each([
    "The queue is in `src/queue.ts`.",
    "Split by layer, e.g. src/api/routes.ts first.",
    "Nach Schichten teilen, z. B. src/api/routes.ts zuerst.",
    "The runbook is docs/oncall.md in the ops repo.",
    "The `queue` package holds the retries.",
    "The `com.shop.docs` package is generated.",
    "It needs the `libpq-dev` package from apt.",
    "Install the `ripgrep` package with brew.",
    "The queue is in ./src/queue.ts:",
    "The page is in `src/page.ts` of its package.",
    "Start at docs/guide.md.",
    "We removed `src/retry.ts`.",
    "Do not create `src/retry.ts`.",
    "`src/retry.ts` wurde gelöscht.",
    "`src/retry.ts` 已经删除了。",
    "The build lands in `dist/main.js`.",
    "It is in node_modules/zod/index.js.",
    "See https://example.com/src/retry.ts for it.",
    "The site is example.com/docs/retry.html.",
    "Read and/or write it.",
    "The type is application/json.",
    "Branches are called feature/retry.",
    "A path like src/foo/bar.ts is fine.",
    "Tests match `src/**/*.test.ts`.",
    "The socket is /run/shop/shop.sock.",
    "It lies in ~/notes/retry.md.",
    "It lies in ../other/src/retry.ts.",
    "The engine is in engine-core/lib/retry.ts.",
    "Run `npm run test` and `npm run db:seed`, then `npm run preview`.",
    "Run `npm install` first.",
    "Call `make build` for it.",
    "They make release notes by hand.",
    "We validate with the `zod` library.",
    "The `@shop/web` package is the site.",
    "Never take the `joi` library.",
    "joi is a library.",
    "```\ncat src/retry.ts\n```\nThat is all.",
  ])("is not found: %j", (body) => {
    expect(codesOf(body)).toEqual([]);
  });

  it("is told once for each memory, with its line", () => {
    const found = findings(one("In `src/retry.ts`.\n\nAgain in `src/retry.ts`."), { project: PROJECT });

    expect(found).toMatchObject([{ code: "vanished-path", line: 6, fixable: false }]);
  });

  it("is nothing where the project is not on this machine", () => {
    expect(findings(one("In `src/retry.ts` with `npm run seed`."))).toEqual([]);
  });

  it("is no script, target or package where nobody can tell: none named, an include, a broken manifest", () => {
    expect(codesOf("Seed with `npm run seed`.", { "src/a.ts": "" })).toEqual([]);
    expect(codesOf("Call `make release`.", { Makefile: "include rules.mk\nall:\n" })).toEqual([]);
    expect(codesOf("Call `make release`.", { Makefile: "%.o: %.c\n\tcc\n" })).toEqual([]);
    expect(codesOf("Seed with `npm run seed`.", { "package.json": "{" })).toEqual([]);
    expect(codesOf("The `joi` library.", { "src/a.ts": "" })).toEqual([]);
  });
});

describe("the probe", () => {
  function probeOf(texts: Texts) {
    const folder = createTempFolder();
    const root = folder.at("project");
    writeAll(root, texts);
    return { folder, root, ask: () => createProjectProbe(createFiles(), root) };
  }

  it("follows no link out of the project, and takes nothing behind one for gone", () => {
    const { folder, root, ask } = probeOf({ "src/a.ts": "" });
    writeAll(folder.at("outside"), { "secret.ts": "" });
    symlinkSync(folder.at("outside"), `${root}/src/linked`);
    symlinkSync("/nowhere", `${root}/src/dangling.ts`);

    expect(ask()?.hasPath("src/linked/secret.ts")).toBe("unknown");
    expect(ask()?.hasPath("src/linked/other.ts")).toBe("unknown");
    expect(ask()?.hasPath("src/dangling.ts")).toBe("yes");
    expect(ask()?.hasPath("src/gone.ts")).toBe("no");
    expect(ask()?.hasPath("lib/gone.ts")).toBe("unknown");
  });

  it("says nothing about what lies outside, and answers absolute paths inside", () => {
    const { root, ask } = probeOf({ "src/a.ts": "" });

    expect(ask()?.hasPath("/etc/passwd.ts")).toBe("unknown");
    expect(ask()?.hasPath("src/../../x.ts")).toBe("unknown");
    expect(ask()?.hasPath(`${root}/src/a.ts`)).toBe("yes");
    expect(ask()?.hasPath(`${root}/src/b.ts`)).toBe("no");
    expect(ask()?.hasPath(`${root}-other/src/b.ts`)).toBe("unknown");
  });

  it("is none for a root that is a file or not there", () => {
    const folder = createTempFolder();
    writeAll(folder.path, { file: "" });
    mkdirSync(folder.at("empty"));

    expect(createProjectProbe(createFiles(), folder.at("file"))).toBeUndefined();
    expect(createProjectProbe(createFiles(), folder.at("missing"))).toBeUndefined();
    expect(createProjectProbe(createFiles(), folder.at("empty"))?.hasPath("src/a.ts")).toBe("no");
  });
});

describe("a hostile line", () => {
  it.each([
    "src/".repeat(500),
    "`a`".repeat(700),
    "npm run ".repeat(250),
    "make ".repeat(400),
    "a/b.c ".repeat(330),
  ])("is read in no time: %j", async (text) => {
    expect(await costOf(() => mentionsIn(text), { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
  });
});
