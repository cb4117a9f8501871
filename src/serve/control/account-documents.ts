// The schemas of log, forget, why, news, ignore, cancel, history, cost, diff, undo and pause: what engramd says of what it did and does. Describes only.
import type {
  CancelReply,
  IgnoredFile,
  IgnoreReply,
  MemoryStory,
  MessageStory,
  NewsItem,
  NewsReply,
  Reason,
  SessionStory,
  WhyEvidence,
} from "../../domain/account.ts";
import type { CostReport, CostSum, MemoryCost } from "../../domain/cost.ts";
import type { LogReply } from "../../domain/daily-log.ts";
import type { DiffReply, FileDiff, HistoryReply, HistoryRun, UndoReply } from "../../domain/history.ts";
import { MEMORY_TYPES } from "../../domain/memories.ts";
import type { ForgetReply, PauseReply, PurgeFacts, SyncReport } from "../../domain/service.ts";
import type { CurrentRun } from "../../domain/status.ts";
import { consolidationSize } from "./consolidation-documents.ts";
import * as is from "./json-schema.ts";

type Item<T> = T extends readonly (infer I)[] ? I : never;

type Change = Item<NonNullable<HistoryRun["changes"]>>;

const version1 = is.oneOf(1);
const memoryType = is.orNull(is.oneOf(...MEMORY_TYPES));
const changedBy = is.oneOf("rules", "model", "person", "hand", "engramd");

const reason = is.named("Reason", is.object<Reason>({ code: is.text, message: is.text }));

const message = is.object<MessageStory>({
  record: is.text,
  at: is.orNull(is.instant),
  text: is.text,
  outcome: is.oneOf(
    "saved",
    "updated",
    "confirmed",
    "taken-back",
    "candidate",
    "refused",
    "skipped",
    "waiting",
    "nothing",
  ),
  reason: is.orNull(reason),
  until: is.orNull(is.instant),
  memories: is.listOf(
    is.object<Item<MessageStory["memories"]>>({ file: is.text, op: is.text, run: is.text, gone: is.flag }),
  ),
});

const sessionStory = is.named(
  "SessionStory",
  is.object<SessionStory>({
    v: version1,
    about: is.oneOf("session"),
    session: is.text,
    agent: is.text,
    project: is.orNull(is.text),
    transcripts: is.listOf(is.text),
    ignored: is.flag,
    messages: is.listOf(message),
    more: is.count,
    unseenBytes: is.count,
  }),
);

const memoryStory = is.named(
  "MemoryStory",
  is.object<MemoryStory>({
    v: version1,
    about: is.oneOf("memory"),
    name: is.text,
    file: is.text,
    project: is.text,
    type: memoryType,
    gone: is.flag,
    made: is.oneOf("from-sessions", "on-request", "by-hand"),
    message: is.text,
    evidence: is.listOf(
      is.object<WhyEvidence>({
        record: is.text,
        session: is.text,
        by: is.text,
        at: is.orNull(is.instant),
        quote: is.orNull(is.text),
        missing: is.orNull(is.text),
        op: is.text,
        run: is.text,
      }),
    ),
    changes: is.listOf(
      is.object<Item<MemoryStory["changes"]>>({
        at: is.instant,
        run: is.text,
        kind: is.text,
        op: is.text,
        by: changedBy,
        trigger: is.text,
      }),
    ),
    more: is.count,
  }),
);

const why = is.either(sessionStory, memoryStory);

const news = is.named(
  "NewsReply",
  is.object<NewsReply>({
    v: version1,
    since: is.instant,
    first: is.flag,
    projects: is.listOf(
      is.object<Item<NewsReply["projects"]>>({
        project: is.text,
        memoryDir: is.text,
        since: is.instant,
        items: is.listOf(
          is.object<NewsItem>({
            what: is.oneOf("learned", "changed", "removed"),
            file: is.text,
            name: is.text,
            type: memoryType,
            description: is.orNull(is.text),
            at: is.instant,
            by: changedBy,
            run: is.text,
            undo: is.orNull(is.text),
          }),
        ),
        confirmed: is.count,
        more: is.count,
      }),
    ),
    notShown: is.maybe(
      is.listOf(
        is.object<Item<NonNullable<NewsReply["notShown"]>>>({
          memoryDir: is.text,
          project: is.text,
          why: is.text,
        }),
      ),
    ),
    notNoted: is.maybe(is.text),
  }),
);

const ignore = is.named(
  "IgnoreReply",
  is.object<IgnoreReply>({
    v: version1,
    outcome: is.oneOf("ignored", "already-ignored"),
    session: is.text,
    agent: is.orNull(is.text),
    removed: is.listOf(is.object<IgnoredFile>({ file: is.text, name: is.text, project: is.text })),
    kept: is.listOf(
      is.object<Item<IgnoreReply["kept"]>>({ file: is.text, name: is.text, project: is.text, reason }),
    ),
    candidates: is.count,
    message: is.text,
  }),
);

const cancel = is.named(
  "CancelReply",
  is.object<CancelReply>({
    v: version1,
    outcome: is.oneOf("cancelled", "stopping", "finished"),
    run: is.text,
    kind: is.text,
    project: is.text,
    message: is.text,
  }),
);

const pause = is.named(
  "PauseReply",
  is.object<PauseReply>({
    v: version1,
    outcome: is.oneOf("paused", "resumed", "not-paused"),
    since: is.orNull(is.instant),
    until: is.orNull(is.instant),
    running: is.flag,
  }),
);

const history = is.named(
  "HistoryReply",
  is.object<HistoryReply>({
    v: version1,
    runs: is.listOf(
      is.object<HistoryRun>({
        id: is.text,
        kind: is.text,
        trigger: is.text,
        at: is.instant,
        project: is.text,
        outcome: is.text,
        files: is.listOf(is.text),
        changes: is.maybe(is.listOf(is.object<Change>({ file: is.text, op: is.text, why: is.text }))),
        reason: is.maybe(is.text),
        before: is.maybe(consolidationSize),
        after: is.maybe(consolidationSize),
        usd: is.amount,
        plan: is.maybe(is.oneOf(true)),
        undoable: is.flag,
        undone: is.flag,
        purged: is.flag,
      }),
    ),
  }),
);

const diff = is.named(
  "DiffReply",
  is.object<DiffReply>({
    v: version1,
    run: is.text,
    kind: is.text,
    at: is.instant,
    files: is.listOf(
      is.object<FileDiff>({
        file: is.text,
        memoryDir: is.text,
        op: is.text,
        before: is.orNull(is.text),
        after: is.orNull(is.text),
        patch: is.orNull(is.text),
        why: is.orNull(is.text),
        because: is.orNull(is.text),
      }),
    ),
    before: is.maybe(consolidationSize),
    after: is.maybe(consolidationSize),
  }),
);

const undo = is.named(
  "UndoReply",
  is.object<UndoReply>({
    v: version1,
    outcome: is.oneOf("undone", "planned", "nothing"),
    undo: is.listOf(is.text),
    runs: is.listOf(is.text),
    restored: is.listOf(is.text),
    changes: is.listOf(
      is.object<Item<UndoReply["changes"]>>({
        file: is.text,
        memoryDir: is.text,
        what: is.oneOf("removed", "changed-back", "brought-back"),
      }),
    ),
    refused: is.listOf(
      is.object<Item<UndoReply["refused"]>>({ file: is.text, why: is.text, forcible: is.flag }),
    ),
    message: is.text,
  }),
);

/** Sessions of programs that nobody looks into. */
export const passedOver = is.object<NonNullable<SyncReport["passedOver"]>>({
  flood: is.count,
  observer: is.count,
});

/** A run in the status. */
export const currentRun = is.object<CurrentRun>({
  id: is.text,
  kind: is.text,
  project: is.text,
  state: is.oneOf("waiting", "running", "delayed", "dead"),
  startedAt: is.orNull(is.instant),
});

const purgeFacts = is.object<PurgeFacts>({
  removed: is.object<PurgeFacts["removed"]>({
    entries: is.count,
    images: is.count,
    evidence: is.count,
    runs: is.count,
    candidates: is.count,
    copies: is.count,
    logLines: is.count,
  }),
  remains: is.listOf(
    is.object<PurgeFacts["remains"][number]>({
      what: is.oneOf("transcript", "memory", "index", "copy", "daily-log", "service-log"),
      path: is.text,
    }),
  ),
});

const forget = is.named(
  "ForgetReply",
  is.object<ForgetReply>({
    v: version1,
    outcome: is.oneOf("forgotten", "purged", "not-found", "ambiguous", "refused"),
    file: is.orNull(is.text),
    message: is.text,
    matches: is.listOf(is.text),
    purged: is.maybe(purgeFacts),
  }),
);

const costFigures = {
  runs: is.count,
  planRuns: is.count,
  requests: is.count,
  inputTokens: is.count,
  outputTokens: is.count,
  usd: is.amount,
  memories: is.count,
} as const;

const cost = is.named(
  "CostReport",
  is.object<CostReport>({
    v: version1,
    days: is.count,
    from: is.text,
    to: is.text,
    pricesAsOf: is.text,
    total: is.object<CostSum>(costFigures),
    byDay: is.listOf(is.object<Item<CostReport["byDay"]>>({ day: is.text, ...costFigures })),
    byProject: is.listOf(is.object<Item<CostReport["byProject"]>>({ project: is.text, ...costFigures })),
    byKind: is.listOf(is.object<Item<CostReport["byKind"]>>({ kind: is.text, ...costFigures })),
    perMemory: is.orNull(
      is.object<NonNullable<CostReport["perMemory"]>>({ tokens: is.count, usd: is.amount }),
    ),
    memories: is.listOf(
      is.object<MemoryCost>({ file: is.text, project: is.text, tokens: is.count, usd: is.amount }),
    ),
  }),
);

const log = is.named(
  "LogReply",
  is.object<LogReply>({
    v: version1,
    outcome: is.oneOf("logged", "refused"),
    path: is.orNull(is.text),
    line: is.orNull(is.count),
    text: is.orNull(is.text),
    reason: is.orNull(is.text),
    message: is.text,
  }),
);

export const ACCOUNT_ANSWERS = {
  log,
  forget,
  why,
  news,
  ignore,
  cancel,
  history,
  cost,
  diff,
  undo,
  pause,
  resume: pause,
};
