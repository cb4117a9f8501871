// What works: the queue and its one kind of job, and the books of what jobs did. Starts nothing.
import { join } from "node:path";
import type { ChangeSet } from "../domain/changes.ts";
import type { Instant } from "../domain/records.ts";
import type { AgentId } from "../domain/sessions.ts";
import type { Places } from "../intake/projects/places.ts";
import type { JobKind } from "../intake/queue/job-kind.ts";
import type { Queue } from "../intake/queue/queue.ts";
import { createQueue } from "../intake/queue/queue.ts";
import type { RetryClock } from "../intake/queue/retry-clock.ts";
import { createRetryClock } from "../intake/queue/retry-clock.ts";
import type { IgnoredSessions } from "../intake/transcripts/ignored.ts";
import { createIgnoredSessions } from "../intake/transcripts/ignored.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import { createExtractDeps } from "../learn/jobs/extract/deps.ts";
import type { GoOn } from "../learn/jobs/extract/model-contract.ts";
import type { ExtractJob } from "../learn/jobs/extract/index.ts";
import { createExtractJob, EXTRACT } from "../learn/jobs/extract/index.ts";
import type { Settling } from "../learn/jobs/settling.ts";
import type { Waiting } from "../learn/jobs/waiting.ts";
import { createRunningRuns, type RunningRuns } from "../learn/jobs/running.ts";
import type { Inbox } from "../memory/inbox/inbox.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "../memory/journal/commit.ts";
import type { Book } from "../serve/answers/book.ts";
import { createBook } from "../serve/answers/book.ts";
import type { FolderViews } from "../serve/answers/folder-view.ts";
import { createFolderViews } from "../serve/answers/folder-view.ts";
import type { Pause } from "../serve/answers/pause.ts";
import { randomShare } from "../system/ids.ts";
import { createCommitting } from "./committing.ts";
import type { ConsolidationInput } from "./consolidation-input.ts";
import type { ConsolidationParts } from "./consolidation-parts.ts";
import { createConsolidationParts } from "./consolidation-parts.ts";
import type { Ground } from "./ground.ts";
import { createLogMode } from "./log-mode.ts";
import type { Money } from "./money.ts";
import { createMoney } from "./money.ts";
import type { Reading } from "./reading.ts";

export interface WorkInput {
  readonly places: Places;
  readonly catalog: Catalog;
  readonly writer: MemoryWriter;
  readonly reading: Reading;
  readonly pause: Pause;
  /** Makes a folder due again at a time, or when more words come. */
  readonly wait: (memoryDir: string, at: Instant) => void;
}

export interface Work
  extends
    Pick<Book, "activity" | "cancelled" | "counters" | "listen" | "settleCosts">,
    Pick<Money, "budget" | "breaker" | "ledger">,
    ConsolidationParts {
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

export function createWork(
  ground: Ground,
  { places, catalog, writer, reading, pause, wait }: WorkInput,
): Work {
  const { files, clock, emitter, paths, config } = ground;
  const { stateDir } = paths;
  const views = createFolderViews({ files, clock });
  const money = createMoney(ground, { places, payment: reading });
  const { ledger, budget, breaker } = money;
  const book = createBook({ clock, places, ...money });
  const { commit, inbox, settling, waiting } = createCommitting(ground, { places, writer });
  const running = createRunningRuns();
  const ignored = createIgnoredSessions({ files, stateDir });
  const shared = {
    places,
    catalog,
    writer,
    reading,
    settling,
    waiting,
    budget,
    book,
    ignored,
    views,
    running,
    pause,
    logMode: createLogMode(ground, { places, writer }),
  };
  const extract = createExtraction(ground, {
    ...shared,
    breaker,
    wait,
    goOn({ memoryDir, trigger, ignoreSettle }) {
      extract.ask(memoryDir, { trigger, ignoreSettle });
      queue.push(EXTRACT, memoryDir, { priority: clock.now() });
    },
  });
  const consolidation = createConsolidationParts(ground, { ...shared, queue: () => queue });
  const queue = createQueue({
    kinds: new Map([[EXTRACT, extractKind(ground, { book, extract })], ...consolidation.jobKinds]),
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
  return { ...own, budget, breaker, ledger, estimate: extract.estimate, ...book, ...consolidation };
}

function extractKind(
  { instance }: Ground,
  { book, extract }: { readonly book: Pick<Book, "during">; readonly extract: Pick<ExtractJob, "run"> },
): JobKind {
  return {
    name: EXTRACT,
    run: (_, { lane: memoryDir, signal }) =>
      instance.whileHeld(() =>
        book.during({ kind: EXTRACT, memoryDir }, () => extract.run(memoryDir, signal)),
      ),
  };
}

interface ExtractionInput
  extends Omit<ConsolidationInput, "queue" | "reading">, Pick<Money, "breaker">, Pick<WorkInput, "wait"> {
  readonly reading: Reading;
  readonly settling: Settling;
  readonly waiting: Waiting;
  readonly book: Book;
  goOn(ask: GoOn): void;
}

function createExtraction(ground: Ground, input: ExtractionInput): ExtractJob {
  const { writer, reading, budget, breaker, book, ignored, views, running, wait, goOn } = input;
  const { stateDir, home } = ground.paths;
  const deps = createExtractDeps({
    ...ground,
    ...input,
    stateDir,
    home,
    isIgnored: (sessions) => sessions.some((session) => ignored.has(session)),
    viewOf: views.view,
    finishOpen: writer.finishOpen,
    readerFor: reading.readerFor,
    openAccount: budget.open,
    restsUntil: breaker.restsUntil,
    waitForMore: wait,
    goOn,
    report: book.session,
    finishRun: book.run,
  });
  return createExtractJob(deps, running);
}

function createRetries({ files, clock, emitter, paths }: Ground): RetryClock {
  const path = join(paths.stateDir, "retry.json");
  return createRetryClock({ files, clock, path, jitter: randomShare, emitter });
}
