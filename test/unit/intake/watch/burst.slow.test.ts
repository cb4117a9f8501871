import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSweep } from "../../../../src/intake/watch/sweep.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createFolderWatcher } from "../../../../src/system/watcher.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

it("knows all of 10,000 files in 2,000 new folders after one sweep, and misses no later event (W1, fault 27)", async () => {
  const root = createTempFolder();
  const known = new Set<string>();
  let seen = () => {};
  const watcher = createFolderWatcher({
    files: createFiles(),
    onChange(path) {
      known.add(path);
      seen();
    },
    onDegraded: (reason) => expect.fail(reason),
  });
  onTestFinished(() => watcher.close());
  watcher.setFolders([root.path]);
  await watcher.settled();

  const paths: string[] = [];
  for (let folder = 0; folder < 2_000; folder++) {
    mkdirSync(root.at(`${folder}`));
    for (let file = 0; file < 5; file++) paths.push(root.write(`${folder}/${file}.jsonl`, "{}\n"));
  }
  await createSweep({ files: createFiles(), clock: createClock() }).run({
    roots: [{ path: root.path, depth: 2 }],
    recall: (path) => (known.has(path) ? undefined : "new"),
    onDiffer: (path) => known.add(path),
    signal: new AbortController().signal,
  });
  expect(paths.filter((path) => !known.has(path))).toEqual([]);

  const [last = ""] = paths.slice(-1);
  watcher.setFolders([root.path, dirname(last)]);
  await watcher.settled();
  known.delete(last);
  const event = new Promise<void>((resolve) => (seen = () => known.has(last) && resolve()));
  writeFileSync(last, "{}\n{}\n");
  await event;
});
