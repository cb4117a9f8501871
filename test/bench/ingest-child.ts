// Child of ingest.ts: reads a folder of transcripts once, or one appended line many times. Arguments: what, folder.
import { appendFileSync, closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { createClaudeCodeFormat } from "../../src/intake/agents/claude-code/index.ts";
import type { Source } from "../../src/intake/transcripts/format.ts";
import { createFiles } from "../../src/system/files.ts";

/** Appends measured in one run; single ones are too short for the clock. */
const APPENDS = 300;
const PASSES = 5;
const LF = 0x0a;
/** One read call of the raw parse; lines of the corpus are shorter. */
const RAW_CHUNK_BYTES = 16 * 1024 * 1024;

const [, , what = "", folder = ""] = process.argv;
const format = createClaudeCodeFormat({ files: createFiles(), oursUnder: [], isUrgent: () => false });

interface Found {
  lines: number;
  /** Lines of typed words, the figure both ways must agree on. */
  typed: number;
}

async function ingest(): Promise<Found> {
  const found: Found = { lines: 0, typed: 0 };
  for (const source of sources()) {
    let slice = await format.readSlice(source, undefined);
    for (;;) {
      found.lines += slice.lines;
      for (const record of slice.records) if (record.kind === "user-text") found.typed += 1;
      if (!slice.more) break;
      slice = await format.readSlice(source, slice.next);
    }
  }
  return found;
}

/** The plainest correct reader: each line decoded and parsed in full. */
function rawParse(): Found {
  const found: Found = { lines: 0, typed: 0 };
  const buffer = Buffer.allocUnsafe(RAW_CHUNK_BYTES);
  for (const { path } of sources()) {
    const fd = openSync(path, "r");
    const size = statSync(path).size;
    for (let position = 0; position < size;) {
      const got = readSync(fd, buffer, 0, buffer.length, position);
      const end = buffer.subarray(0, got).lastIndexOf(LF) + 1;
      for (let begin = 0; begin < end;) {
        const newline = buffer.indexOf(LF, begin);
        found.lines += 1;
        if (isTyped(buffer.toString("utf8", begin, newline))) found.typed += 1;
        begin = newline + 1;
      }
      position += end;
    }
    closeSync(fd);
  }
  return found;
}

function isTyped(line: string): boolean {
  try {
    const record: unknown = JSON.parse(line);
    if (typeof record !== "object" || record === null || !("type" in record) || record.type !== "user")
      return false;
    const message: unknown = "message" in record ? record.message : undefined;
    if (typeof message !== "object" || message === null || !("content" in message)) return false;
    return typeof message.content === "string";
  } catch {
    return false;
  }
}

/** Microseconds of CPU one appended line costs. */
async function appended(): Promise<number> {
  const [source] = sources();
  if (source === undefined) throw new Error(`nothing in ${folder}`);
  const line = `${JSON.stringify({ type: "user", uuid: "u", message: { role: "user", content: "x".repeat(950) } })}\n`;
  let cursor = format.endOf(source);
  let spent = 0;
  for (let count = 0; count < APPENDS; count += 1) {
    appendFileSync(source.path, line);
    const before = process.cpuUsage();
    const slice = await format.readSlice(source, cursor);
    const { user, system } = process.cpuUsage(before);
    spent += user + system;
    cursor = slice.next;
    if (slice.records.length !== 1) throw new Error("the appended line was not read");
  }
  return spent / APPENDS;
}

function sources(): Source[] {
  const root = { agent: "claude-code", path: folder, agentHome: folder, depth: 2 } as const;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => format.sourceAt(join(folder, name), root))
    .filter((source) => source !== undefined);
}

/** The cheapest of several passes: a backfill reads gigabytes, so what the first pass spends on compiling is no part of it. */
async function ingested() {
  let cpuMs = Number.POSITIVE_INFINITY;
  let found: Found = { lines: 0, typed: 0 };
  for (let pass = 0; pass < PASSES; pass += 1) {
    const before = process.cpuUsage();
    found = what === "raw" ? rawParse() : await ingest();
    const { user, system } = process.cpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1000);
  }
  return { cpuMs, ...found };
}

process.stdout.write(JSON.stringify(what === "append" ? { us: await appended() } : await ingested()));
