// Puts a transcript where Claude Code would and reads it to its end.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptRecord } from "../../../../../src/domain/records.ts";
import { createClaudeCodeFormat } from "../../../../../src/intake/agents/claude-code/index.ts";
import type { Cursor, Slice, Source } from "../../../../../src/intake/transcripts/format.ts";
import { createFiles } from "../../../../../src/system/files.ts";
import { sessionIdOf } from "../../../../helpers/claude-transcript.ts";
import { createTempFolder } from "../../../../helpers/temp-folder.ts";

export const STATE_DIR = "/home/ana/.local/state/engramd";

export const format = createClaudeCodeFormat({
  files: createFiles(),
  oursUnder: [STATE_DIR],
  isUrgent: (text) => text.includes("Remember"),
});

const FIXTURES = join(import.meta.dirname, "../../../../fixtures/transcripts/claude-code");

export interface Placed {
  readonly source: Source;
  readonly path: string;
  append(text: string): void;
  read(from?: Cursor): Promise<Slice>;
}

/** A session file with this content below a fresh agent home. */
export function place(content: string | Buffer, name = `-home-ana-shop/${sessionIdOf(1)}.jsonl`): Placed {
  const home = createTempFolder();
  const path = home.write(join("projects", name), content);
  return placed(path, home.path);
}

/** A fixture, read where it lies. */
export function fixture(name: string): Placed {
  const root = join(FIXTURES, "..");
  const path = join(FIXTURES, name);
  const source: Source = {
    agent: "claude-code",
    path,
    sessionId: sessionIdOf(1),
    role: "session",
    root: { agent: "claude-code", path: root, agentHome: root, depth: 2 },
  };
  return { source, path, append: () => {}, read: (from) => format.readSlice(source, from) };
}

function placed(path: string, agentHome: string): Placed {
  const [root] = format.roots({ home: agentHome, claudeHomes: [agentHome] });
  const source = root === undefined ? undefined : format.sourceAt(path, root);
  if (source === undefined) throw new Error(`${path} is no transcript`);
  return {
    source,
    path,
    append: (text) => appendFileSync(path, text),
    read: (from) => format.readSlice(source, from),
  };
}

/** The person's words, in order. */
export function typedIn(records: readonly TranscriptRecord[]): string[] {
  return records.filter((record) => record.kind === "user-text").map((record) => record.text);
}

export function kindsOf(records: readonly TranscriptRecord[]): string[] {
  return records.map((record) => record.kind);
}
