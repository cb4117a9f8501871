import { appendFileSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { start, talkOf } from "./known-world.ts";

const SHOP = ".claude/projects/-home-ana-shop";

/** Rounds over Claude Code's folder below a temporary one; `homes` names more agents' homes in it. */
function setUp({ homes = [".claude"] }: { homes?: readonly string[] } = {}) {
  const folder = createTempFolder();
  const { catalog, rounds, seen, run } = start(folder, { homes });
  const session = (name: string) => folder.write(`${SHOP}/${name}.jsonl`, talkOf(name));
  return { folder, catalog, rounds, vanished: seen.vanished, session, run: () => run() };
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

  it("keeps one whose folder became a link to itself, and ends the round", async () => {
    const { folder, catalog, vanished, session, run } = setUp();
    session("s1");
    await run();
    rmSync(folder.at(SHOP), { recursive: true });
    symlinkSync(folder.at(SHOP), folder.at(SHOP));

    await run();

    expect([vanished, catalog.size]).toEqual([[], 1]);
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
