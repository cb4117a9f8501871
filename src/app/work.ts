// What works: the queue and its one kind of job, and the books of what jobs did. Starts nothing.
import { join } from "node:path";
import type { ChangeSet } from "../domain/changes.ts";
import type { Instant } from "../domain/records.ts";
import type { AgentId } from "../domain/sessions.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Queue } from "../intake/queue/queue.ts";
import { createQueue } from "../intake/queue/queue.ts";
import type { RetryClock } from "../intake/queue/retry-clock.ts";
import { createRetryClock } from "../intake/queue/retry-clock.ts";
import type { IgnoredSessions } from "../intake/transcripts/ignored.ts";
import { createIgnoredSessions } from "../intake/transcripts/ignored.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import { createExtractDeps } from "../learn/jobs/extract/deps.ts";
import type { ExtractJob } from "../learn/jobs/extract/index.ts";
import { createExtractJob, EXTRACT } from "../learn/jobs/extract/index.ts";
import { createRunningRuns, type RunningRuns } from "../learn/jobs/running.ts";
import { createSettling } from "../learn/jobs/settling.ts";
import { createWaiting } from "../learn/jobs/waiting.ts";
import type { Inbox } from "../memory/inbox/inbox.ts";
import { createInbox } from "../memory/inbox/inbox.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "../memory/journal/commit.ts";
import type { Book } from "../serve/answers/book.ts";
import { createBook } from "../serve/answers/book.ts";
import type { FolderViews } from "../serve/answers/folder-view.ts";
import { createFolderViews } from "../serve/answers/folder-view.ts";
import { randomShare } from "../system/ids.ts";
import type { Ground } from "./ground.ts";
import type { Money } from "./money.ts";
import { createMoney } from "./money.ts";
import type { Reading } from "./reading.ts";

export interface WorkInput {
  readonly places: Places;
  readonly catalog: Catalog;
  readonly writer: MemoryWriter;
  readonly reading: Reading;
  /** Makes a folder due again at a time, or when more words come. */
  readonly wait: (memoryDir: string, at: Instant) => void;
}

export interface Work
  extends
    Pick<Book, "activity" | "cancelled" | "counters" | "listen" | "settleCosts">,
    Pick<Money, "budget" | "breaker" | "ledger"> {
  readonly inbox: Inbox;
  readonly ignored: IgnoredSessions;
  readonly extract: ExtractJob;
  /** Runs under way, of every kind. */
  readonly running: RunningRuns;
  readonly queue: Queue;
  readonly views: FolderViews;
  readonly commit: (set: ChangeSet, options: Omit<CommitOptions, "today">) => Promise<CommitResult>;
  /** The same for a person's own command, which counts as a run of its own. */
  readonly commitAsked: Work["commit"];
  /** Whether a model reads this agent's words, and anything is learnt at all. */
  readonly readsByModel: (agent: AgentId) => boolean;
  readonly estimate: ExtractJob["estimate"];
}

export function createWork(ground: Ground, { places, catalog, writer, reading, wait }: WorkInput): Work {
  const { files, clock, emitter, paths, today, config, instance } = ground;
  const { stateDir, home } = paths;
  const views = createFolderViews(files);
  const money = createMoney(ground, { places, isPlan: reading.isPlan });
  const { ledger, budget, breaker } = money;
  const book = createBook({ clock, places, ...money });
  const commit: Work["commit"] = (set, options) =>
    instance.whileHeld(() =>
      writer.commit(set, { ...options, today: today(), lossShareMax: config().dream.maxLossShare }),
    );
  const inbox = createInbox({ files, stateDir, clock });
  const settling = createSettling({ files, clock, settleMs: () => config().extract.settleMs });
  const { wroteOurselves } = settling;
  const { preview } = writer;
  const appendLog: MemoryWriter["appendLog"] = (memoryDir, bullets) =>
    instance.whileHeld(() => writer.appendLog(memoryDir, bullets));
  const extractsToLog = () => config().extract.target === "daily-log";
  const inboxParts = { inbox, places, emitter, today, commit, preview, extractsToLog };
  const waiting = createWaiting({ ...inboxParts, writer: { ...writer, appendLog } }, { wroteOurselves });
  const parts = { files, clock, emitter, catalog, places, home, stateDir, config, today, settling, waiting };
  const running = createRunningRuns();
  const ignored = createIgnoredSessions({ files, stateDir });
  const { session: report, run: finishRun } = book;
  const extract = createExtractJob(
    createExtractDeps({
      ...parts,
      isIgnored: (sessions) => sessions.some((session) => ignored.has(session)),
      viewOf: views.view,
      finishOpen: writer.finishOpen,
      readerFor: reading.readerFor,
      openAccount: budget.open,
      restsUntil: breaker.restsUntil,
      waitForMore: wait,
      goOn({ memoryDir, trigger, ignoreSettle }) {
        extract.ask(memoryDir, { trigger, ignoreSettle });
        queue.push(EXTRACT, memoryDir, { priority: clock.now() });
      },
      report,
      finishRun,
    }),
    running,
  );
  const kind = {
    name: EXTRACT,
    run: (_: string, { lane, signal }: { lane: string; signal: AbortSignal }) =>
      instance.whileHeld(() => book.during(lane, () => extract.run(lane, signal))),
  };
  const queue = createQueue({
    kinds: new Map([[EXTRACT, kind]]),
    concurrency: config().concurrency,
    clock,
    emitter,
    retries: createRetries(ground),
  });
  const commitAsked: Work["commit"] = async (set, options) => {
    const result = await commit(set, options);
    book.asked(set, result);
    return result;
  };
  const readsByModel = (agent: AgentId) =>
    config().extract.enabled && reading.choiceFor(agent).kind === "model";
  const own = { extract, running, queue, views, commit, commitAsked, readsByModel, inbox, ignored };
  return { ...own, budget, breaker, ledger, estimate: extract.estimate, ...book };
}

function createRetries({ files, clock, emitter, paths }: Ground): RetryClock {
  const path = join(paths.stateDir, "retry.json");
  return createRetryClock({ files, clock, path, jitter: randomShare, emitter });
}
