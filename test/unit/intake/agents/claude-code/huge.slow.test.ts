// Lines of 100 MB and files of 1 GB must not cost memory or hold up the event loop (faults 35, 37).
import { appendFileSync, closeSync, openSync, statSync, truncateSync, writeSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Cursor, Slice } from "../../../../../src/intake/transcripts/format.ts";
import { costOf, readingMs } from "../../../../helpers/cost.ts";
import { createTranscript } from "../../../../helpers/claude-transcript.ts";
import { createCorpus } from "../../../../bench/corpus.ts";
import type { Placed } from "./reading.ts";
import { place, typedIn } from "./reading.ts";

const MB = 1_000_000;
/** Buffers and one slice of records, with room for garbage not yet collected. */
const GROWTH_BYTES_MAX = 150 * MB;
/** Plain readings (see the helper) of which one slice may hold up everything else. */
const SLICE_READINGS_MAX = 20;

/** Reads to the end; keeps the typed words only, and what the reading cost. */
async function readThrough(placed: Placed) {
  const startRss = process.memoryUsage.rss();
  const texts: string[] = [];
  const sums = { damaged: 0, skipped: 0, lines: 0 };
  let grown = 0;
  let dearest = 0;
  const oneMs = readingMs();
  let cursor: Cursor | undefined;
  for (;;) {
    const made: Slice[] = [];
    // Read again where another process, or garbage, cost the time.
    const work = async () => void made.push(await placed.read(cursor));
    const cost = await costOf(work, { enough: SLICE_READINGS_MAX, oneMs });
    const [slice] = made;
    if (slice === undefined) throw new Error("nothing was read");
    dearest = Math.max(dearest, cost);
    grown = Math.max(grown, process.memoryUsage.rss() - startRss);
    texts.push(...typedIn(slice.records).filter((text) => text.startsWith("note")));
    sums.damaged += slice.damaged;
    sums.skipped += slice.skipped;
    sums.lines += slice.lines;
    cursor = slice.next;
    if (!slice.more) return { texts, ...sums, grown, dearest, offset: cursor.offset };
  }
}

describe("a huge transcript", () => {
  it("with a line of 100 MB loses that line only", async () => {
    const placed = place(createTranscript().user("note before").text());
    const fd = openSync(placed.path, "a");
    writeSync(fd, '{"type":"user","message":{"role":"user","content":"');
    const part = Buffer.alloc(10 * MB, "x");
    for (let count = 0; count < 10; count += 1) writeSync(fd, part);
    writeSync(fd, '"}}\n');
    closeSync(fd);
    placed.append(createTranscript({ firstNumber: 5 }).user("note after").text());

    const read = await readThrough(placed);

    expect(read).toMatchObject({ texts: ["note before", "note after"], skipped: 1, damaged: 0, lines: 3 });
    expect(read.offset).toBe(statSync(placed.path).size);
    expect(read.grown).toBeLessThan(GROWTH_BYTES_MAX);
    expect(read.dearest).toBeLessThan(SLICE_READINGS_MAX);
  });

  it("of 1 GB, most of it one hole, is streamed", async () => {
    const placed = place(createTranscript().user("note before").text());
    const talk = createCorpus({ seed: 9, bytes: 20 * MB, talkShare: 0.5 });
    for (let count = 0; count < 10; count += 1) appendFileSync(placed.path, talk);
    truncateSync(placed.path, 1000 * MB);
    placed.append(`\n${createTranscript({ firstNumber: 5 }).user("note after").text()}`);

    const read = await readThrough(placed);

    expect(read).toMatchObject({ texts: ["note before", "note after"], skipped: 1 });
    expect(read.offset).toBe(statSync(placed.path).size);
    expect(read.grown).toBeLessThan(GROWTH_BYTES_MAX);
    expect(read.dearest).toBeLessThan(SLICE_READINGS_MAX);
  });
});
