// Reads a session once more for `retell.ts`: what was said in it, and where the agent wrote memory itself. Bounded.
import type { TranscriptRecord, UserText } from "../../../domain/records.ts";
import type { ProjectRef } from "../../../domain/sessions.ts";
import type { Cursor } from "../../../intake/transcripts/format.ts";
import { readTurns } from "../../../intake/transcripts/turns.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import { OFF_RECORD_COMMAND } from "../../offline/privacy.ts";
import { afterLastMemoryWrite } from "./agent-writes.ts";
import type { ExtractDeps } from "./contract.ts";

export interface RetellDeps extends ExtractDeps {
  /** Projects whose memory lives in the folder; empty when none does any more. */
  projectsAt(memoryDir: string): readonly ProjectRef[];
  /** Where a project's memory is; undefined when memory is off there. */
  memoryDirOf(project: ProjectRef): string | undefined;
}

/** Bytes of one transcript that are read again; genuine sessions are smaller, and this takes a second. */
const BYTES_MAX = 64 * 1024 * 1024;

export function startOf({ format, source, state }: CatalogEntry): {
  readonly start: number;
  readonly from: Cursor | undefined;
} {
  const end = format.endOf(source)?.offset ?? state.bytes;
  if (end <= BYTES_MAX) return { start: 0, from: undefined };
  const start = end - BYTES_MAX;
  // It stands inside a line, whose rest is passed over.
  return { start, from: format.cursorAt(source, start) };
}

export interface Gathered<R extends TranscriptRecord = TranscriptRecord> {
  readonly record: R;
  /** The agent wrote memory in the same turn, or later in what a run may have read at once. */
  readonly agentWrote: "in-turn" | "later" | undefined;
}

export function isTyped(item: Gathered): item is Gathered<UserText> {
  const { kind, origin } = item.record;
  return kind === "user-text" && origin !== "subagent" && origin !== "ours";
}

interface GatherAsk {
  readonly entry: CatalogEntry;
  readonly from: Cursor | undefined;
  readonly deps: RetellDeps;
}

/** Only what was said is kept: tool traffic is most of a transcript. */
export async function gather({
  entry: { format, source, project },
  from,
  deps,
}: GatherAsk): Promise<Gathered[]> {
  const { signal } = new AbortController();
  const memoryDir = project === undefined ? undefined : deps.memoryDirOf(project);
  const place = memoryDir === undefined ? undefined : deps.placeOf(memoryDir);
  const said: Gathered[] = [];
  for await (const { records } of readTurns({ format, source, from, signal, pause: deps.clock.yield })) {
    const until = place === undefined ? 0 : afterLastMemoryWrite(records, place);
    const turnStart = records.slice(0, until).findLastIndex(({ kind }) => kind === "turn-end") + 1;
    for (const [at, record] of records.entries()) {
      const isWish = record.kind === "injected" && record.command === OFF_RECORD_COMMAND;
      if (record.kind !== "user-text" && record.kind !== "assistant-text" && !isWish) continue;
      said.push({ record, agentWrote: at >= until ? undefined : at >= turnStart ? "in-turn" : "later" });
    }
  }
  return said;
}
