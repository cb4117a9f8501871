// What a memory folder that cannot be read does to answers about many: it is named, and keeps no other from being shown.
import { expect, it } from "vitest";
import type { Places } from "../../../../src/intake/projects/places.ts";
import { createFolderViews } from "../../../../src/serve/answers/folder-view.ts";
import { answerMemories } from "../../../../src/serve/answers/memories.ts";
import { answerSearch } from "../../../../src/serve/answers/search.ts";
import type { Files } from "../../../../src/system/files.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

/** Also for root, who may read everything: opening the folder fails as it does for anybody else. */
function withLocked(folder: string, code: string): Files {
  const files = createFiles();
  const refuse = (path: string) => {
    throw Object.assign(new Error("refused"), { code, path });
  };
  return {
    ...files,
    look: (path) => (path.startsWith(`${folder}/`) ? refuse(path) : files.look(path)),
    real: (path) => (path === folder ? refuse(path) : files.real(path)),
  };
}

function setUp(code: string) {
  const temp = createTempFolder();
  for (const name of ["open", "locked"])
    temp.write(
      `${name}/project_host.md`,
      "---\nname: host\ndescription: The host is green.\n---\n\nGreen.\n",
    );
  const views = createFolderViews({ files: withLocked(temp.at("locked"), code), clock: createManualClock() });
  const projects = ["open", "locked"].map((name) => ({ id: name, root: `/${name}`, key: name }));
  const places = {
    known: () => projects,
    placeOf: ({ id }: { readonly id: string }) => ({ memoryDir: temp.at(id) }),
  } as unknown as Places;
  const projectAt = () => {
    throw new Error("not asked");
  };
  return { temp, views, deps: { places, views, clock: createManualClock(), projectAt } };
}

it.each(["EACCES", "EPERM", "EIO"])("%s in one folder leaves the lists of all others whole", (code) => {
  const { temp, deps } = setUp(code);
  const named = [{ file: temp.at("locked"), project: "/locked", why: `it cannot be read (${code})` }];

  const listed = answerMemories({ all: true }, deps);
  expect(listed.memories.map(({ project }) => project)).toEqual(["/open"]);
  expect(listed.notMemories).toEqual(named);
  const found = answerSearch({ all: true, words: "green" }, deps);
  expect(found.memories.map(({ project }) => project)).toEqual(["/open"]);
  expect(found.notMemories).toEqual(named);
});

it("counts it as empty until it can be read, and says why to who asks for that folder alone", () => {
  const { temp, views } = setUp("EACCES");

  expect(views.summary(temp.at("locked")).memories).toBe(0);
  expect(views.summary(temp.at("open")).memories).toBe(1);
  expect(() => views.view(temp.at("locked"))).toThrow("refused");
  const unlocked = createFolderViews({ files: createFiles(), clock: createManualClock() });
  expect(unlocked.summary(temp.at("locked")).memories).toBe(1);
});

it("hides no fault of ours", () => {
  const { temp, views } = setUp("EINVAL");
  expect(() => views.summary(temp.at("locked"))).toThrow("refused");
  expect(() => views.oneOfMany(temp.at("locked"))).toThrow("refused");
});
