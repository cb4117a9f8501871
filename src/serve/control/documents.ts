// The schema of every document the socket answers with, as data. Loaded when somebody asks for it; tests hold real
// answers against it. Says what is there at least: readers ignore what they do not know.
import { GATE_REASONS } from "../../domain/consolidation.ts";
import { EXIT } from "../../domain/errors.ts";
import { MEMORY_TYPES } from "../../domain/memories.ts";
import type {
  EngramdService,
  MemoryItem,
  MemoryList,
  RememberReply,
  RunItem,
  RunList,
  RunSummary,
  SyncReport,
} from "../../domain/service.ts";
import type { LastWeek, Overview, OverviewAgent } from "../../domain/overview.ts";
import type {
  Backfill,
  Hardening,
  Paused,
  ProjectStatus,
  ProviderClosed,
  ServiceFacts,
  SourceStatus,
  Status,
  Warning,
} from "../../domain/status.ts";
import type { ErrorDocument } from "../client/wire.ts";
import { ACCOUNT_ANSWERS, currentRun, passedOver } from "./account-documents.ts";
import { consolidation, consolidationSize } from "./consolidation-documents.ts";
import { INBOX_ANSWERS } from "./inbox-documents.ts";
import type { JsonSchema } from "./json-schema.ts";
import * as is from "./json-schema.ts";
import { LINT_ANSWERS } from "./lint-documents.ts";
import { modelOffers, modelReport, useModelReply } from "./model-documents.ts";
import { agent, moveReply, projectList } from "./project-documents.ts";

type Part<T, K extends keyof T> = NonNullable<T[K]>;
type Item<T> = T extends readonly (infer I)[] ? I : never;

const version1 = is.oneOf(1);

const warning = is.named("Warning", is.object<Warning>({ code: is.text, message: is.text, fix: is.text }));

const paused = is.named("Paused", is.object<Paused>({ since: is.instant, until: is.orNull(is.instant) }));

const source = is.object<SourceStatus>({
  agent,
  root: is.text,
  sessions: is.count,
  typedMessages: is.count,
  headlessSessions: is.count,
  passedOver: is.maybe(passedOver),
  pendingBytes: is.count,
  damagedLines: is.count,
  skippedLines: is.count,
  unknownTypes: is.mapOf(is.count),
  expiringSessions: is.count,
});

const project = is.object<ProjectStatus>({
  key: is.text,
  root: is.text,
  memoryDir: is.text,
  mode: is.oneOf("auto", "propose", "read-only", "off"),
  memories: is.count,
  index: is.object<ProjectStatus["index"]>({ lines: is.count, bytes: is.count }),
  waitingFor: is.orNull(is.text),
  lastRun: is.orNull(
    is.object<Part<ProjectStatus, "lastRun">>({
      id: is.text,
      kind: is.text,
      at: is.instant,
      outcome: is.text,
      changed: is.count,
      reason: is.maybe(is.text),
    }),
  ),
  lastSkip: is.orNull(is.object<Part<ProjectStatus, "lastSkip">>({ reason: is.text, at: is.instant })),
  lastError: is.orNull(
    is.object<Part<ProjectStatus, "lastError">>({
      code: is.text,
      message: is.text,
      at: is.instant,
      retryAt: is.orNull(is.instant),
      kind: is.maybe(is.text),
    }),
  ),
  nextDue: is.object<ProjectStatus["nextDue"]>({
    extract: is.orNull(is.instant),
    dream: is.orNull(is.instant),
    distill: is.orNull(is.instant),
  }),
  gates: is.object<ProjectStatus["gates"]>({
    dream: is.orNull(is.oneOf(...GATE_REASONS)),
    distill: is.orNull(is.oneOf(...GATE_REASONS)),
  }),
  spentUsdToday: is.amount,
});

const service = is.object<ServiceFacts>({
  manager: is.oneOf("systemd", "launchd", "none"),
  hardening: is.listOf(is.object<Hardening>({ name: is.text, effective: is.orNull(is.flag) })),
  linger: is.orNull(is.flag),
});

const state = is.oneOf(
  "starting",
  "scanning",
  "idle",
  "waiting-for-quiet",
  "running",
  "paused",
  "over-budget",
  "degraded",
  "stopping",
  "stopped",
);

const provider = is.object<Status["provider"]>({
  name: is.text,
  model: is.orNull(is.text),
  why: is.text,
  closed: is.maybe(
    is.object<ProviderClosed>({
      code: is.text,
      message: is.text,
      since: is.instant,
      until: is.instant,
      waitingJobs: is.count,
      fix: is.orNull(is.text),
    }),
  ),
});

const status = is.named(
  "Status",
  is.object<Status>({
    v: version1,
    version: is.text,
    clientVersion: is.maybe(is.text),
    pid: is.orNull(is.count),
    startedAt: is.orNull(is.instant),
    state,
    paused: is.maybe(paused),
    provider,
    sources: is.listOf(source),
    projects: is.listOf(project),
    backfill: is.maybe(
      is.orNull(
        is.object<Backfill>({
          doneSessions: is.count,
          totalSessions: is.count,
          bytesPerSecond: is.count,
          remainingMs: is.orNull(is.count),
        }),
      ),
    ),
    runs: is.maybe(is.listOf(currentRun)),
    queue: is.object<Status["queue"]>({
      waiting: is.count,
      running: is.count,
      delayed: is.count,
      dead: is.count,
    }),
    budget: is.object<Status["budget"]>({
      tokensToday: is.count,
      usdToday: is.amount,
      usdMonth: is.amount,
      limits: is.mapOf(is.anything),
      exhausted: is.flag,
    }),
    counters: is.object<Status["counters"]>({
      linesRead: is.count,
      recordsRead: is.count,
      secretsMasked: is.count,
      proposalsRefused: is.mapOf(is.count),
    }),
    warnings: is.listOf(warning),
    service: is.maybe(service),
  }),
);

const overviewAgent = is.object<OverviewAgent>({
  agent,
  sessions: is.count,
  projects: is.count,
  expiringSessions: is.count,
  roots: is.listOf(is.object<Item<OverviewAgent["roots"]>>({ path: is.text, found: is.flag })),
});

const overview = is.named(
  "Overview",
  is.object<Overview>({
    v: version1,
    version: is.text,
    state,
    paused: is.maybe(paused),
    reading: is.flag,
    provider,
    agents: is.listOf(overviewAgent),
    typedMessages: is.count,
    memories: is.object<Overview["memories"]>({ saved: is.count, total: is.count }),
    proposals: is.maybe(is.count),
    candidates: is.count,
    unread: is.object<Overview["unread"]>({ sessions: is.count, bytes: is.count }),
    writesTo: is.listOf(is.text),
    lastWeek: is.object<LastWeek>({
      sessions: is.count,
      model: is.text,
      inputTokens: is.count,
      usd: is.orNull(is.amount),
    }),
    offers: is.maybe(modelOffers),
    spent: is.object<Overview["spent"]>({ usdToday: is.amount, usdMonth: is.amount }),
    warnings: is.listOf(warning),
  }),
);

const runSummary = is.named(
  "RunSummary",
  is.object<RunSummary>({
    id: is.text,
    kind: is.text,
    project: is.text,
    outcome: is.text,
    requests: is.count,
    inputTokens: is.count,
    outputTokens: is.count,
    usd: is.amount,
  }),
);

const runs = is.named(
  "RunList",
  is.object<RunList>({
    v: version1,
    runs: is.listOf(
      is.object<RunItem>({
        id: is.text,
        kind: is.text,
        trigger: is.text,
        at: is.instant,
        project: is.text,
        memoryDir: is.text,
        plan: is.maybe(is.oneOf(true)),
        outcome: is.text,
        files: is.listOf(is.text),
        undoable: is.flag,
        reason: is.maybe(is.text),
        before: is.maybe(consolidationSize),
        after: is.maybe(consolidationSize),
        requests: is.count,
        inputTokens: is.count,
        outputTokens: is.count,
        usd: is.amount,
      }),
    ),
  }),
);

const sync = is.named(
  "SyncReport",
  is.object<SyncReport>({
    v: version1,
    sessions: is.object<SyncReport["sessions"]>({ seen: is.count, new: is.count, processed: is.count }),
    agents: is.mapOf(
      is.object<SyncReport["agents"][string]>({
        sessions: is.count,
        typedMessages: is.count,
        headlessSessions: is.count,
        damagedLines: is.count,
      }),
    ),
    records: is.count,
    damagedLines: is.count,
    memories: is.object<SyncReport["memories"]>({
      created: is.count,
      updated: is.count,
      confirmed: is.count,
      deleted: is.count,
      candidates: is.count,
      refused: is.listOf(
        is.object<Item<SyncReport["memories"]["refused"]>>({ file: is.text, reason: is.text }),
      ),
    }),
    passedOver: is.maybe(passedOver),
    skipped: is.listOf(is.object<Item<SyncReport["skipped"]>>({ session: is.text, reason: is.text })),
    remaining: is.object<SyncReport["remaining"]>({
      sessions: is.count,
      usd: is.amount,
      days: is.amount,
      older: is.maybe(is.count),
    }),
    runs: is.listOf(runSummary),
    paused: is.maybe(paused),
    estimate: is.maybe(
      is.object<Part<SyncReport, "estimate">>({
        requests: is.count,
        inputTokens: is.count,
        usd: is.amount,
        plan: is.maybe(is.oneOf(true)),
      }),
    ),
  }),
);

const memory = is.named(
  "Memory",
  is.object<MemoryItem>({
    name: is.text,
    file: is.text,
    type: is.orNull(is.oneOf(...MEMORY_TYPES)),
    description: is.orNull(is.text),
    project: is.text,
    modified: is.text,
    confirmed: is.orNull(is.text),
    ageDays: is.amount,
    links: is.listOf(is.text),
    evidence: is.listOf(is.text),
    score: is.orNull(is.amount),
    matches: is.maybe(is.listOf(is.oneOf("name", "description", "body"))),
    body: is.maybe(is.text),
  }),
);

const memories = is.named(
  "MemoryList",
  is.object<MemoryList>({
    v: version1,
    memories: is.listOf(memory),
    more: is.maybe(is.count),
    notMemories: is.listOf(
      is.object<Item<MemoryList["notMemories"]>>({ file: is.text, project: is.text, why: is.text }),
    ),
  }),
);

const remember = is.named(
  "RememberReply",
  is.object<RememberReply>({
    v: version1,
    outcome: is.oneOf("created", "confirmed", "updated", "refused"),
    file: is.orNull(is.text),
    path: is.orNull(is.text),
    reason: is.orNull(is.text),
    message: is.text,
  }),
);

type Answers = {
  readonly [K in keyof EngramdService]: JsonSchema<Awaited<ReturnType<EngramdService[K]>>>;
};

/** What each question of the service is answered with. */
export const ANSWERS: Answers = {
  status,
  overview,
  memories,
  runs,
  sync,
  remember,
  ...ACCOUNT_ANSWERS,
  ...INBOX_ANSWERS,
  ...LINT_ANSWERS,
  dream: consolidation,
  distill: consolidation,
  projects: projectList,
  moveProject: moveReply,
  model: modelReport,
  useModel: useModelReply,
};

/** Every answer that is no 200. */
export const ERROR = is.named(
  "Error",
  is.object<ErrorDocument>({
    error: is.object<ErrorDocument["error"]>({
      code: is.text,
      message: is.text,
      fix: is.orNull(is.text),
      exitCode: is.oneOf(...Object.values(EXIT)),
    }),
  }),
);
