// Rows 3 and 5: what reading transcripts costs beside parsing every line, and whether an append costs more in a
// large file. Row 4 is for agents all of whose lines must be parsed; Claude Code's need not.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCorpus } from "./corpus.ts";
import { bundleChild, rounded, runChild, withFolder } from "./measured-child.ts";
import type { Row } from "./row.ts";

const ROUNDS = 3;
const FILES = 24;
const FILE_BYTES = 4_000_000;
/** Bytes of talk and tool traffic; genuine sessions of today's versions hold 3 %, long ones of older versions 95 %. */
const TALK_SHARE = 1 / 3;
const INGEST_TARGET = 0.5;
const SMALL_BYTES = 60_000;
const LARGE_BYTES = 60_000_000;
const APPEND_TARGET = 1.5;

interface Ingested {
  readonly cpuMs: number;
  readonly lines: number;
  readonly typed: number;
}

export async function rows(): Promise<Row[]> {
  const script = await bundleChild("ingest-child");
  return withFolder(async (folder) => [
    await ingestRow(script, join(folder, "corpus")),
    await appendRow(script, join(folder, "append")),
  ]);
}

async function ingestRow(script: string, folder: string): Promise<Row> {
  const images = { count: 1, chars: 3_000_000 };
  for (let file = 0; file < FILES; file += 1) {
    const few = file % 8 === 0 ? { images } : {};
    const content = createCorpus({ seed: file + 1, bytes: FILE_BYTES, talkShare: TALK_SHARE, ...few });
    put(folder, `session-${file}`, content);
  }
  const ours: Ingested[] = [];
  const raw: Ingested[] = [];
  // In turns, so that a busy moment of the machine falls on both.
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await runChild<Ingested>(process.execPath, [script, "ours", folder]));
    raw.push(await runChild<Ingested>(process.execPath, [script, "raw", folder]));
  }
  const value = Math.min(...ours.map((run) => run.cpuMs));
  const anchor = Math.min(...raw.map((run) => run.cpuMs));
  const agree = ours[0]?.typed === raw[0]?.typed && ours[0]?.lines === raw[0]?.lines;
  return {
    id: 3,
    name: "full ingest of Claude Code transcripts, a third of it talk, CPU ms, to parsing every line",
    value: rounded(value),
    anchor: rounded(anchor),
    ratio: rounded(value / anchor),
    target: INGEST_TARGET,
    ok: agree && value / anchor <= INGEST_TARGET,
  };
}

async function appendRow(script: string, folder: string): Promise<Row> {
  const [small, large] = [join(folder, "small"), join(folder, "large")];
  put(small, "session", createCorpus({ seed: 1, bytes: SMALL_BYTES, talkShare: 1 }));
  const part = createCorpus({ seed: 2, bytes: LARGE_BYTES / 10, talkShare: 1 });
  put(large, "session", Buffer.concat(Array.from({ length: 10 }, () => part)));
  const costs = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.small.push((await runChild<{ us: number }>(process.execPath, [script, "append", small])).us);
    costs.large.push((await runChild<{ us: number }>(process.execPath, [script, "append", large])).us);
  }
  const [value, anchor] = [Math.min(...costs.large), Math.min(...costs.small)];
  return {
    id: 5,
    name: "reading one appended line of 1 KB in a file of 60 MB, CPU us, to the same in a file of 60 KB",
    value: rounded(value),
    anchor: rounded(anchor),
    ratio: rounded(value / anchor),
    target: APPEND_TARGET,
    ok: value / anchor <= APPEND_TARGET,
  };
}

function put(folder: string, session: string, content: Buffer): void {
  mkdirSync(join(folder, "-home-ana-shop"), { recursive: true });
  writeFileSync(join(folder, "-home-ana-shop", `${session}.jsonl`), content);
}
