// Genuine transcripts, read where they lie beside the repository; nothing of them is kept here but counts.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TranscriptRecord } from "../../../../../src/domain/records.ts";
import type { Slice, Source } from "../../../../../src/intake/transcripts/format.ts";
import { sampleData } from "../../../../helpers/sample-data.ts";
import { format } from "./reading.ts";

const FOLDERS = ["samples/claude-code", "samples/claude-code-2.1.197"];
const homes = FOLDERS.map((name) => sampleData(name)).filter((path) => path !== undefined);

interface Read {
  readonly source: Source;
  readonly slice: Slice;
}

async function readSamples(): Promise<Read[]> {
  const reads: Read[] = [];
  for (const root of format.roots({ home: "", claudeHomes: homes.map((home) => join(home, ".claude")) })) {
    for (const name of readdirSync(root.path, { recursive: true, encoding: "utf8" })) {
      const source = format.sourceAt(join(root.path, name), root);
      if (source !== undefined) reads.push({ source, slice: await format.readSlice(source, undefined) });
    }
  }
  return reads;
}

/** Typed messages by the file that held them first; a fork repeats its parent's. */
function typedByFile(reads: readonly Read[]): Map<string, string[]> {
  const seen = new Set<string>();
  const found = new Map<string, string[]>();
  for (const { source, slice } of reads.filter((read) => read.source.role === "session")) {
    const texts = slice.records.filter(isTyped).filter((record) => !seen.has(record.recordId));
    for (const { recordId } of texts) seen.add(recordId);
    if (texts.length > 0)
      found.set(
        source.path,
        texts.map((record) => record.text),
      );
  }
  return found;
}

function isTyped(record: TranscriptRecord) {
  return record.kind === "user-text";
}

describe.skipIf(homes.length < FOLDERS.length)("genuine transcripts", () => {
  it("hold 26 distinct typed messages in 20 sessions", async () => {
    const found = typedByFile(await readSamples());

    expect([...found.values()].flat()).toHaveLength(26);
    expect(found.size).toBe(20);
  });

  it("are read without damage and without an unknown type", async () => {
    for (const { slice } of await readSamples()) {
      expect(slice).toMatchObject({ damaged: 0, skipped: 0, more: false, restarted: false });
      expect({ ...slice.unknownTypes }).toEqual({});
    }
  });

  it("come from scripts and helpers, as their records say", async () => {
    for (const { source, slice } of await readSamples()) {
      const origin = source.role === "subagent" ? "subagent" : "headless";
      expect(new Set(slice.records.map((record) => record.origin))).toEqual(new Set([origin]));
    }
  });

  it("give no program's text as the person's words", async () => {
    const texts = [...typedByFile(await readSamples()).values()].flat();

    for (const text of texts) expect(text).not.toMatch(/^[<[]|continued from a previous|Continue from where/);
  });

  it.each([
    ["13bb9e9a", { turn: "ended", sessionEnded: false }, "interrupted in mid-answer"],
    ["cc250060", { turn: "open", sessionEnded: false }, "terminated before the answer"],
    ["f3242a12", { turn: "open", sessionEnded: false }, "killed before the answer"],
    ["fe9081ba", { turn: "ended", sessionEnded: true }, "failed for good"],
    ["eeb3f460", { turn: "ended", sessionEnded: true }, "resumed and compacted"],
    ["611e3614", { turn: "ended", sessionEnded: true }, "queued prompt"],
  ])("tell the end of session %s: %j, %s", async (id, end) => {
    const read = (await readSamples()).find(({ source }) => source.sessionId.startsWith(id));

    expect(read?.slice).toMatchObject(end);
  });

  it("show what the agent wrote itself", async () => {
    const read = (await readSamples()).find(({ source }) => source.sessionId.startsWith("a8185aef"));

    expect(read?.slice.records).toContainEqual(
      expect.objectContaining({
        kind: "tool-call",
        tool: "Write",
        touchedPath: expect.stringMatching(/\/memory\/.+\.md$/),
      }),
    );
  });

  it("can be placed by a peek", async () => {
    for (const { source, slice } of await readSamples()) {
      const peek = format.peek(source, 0);
      expect(peek?.cwd).toMatch(/^\/home\/dev\/src/);
      expect(peek?.sessionId).toBe(
        source.sessionId.startsWith("agent-") ? peek?.sessionId : source.sessionId,
      );
      expect(peek).toMatchObject({ turn: slice.turn, sessionEnded: slice.sessionEnded });
    }
  });
});
