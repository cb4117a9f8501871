// Row 12: what it costs to remember how far transcripts were read - appends per batch, bytes per event.
import * as fs from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceState } from "../../src/intake/transcripts/cursors.ts";
import { blankState, createCursors } from "../../src/intake/transcripts/cursors.ts";
import { createFiles } from "../../src/system/files.ts";
import type { Row } from "./row.ts";

const SOURCES = 10_000;
const BATCHES = 200;
const EVENTS_PER_BATCH = 5;

/** One ratio for both promises: at most 2 writes a batch, and bytes that follow events, not files. */
export async function rows(): Promise<Row[]> {
  const stateDir = mkdtempSync(join(tmpdir(), "engramd-bench-cursors-"));
  try {
    return [measure(stateDir)];
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function measure(stateDir: string): Row {
  let writes = 0;
  let bytes = 0;
  const counted: typeof fs.writeSync = ((fd: number, data: Buffer, offset: number, length: number) => {
    writes += 1;
    bytes += length;
    return fs.writeSync(fd, data, offset, length);
  }) as typeof fs.writeSync;
  const cursors = createCursors({ files: createFiles({ ...fs, writeSync: counted }), stateDir });
  for (let n = 0; n < SOURCES; n += 1) cursors.set(stateOf(n, 0));
  cursors.flush();
  writes = 0;
  bytes = 0;
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    for (let event = 0; event < EVENTS_PER_BATCH; event += 1)
      cursors.set(stateOf((batch * 37 + event) % SOURCES, batch));
    cursors.flush();
  }
  const perBatch = writes / BATCHES;
  const bytesPerEvent = bytes / (BATCHES * EVENTS_PER_BATCH);
  const line = Buffer.byteLength(JSON.stringify({ v: 1, ...stateOf(1, BATCHES) })) + 1;
  const isProportional = bytesPerEvent <= 2 * line;
  return {
    id: 12,
    name: `cursor persistence: writes per batch (${bytesPerEvent.toFixed(0)} bytes per event, ${SOURCES} sources)`,
    value: perBatch,
    anchor: 1,
    ratio: perBatch,
    target: 2,
    ok: perBatch <= 2 && isProportional,
  };
}

function stateOf(n: number, offset: number): SourceState {
  const sessionId = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const fileId = `2049:${n}`;
  return {
    ...blankState({
      path: `/home/ana/.claude/projects/-home-ana-p${n % 500}/${sessionId}.jsonl`,
      agent: "claude-code",
      sessionId,
    }),
    cwd: `/home/ana/p${n % 500}`,
    fileId,
    bytes: offset,
    ctimeMs: offset,
    mtimeMs: offset,
    read: { kind: "bytes", offset, fileId, fingerprint: "0123456789abcdef" },
  };
}
