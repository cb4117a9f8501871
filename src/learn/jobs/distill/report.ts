// The reply of a distillation: what it changed and would change, what it found odd, why it stopped. Says nothing of what
// the logs say.
import type {
  ConsolidationNote,
  ConsolidationReply,
  ConsolidationSize,
} from "../../../domain/consolidation.ts";
import { displayText } from "../../../domain/printable.ts";
import type { Instant } from "../../../domain/records.ts";
import type { DistillAsk, DistillDeps } from "./contract.ts";
import type { LogCursors } from "./cursors.ts";
import type { Gathered } from "./gather.ts";
import type { Job } from "./job.ts";
import type { Stop } from "./learn.ts";

export interface SkipFacts {
  readonly before: ConsolidationSize;
  readonly noted?: readonly ConsolidationNote[];
  readonly dueAt?: Instant | undefined;
}

export function skipped(reason: string, { before, noted = [], dueAt }: SkipFacts): ConsolidationReply {
  const base = {
    v: 1,
    outcome: "skipped",
    reason,
    run: null,
    changes: [],
    noted,
    before,
    after: before,
  } as const;
  return dueAt === undefined ? base : { ...base, dueAt: new Date(dueAt).toISOString() };
}

/** What a person should know about their logs. */
export function notesOf({ edited, odd }: Pick<Gathered, "edited" | "odd">): ConsolidationNote[] {
  return [
    ...edited.map((path) => ({
      code: "log-edited",
      file: displayText(path),
      message: "what was distilled of it before is no longer what it says: all of it was read again",
    })),
    ...odd.map(({ path, why }) => ({
      code: "log-unreadable",
      file: displayText(path),
      message: displayText(`it was passed over: it ${why}`),
    })),
  ];
}

export interface ReplyFacts {
  readonly ask: DistillAsk;
  readonly deps: Pick<DistillDeps, "patchOf">;
  readonly jobs: readonly Job[];
  readonly notes: readonly ConsolidationNote[];
  readonly stop: Stop | undefined;
  readonly before: ConsolidationSize;
  readonly after: ConsolidationSize;
  readonly cursors: LogCursors;
}

export async function replyOf(facts: ReplyFacts): Promise<ConsolidationReply> {
  const { ask, jobs, notes, stop, before, after } = facts;
  const changes = jobs.flatMap(({ written }) => written);
  const whyNot = stop === undefined ? undefined : STOPS[stop.why](stop);
  const isNothing = changes.length === 0 && jobs.every(({ account }) => account.sum().requests === 0);
  if (isNothing && whyNot !== undefined) {
    const never = stop?.tooLow === undefined ? {} : { tooLow: stop.tooLow };
    return { ...skipped(whyNot, { before, noted: notes, dueAt: stop?.until }), ...never };
  }
  const left = whyNot === undefined ? [] : [{ code: whyNot, file: "logs", message: LEFT }];
  const reply: ConsolidationReply = {
    v: 1,
    outcome: "succeeded",
    reason: null,
    run: ask.run,
    changes,
    noted: [...notes, ...left],
    before,
    after,
  };
  return ask.dryRun === true ? { ...reply, ...(await rehearsedReply(facts)) } : reply;
}

const LEFT = "the rest of the logs waits for the next distillation";

const STOPS: Readonly<Record<Stop["why"], (stop: Stop) => string>> = {
  "job-full": () => "job-full",
  "over-budget": () => "over-budget",
  withdrawn: () => "withdrawn",
  held: ({ code }) => code ?? "model-unavailable",
};

/** What stands nowhere yet. */
async function rehearsedReply({
  deps,
  jobs,
  before,
}: ReplyFacts): Promise<Pick<ConsolidationReply, "run" | "after" | "diff">> {
  const patches: string[] = [];
  let files = 0;
  for (const [file, { before: old, after }] of jobs.flatMap(({ rehearsed }) => [...rehearsed])) {
    patches.push(
      (await deps.patchOf(file, old, after)) ?? `${file}: too much of it is different to be shown\n`,
    );
    files += (old === "" ? 1 : 0) - (after === "" ? 1 : 0);
  }
  const after = { files: before.files + files, indexLines: before.indexLines + files };
  return { run: null, after, diff: patches.join("") };
}
