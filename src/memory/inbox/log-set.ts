// A change set that goes into the daily log (`extract.target`): the gate judges it as at a commit, and what it accepts
// becomes bullets of the log of now, the day the run noted it. Topic files are left to the distillation.
import type { ChangeSet, MemoryChange } from "../../domain/changes.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { ProposalFacts } from "../gate/facts.ts";
import { judgeSet } from "../gate/gate.ts";
import { personal, textOf } from "../gate/quotes.ts";
import type { CommitOptions, CommitResult } from "../journal/commit.ts";
import type { LogWriter, NewBullet } from "../journal/log-writer.ts";
import type { PreviewAsk } from "../journal/preview.ts";
import { factsOfSet } from "./propose.ts";

export interface LogSetDeps {
  readonly writer: Pick<LogWriter, "appendLog">;
  readonly emitter: Emitter;
  preview(ask: PreviewAsk): ProposalFacts;
}

/** A repeat after a crash adds no bullet. */
export async function logSet(
  set: ChangeSet,
  options: CommitOptions,
  deps: LogSetDeps,
): Promise<CommitResult> {
  const facts = factsOfSet(set, options, deps);
  const verdicts = judgeSet(set, facts);
  for (const verdict of verdicts) {
    if (verdict.accepted) continue;
    deps.emitter.emit("proposal:refused", { file: verdict.change.file, reason: verdict.reason });
  }
  const bullets = verdicts.flatMap(({ accepted, change }) => (accepted ? bulletsOf(change, facts) : []));
  const { lines } = bullets.length === 0 ? NONE : await deps.writer.appendLog(set.memoryDir, bullets);
  return { verdicts, written: [], indexLeft: [], indexOverCap: false, logged: lines.length };
}

const NONE = { lines: [] } as const;

/**
 * The person's own words where they carry it, so that the distillation judges what was said and not what somebody made
 * of it. A memory that is said again, or given up, is no news for a log.
 */
function bulletsOf(change: MemoryChange, facts: ProposalFacts): NewBullet[] {
  if (!("memory" in change)) return [];
  const read = change.evidence.filter(({ by }) => by !== "memory");
  const agent = read[0]?.session.agent;
  if (agent === undefined) return [];
  const records = [...new Set(read.map(({ recordId }) => recordId))];
  const sessions = [...new Set(read.map(({ session }) => session.id))];
  const theirs = personal(read, facts);
  // In the order it was said: an offer stands before the yes to it.
  const words = textOf(read.filter((item) => theirs.includes(item)));
  return words.trim() === ""
    ? [{ text: change.memory.description, by: "log", agent, records, sessions }]
    : [{ text: words, by: "user", agent, records, sessions }];
}
