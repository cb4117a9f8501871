import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProjectRef } from "../../../../src/domain/sessions.ts";
import { createFormats } from "../../../../src/intake/agents/registry.ts";
import { createCursors } from "../../../../src/intake/transcripts/cursors.ts";
import { createCatalog } from "../../../../src/intake/watch/catalog.ts";
import { createDebounce } from "../../../../src/intake/watch/debounce.ts";
import { createGrowth } from "../../../../src/intake/watch/growth.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTranscript } from "../../../helpers/claude-transcript.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const SHOP: ProjectRef = {
  id: "p1",
  key: "-home-ana-shop",
  root: "/home/ana/shop",
  agentHome: "/h",
  present: false,
};
const QUIET_MS = 20_000;
const MAX_WAIT_MS = 60_000;
const SETTLE_MS = 5_000;

function setUp({ isOn = true, isTooOld = false, files = createFiles(), quietMs = QUIET_MS } = {}) {
  const folder = createTempFolder();
  const clock = createManualClock();
  const fired: string[] = [];
  const debounce = createDebounce({ clock, fire: (key, why) => void fired.push(`${key} ${why}`) });
  const formats = createFormats({ files, oursUnder: [], isUrgent: (text) => text.startsWith("Remember") });
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir: folder.folder("state") }),
    formats,
    roots: formats.flatMap((format) =>
      format.roots({ home: folder.path, claudeHomes: [folder.at(".claude")] }),
    ),
    projectOf: () => SHOP,
    firstSight: () => (isTooOld ? "pass" : "read"),
    doWait: () => quietMs > 0,
  });
  const growth = createGrowth({
    catalog,
    debounce,
    emitter: createEmitter((error) => {
      throw error;
    }),
    cadence: () => ({ quietMs, maxWaitMs: MAX_WAIT_MS }),
    settleMs: () => SETTLE_MS,
    folderOf: () => (isOn ? "/memory" : undefined),
  });
  const path = folder.at(".claude/projects/-home-ana-shop/s1.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  const write = (content: string) => writeFileSync(path, content);
  const look = () => {
    const found = growth.look(path);
    if (found !== undefined) growth.schedule(found);
    return found;
  };
  return { clock, fired, debounce, catalog, path, write, look };
}

const talk = (text: string) => createTranscript().user(text).assistant("ok").text();

describe("a transcript that grew", () => {
  it("makes its memory folder due once it is quiet", async () => {
    const { clock, fired, write, look } = setUp();
    write(talk("hello"));
    look();

    await clock.advance(QUIET_MS - 1);
    expect(fired).toEqual([]);
    await clock.advance(1);
    expect(fired).toEqual(["/memory quiet"]);
  });

  it("makes it due at once, without a timer, where nobody asked for quiet", () => {
    const { clock, fired, write, look } = setUp({ quietMs: 0 });
    write(talk("hello"));

    look();

    expect(fired).toEqual(["/memory now"]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("told three times by the watcher is due once", async () => {
    // Fault 28
    const { clock, fired, write, look } = setUp();
    write(talk("hello"));
    for (let times = 0; times < 3; times += 1) look();

    await clock.advance(MAX_WAIT_MS * 2);

    expect(fired).toEqual(["/memory quiet"]);
  });

  it("without a pause for ten minutes is due within the maximum wait, again and again", async () => {
    // Fault 29
    const { clock, fired, write, look } = setUp();
    let text = "";
    for (let seconds = 0; seconds < 600; seconds += 5) {
      write((text += talk(`more ${seconds}`)));
      look();
      await clock.advance(5_000);
    }

    expect(fired).toEqual(Array(10).fill("/memory max-wait"));
  });

  it("with words to remember in a finished turn is due at once", () => {
    const { fired, write, look } = setUp();
    write(talk("Remember the milk."));

    look();

    expect(fired).toEqual(["/memory now"]);
  });

  it("with words to remember in a turn still open waits until the agent may have settled", async () => {
    const { clock, fired, write, look } = setUp();
    write(createTranscript().user("Remember the milk.").toolCall("Bash", { command: "ls" }).text());
    look();

    expect(fired).toEqual([]);
    await clock.advance(SETTLE_MS);
    expect(fired).toEqual(["/memory quiet"]);
  });

  it("that may not be read now is looked at again, although nothing about it changed (fault 13)", () => {
    // State files that are not there yet are not opened.
    const { ops } = createFaultyOps({ at: 1, fault: "EACCES", only: ["openSync"] });
    const { catalog, path, write, look } = setUp({ files: createFiles(ops) });
    write(talk("hello"));

    expect(look()).toBeUndefined();
    // What a sweep asks: a file that is known is not looked at again.
    expect(catalog.recall(path)).toBe("new");
    expect(look()).toBeDefined();
  });

  it("where memory is switched off is passed over without being read", () => {
    const { debounce, catalog, path, write, look } = setUp({ isOn: false });
    write(talk("Remember the milk."));

    expect(look()).toBeUndefined();

    const entry = catalog.get(path);
    expect(debounce.size()).toBe(0);
    expect(entry?.state).toMatchObject({ passedWhy: "memory-off", read: undefined, typed: 0 });
    expect(entry !== undefined && catalog.isUnread(entry)).toBe(false);
  });

  it("makes its project one with sources until it is gone, and again when it is back", () => {
    const { catalog, write, look, path } = setUp();
    write(createTranscript().user("hello").text());
    const before = catalog.hasSources(SHOP.id);
    look();
    const there = catalog.hasSources(SHOP.id);
    catalog.vanished(path);
    const gone = catalog.hasSources(SHOP.id);
    look();

    expect([before, there, gone, catalog.hasSources(SHOP.id)]).toEqual([false, true, false, true]);
    expect(catalog.entriesOf(SHOP.id)).toHaveLength(1);
  });

  it("that was old when engramd first came is passed over, and what is added to it later is not", () => {
    const { catalog, path, write, look } = setUp({ isTooOld: true });
    write(talk("hello"));
    expect(look()).toBeUndefined();
    expect(catalog.get(path)?.state.passedWhy).toBe("old");

    write(talk("hello") + talk("and now this"));

    expect(look()?.folder).toBe("/memory");
    expect(catalog.reopen(path, "rules")?.state.passed).toBeUndefined();
  });
});
