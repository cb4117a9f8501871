// Questions about a project: what is answered, and that nothing in a file, behind a link or outside ever is.
import { chmodSync, symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { createExistsTool } from "../../../../../src/learn/jobs/consolidate/exists.ts";
import { createProjectLook } from "../../../../../src/learn/jobs/consolidate/project-look.ts";
import { localTimeIn } from "../../../../../src/learn/jobs/local-time.ts";
import { DREAM_LIMITS } from "../../../../../src/domain/limits.ts";
import type { Stage } from "../../../../../src/learn/runs/stage.ts";
import { createFiles } from "../../../../../src/system/files.ts";
import { createManualClock } from "../../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../../helpers/temp-folder.ts";
import { UTC } from "../../../../helpers/time-zone.ts";
import { stageOf } from "../../runs/folder.ts";

function setUp() {
  const temp = createTempFolder();
  temp.write("shop/src/cart.ts", "export function addToCart() {}\n");
  temp.write("shop/package.json", JSON.stringify({ scripts: { build: "tsc" } }));
  temp.write("shop/Makefile", "deploy: build\n\techo hidden_name\n");
  temp.write("shop/.env", "hidden_value=1\n");
  temp.write("shop/.git/config", "hidden_remote\n");
  temp.write("outside/file.ts", "const outsideName = 1;\n");
  symlinkSync(temp.at("outside"), temp.at("shop/away"));
  chmodSync(temp.write("bin/painter", "#!/bin/sh\n"), 0o755);
  const clock = createManualClock();
  const { signal } = new AbortController();
  const files = createFiles();
  const look = createProjectLook({
    files,
    clock,
    root: temp.at("shop"),
    programFolders: () => [temp.at("bin")],
    signal,
  });
  const { tool, gone } = createExistsTool({ look, time: localTimeIn(UTC) });
  const stage: Stage = stageOf();
  return {
    gone,
    async ask(kind: string, name: string): Promise<string> {
      return (await tool.run({ kind, name }, { stage, signal })).text;
    },
  };
}

it.each([
  ["path", "src/cart.ts", /^yes, last changed \w+day \d{4}-\d\d-\d\d$/u],
  ["path", "./src", /^yes$/u],
  ["path", "src/basket.ts", /^no$/u],
  ["path", ".env", /^yes$/u],
  ["path", ".git/config", /^(?:yes|nobody can tell.*)$/u],
  ["path", "../outside/file.ts", /^nobody can tell/u],
  ["path", "/etc/passwd", /^nobody can tell/u],
  ["path", "away/file.ts", /^nobody can tell/u],
  ["path", "src/\0cart.ts", /^nobody can tell|^no$/u],
  ["command", "build", /^yes, a script/u],
  ["command", "npm run build", /^yes, a script/u],
  ["command", "make deploy", /^yes, a target/u],
  ["command", "npm run old-build", /^no$/u],
  ["command", "painter", /^yes, a program/u],
  ["command", "painter; rm -rf .", /^nobody can tell/u],
  ["command", "../bin/painter", /^nobody can tell/u],
  ["symbol", "addToCart", /^yes$/u],
  ["symbol", "addToBasket", /^no$/u],
  ["symbol", "hidden_value", /^no$/u],
  ["symbol", "hidden_remote", /^no$/u],
  ["symbol", "outsideName", /^no$/u],
  ["symbol", "export function", /^nobody can tell/u],
])("%s %j is answered %s", async (kind, name, expected) => {
  const { ask } = setUp();
  expect(await ask(kind, name)).toMatch(expected);
});

it("remembers what is not there, and answers so many questions a run", async () => {
  const { ask, gone } = setUp();
  await ask("path", "src/basket.ts");
  await ask("path", "src/cart.ts");
  expect([...gone]).toEqual(["src/basket.ts"]);
  for (let more = 2; more < DREAM_LIMITS.questionsMax; more += 1) await ask("path", "src");
  expect(await ask("path", "src")).toMatch(/^not done/u);
});

it("says that nobody can tell where the project is not on this machine", async () => {
  const { tool } = createExistsTool({ look: undefined, time: localTimeIn(UTC) });
  const answer = await tool.run(
    { kind: "path", name: "src" },
    { stage: stageOf(), signal: new AbortController().signal },
  );
  expect(answer.text).toMatch(/^nobody can tell/u);
});
