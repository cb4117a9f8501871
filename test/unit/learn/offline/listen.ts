// Says things to the offline rules and answers what they make of them, judged by the gate as the job would.
import { extractOffline, type OfflineFinding } from "../../../../src/learn/offline/extract.ts";
import type { Candidate, MemoryChange } from "../../../../src/domain/changes.ts";
import type { TranscriptRecord } from "../../../../src/domain/records.ts";
import { judgeProposal } from "../../../../src/memory/gate/gate.ts";
import { renderText } from "../../../../src/memory/secrets/render.ts";
import { zoneNamed } from "../../../helpers/time-zone.ts";
import type { TimeZone } from "../../../../src/domain/calendar.ts";

/** Monday, in the morning. */
export const MONDAY = Date.parse("2026-05-04T08:00:00Z");

export interface Talk {
  readonly saidAt?: number;
  readonly now?: number;
  readonly timeZone?: TimeZone;
  /** Records that teach nothing any more; by position. */
  readonly old?: readonly number[];
}

export interface Heard {
  readonly saves: readonly OfflineFinding[];
  readonly candidates: readonly Candidate[];
  readonly optedOut: readonly string[];
  /** `type: description`, the short form most tests want. */
  readonly saved: readonly string[];
  readonly kept: readonly string[];
  /** Why the gate would refuse what is saved; empty when all is well. */
  readonly refusals: readonly string[];
  readonly records: readonly TranscriptRecord[];
}

/** A turn is the person's unless it begins with `A: ` (the assistant) or `T: ` (a tool's output). */
export async function listen(turns: readonly string[], talk: Talk = {}): Promise<Heard> {
  const { saidAt = MONDAY, now = saidAt, timeZone = zoneNamed("Europe/Berlin"), old = [] } = talk;
  const records = turns.map((turn, index): TranscriptRecord => {
    const byAssistant = turn.startsWith("A: ");
    const common = {
      recordId: `r${index}`,
      sessionId: "s1",
      agent: "claude-code" as const,
      at: saidAt + index,
      cwd: undefined,
      origin: "user" as const,
      endOffset: index,
    };
    if (turn.startsWith("T: "))
      return {
        ...common,
        kind: "tool-result",
        callId: "c1",
        ok: true,
        preview: turn.slice(3),
        bytes: turn.length,
      };
    return {
      ...common,
      kind: byAssistant ? "assistant-text" : "user-text",
      text: renderText(byAssistant ? turn.slice(3) : turn),
    };
  });
  const found = await extractOffline({
    records,
    isNew: (recordId) => !old.some((index) => recordId === `r${index}`),
    session: { agent: "claude-code", id: "s1", projectId: "p1" },
    now,
    timeZone,
  });
  const short = ({ memory }: Pick<OfflineFinding, "memory">) => `${memory.type}: ${memory.description}`;
  return {
    ...found,
    records,
    saved: found.saves.map(short),
    kept: found.candidates.map(short),
    refusals: found.saves.flatMap((save) => refusalOf(save, records) ?? []),
  };
}

function refusalOf(
  { memory, evidence }: OfflineFinding,
  records: readonly TranscriptRecord[],
): string | undefined {
  const change: MemoryChange = { op: "create", file: `${memory.type}_test.md`, memory, evidence };
  const texts = new Map(
    records.flatMap((record) => ("text" in record ? [[record.recordId, record.text]] : [])),
  );
  const verdict = judgeProposal(change, {
    producer: "offline",
    memories: [],
    otherNames: [],
    recordText: (recordId) => texts.get(recordId),
    recordedIds: new Set(),
    removed: { recordIds: new Set(), textHashes: new Map() },
    saidAt: new Map(),
    timeZone: zoneNamed("Europe/Berlin"),
    today: "2026-05-04",
  });
  return verdict.accepted ? undefined : `${memory.description}: ${verdict.message}`;
}
