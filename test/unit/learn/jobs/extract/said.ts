// Records for the tests of windows and pieces: an invented session that grows record by record.
import type { Origin, RecordCommon, TranscriptRecord } from "../../../../../src/domain/records.ts";

/** Tuesday 5 May 2026, 00:30 in Berlin; still the 4th in UTC. */
export const NIGHT = Date.UTC(2026, 4, 4, 22, 30);
export const NOW = NIGHT + 4 * 86_400_000;

export interface Session {
  readonly records: TranscriptRecord[];
  typed(text: string, extra?: Partial<RecordCommon>): string;
  answered(text: string, extra?: Partial<RecordCommon>): string;
  called(preview: string, extra?: Partial<RecordCommon>): string;
  returned(preview: string, extra?: Partial<RecordCommon>): string;
  turnEnd(): void;
  injected(what: "reminder" | "compaction"): void;
}

/** Each record is one line of ten bytes, said one minute after the one before. */
export function createSession({ prefix = "r", origin = "user" as Origin } = {}): Session {
  const records: TranscriptRecord[] = [];
  const common = (extra: Partial<RecordCommon> = {}): RecordCommon => ({
    recordId: `${prefix}${records.length + 1}`,
    sessionId: "s",
    agent: "claude-code",
    at: NIGHT + records.length * 60_000,
    cwd: "/home/ana/shop",
    origin,
    endOffset: (records.length + 1) * 10,
    ...extra,
  });
  const add = (record: TranscriptRecord) => {
    records.push(record);
    return record.recordId;
  };
  return {
    records,
    typed: (text, extra) => add({ ...common(extra), kind: "user-text", text }),
    answered: (text, extra) => add({ ...common(extra), kind: "assistant-text", text }),
    called: (preview, extra) =>
      add({ ...common(extra), kind: "tool-call", tool: "Bash", callId: "c", preview }),
    returned: (preview, extra) =>
      add({ ...common(extra), kind: "tool-result", callId: "c", ok: true, preview, bytes: preview.length }),
    turnEnd: () => void records.push({ ...common(), kind: "turn-end" }),
    injected: (what) => void records.push({ ...common(), kind: "injected", what }),
  };
}

/** Lines of a window that carry its code: marks and headers. */
export function hostLines(text: string): string[] {
  const code = codeOf(text);
  return text.split("\n").filter((line) => line.startsWith(`[[${code} `));
}

export function codeOf(text: string): string {
  return /^\[\[([0-9a-f]{8}) /u.exec(text)?.[1] ?? "no code";
}
