import { appendFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFormats } from "../../../../src/intake/agents/registry.ts";
import { createCursors } from "../../../../src/intake/transcripts/cursors.ts";
import { createCatalog } from "../../../../src/intake/watch/catalog.ts";
import { createRounds } from "../../../../src/intake/watch/rounds.ts";
import { createSweep } from "../../../../src/intake/watch/sweep.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTranscript } from "../../../helpers/claude-transcript.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const talkOf = (sessionId: string) => createTranscript({ sessionId }).user("hello").assistant("ok").text();

/** Rounds over Claude Code's folder below a temporary one; `homes` names more agents' homes in it. */
function setUp({ homes = [".claude"] }: { homes?: readonly string[] } = {}) {
  const folder = createTempFolder();
  const files = createFiles();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const vanished: string[] = [];
  emitter.on("transcript:vanished", ({ path }) => void vanished.push(path));
  const formats = createFormats({ files, oursUnder: [], isUrgent: () => false });
  const claudeHomes = homes.map((home) => folder.at(home));
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir: folder.folder("state") }),
    formats,
    roots: formats.flatMap((format) => format.roots({ home: folder.path, claudeHomes })),
    projectOf: () => undefined,
    firstSight: () => "read",
  });
  const rounds = createRounds({
    sweep: createSweep({ files, clock: createClock() }),
    files,
    catalog,
    growth: { look: (path, facts) => void catalog.lookAt(path, facts), schedule: () => undefined },
    emitter,
  });
  const session = (name: string) =>
    folder.write(`.claude/projects/-home-ana-shop/${name}.jsonl`, talkOf(name));
  return { folder, catalog, rounds, vanished, session, run: () => rounds.run(new AbortController().signal) };
}

describe("transcripts that vanished", () => {
  it("forgets one that was deleted while another grew and a third came", async () => {
    const { catalog, vanished, session, run } = setUp();
    const [gone, grown] = [session("s1"), session("s2")];
    await run();
    rmSync(gone);
    appendFileSync(grown, talkOf("s2"));
    session("s3");

    const { lostBytes } = await run();

    expect(vanished).toEqual([gone]);
    expect(lostBytes).toBe(talkOf("s1").length);
    expect([catalog.size, catalog.get(gone)]).toEqual([2, undefined]);
  });

  it("forgets one of two although their root is named twice, so that the other is met twice", async () => {
    const { vanished, session, run } = setUp({ homes: [".claude", ".claude"] });
    const gone = session("s1");
    session("s2");
    await run();
    rmSync(gone);

    await run();

    expect(vanished).toEqual([gone]);
  });

  it("forgets none while its root is away as a whole", async () => {
    const { folder, catalog, vanished, session, run } = setUp();
    session("s1");
    await run();
    rmSync(folder.at(".claude"), { recursive: true });

    await run();

    expect(vanished).toEqual([]);
    expect(catalog.size).toBe(1);
  });
});

describe("folders that can hold sessions", () => {
  it("are those right below a root, with or without sessions", async () => {
    const { folder, rounds, session, run } = setUp();
    session("s1");
    folder.folder(".claude/projects/-home-ana-empty/memory");

    await run();

    const projects = folder.at(".claude/projects");
    expect([...rounds.sessionFolders()].toSorted()).toEqual([
      `${projects}/-home-ana-empty`,
      `${projects}/-home-ana-shop`,
    ]);
  });
});
