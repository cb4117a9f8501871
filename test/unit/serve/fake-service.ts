// A service that answers with invented documents and remembers what it was asked.
import type { ConsolidationReply } from "../../../src/domain/consolidation.ts";
import type { ModelReport, UseModelReply } from "../../../src/domain/model-choice.ts";
import type { Overview } from "../../../src/domain/overview.ts";
import type { MoveReply } from "../../../src/domain/projects.ts";
import type { SessionStory } from "../../../src/domain/account.ts";
import type { EngramdService, MemoryItem, RunItem } from "../../../src/domain/service.ts";
import type { ProjectStatus, SourceStatus, Status } from "../../../src/domain/status.ts";

export interface FakeService extends EngramdService {
  readonly asked: { readonly method: string; readonly request: unknown }[];
}

export function sampleStatus(changes: Partial<Status> = {}): Status {
  return {
    v: 1,
    version: "0.1.0",
    pid: 4242,
    startedAt: "2026-05-04T08:00:00.000Z",
    state: "idle",
    provider: { name: "offline", model: null, why: "no model was chosen" },
    sources: [],
    projects: [],
    queue: { waiting: 0, running: 0, delayed: 0, dead: 0 },
    budget: { tokensToday: 0, usdToday: 0, usdMonth: 0, limits: {}, exhausted: false },
    counters: { linesRead: 0, recordsRead: 0, secretsMasked: 0, proposalsRefused: {} },
    warnings: [],
    ...changes,
  };
}

export function sampleOverview(changes: Partial<Overview> = {}): Overview {
  return {
    v: 1,
    version: "0.1.0",
    state: "idle",
    reading: false,
    provider: { name: "offline", model: null, why: "no model was chosen" },
    agents: [
      {
        agent: "claude-code",
        sessions: 214,
        projects: 12,
        expiringSessions: 0,
        roots: [{ path: "/home/ana/.claude/projects", found: true }],
      },
    ],
    typedMessages: 1_906,
    memories: { saved: 4, total: 9 },
    candidates: 23,
    unread: { sessions: 0, bytes: 0 },
    writesTo: ["/home/ana/.claude/projects/*/memory"],
    lastWeek: { sessions: 38, model: "claude-haiku-4-5", inputTokens: 287_280, usd: 0.9 },
    spent: { usdToday: 0, usdMonth: 0 },
    warnings: [],
    ...changes,
  };
}

const WEEK: ModelReport["week"] = {
  days: 7,
  activeDays: 5,
  sessions: 3,
  agents: [{ agent: "claude-code", sessions: 3, projects: ["/home/ana/shop"] }],
  model: "claude-haiku-4-5",
  requests: 6,
  inputTokens: 50_000,
  usd: 0.06,
  day: { inputTokens: 10_000, usd: 0.012 },
  left: 0,
};
const CEILINGS = { tokensPerDay: 2_000_000, usdPerDay: 2, usdPerMonth: 30, runsPerHour: 30 };

export function sampleModelReport(changes: Partial<ModelReport> = {}): ModelReport {
  return {
    v: 1,
    running: true,
    kinds: [{ kind: "extract", provider: "offline", model: null, why: "no model was chosen" }],
    host: null,
    agents: [{ agent: "claude-code", reader: "rules", why: "no model was chosen", allow: null }],
    apiKeyEnv: "ANTHROPIC_API_KEY",
    key: null,
    ceilings: CEILINGS,
    spent: { tokensToday: 0, usdToday: 0, usdMonth: 0 },
    week: WEEK,
    offers: [],
    warnings: [],
    ...changes,
  };
}

export function samplePlan(changes: Partial<UseModelReply> = {}): UseModelReply {
  return {
    v: 1,
    outcome: "planned",
    provider: "anthropic",
    host: "https://api.anthropic.com",
    elsewhere: true,
    unencrypted: false,
    sent: [{ agent: "claude-code", isNew: true, sessions: 3, projects: ["/home/ana/shop"] }],
    kept: [],
    week: WEEK,
    ceilings: CEILINGS,
    configFile: "/home/ana/.config/engramd/config.json",
    diff: [{ key: "provider", before: null, after: '"anthropic"' }],
    notes: [],
    digest: "0123456789abcdef",
    running: true,
    ...changes,
  };
}

export function sampleMove(changes: Partial<MoveReply> = {}): MoveReply {
  return {
    v: 1,
    outcome: "planned",
    root: "/home/ana/shop",
    from: "/home/ana/.local/share/engramd/projects/-home-ana-shop/memory",
    to: "/home/ana/.claude/projects/-home-ana-shop/memory",
    files: 3,
    kept: null,
    conflicts: [],
    message: "3 files would be copied",
    ...changes,
  };
}

export function sampleProject(changes: Partial<ProjectStatus> = {}): ProjectStatus {
  return {
    key: "-home-ana-shop",
    root: "/home/ana/shop",
    memoryDir: "/home/ana/.claude/projects/-home-ana-shop/memory",
    mode: "auto",
    memories: 3,
    index: { lines: 3, bytes: 200 },
    waitingFor: null,
    lastRun: null,
    lastSkip: { reason: "settling", at: "2026-05-04T08:00:00.000Z" },
    lastError: { code: "timeout", message: "slow", at: "2026-05-04T08:00:00.000Z", retryAt: null },
    nextDue: { extract: "2026-05-04T08:00:00.000Z", dream: "2026-05-05T08:00:00.000Z", distill: null },
    gates: { dream: "too-soon", distill: "nothing-new" },
    spentUsdToday: 0.25,
    ...changes,
  };
}

export function sampleSource(changes: Partial<SourceStatus> = {}): SourceStatus {
  return {
    agent: "claude-code",
    root: "/home/ana/.claude/projects",
    sessions: 5,
    typedMessages: 20,
    headlessSessions: 0,
    pendingBytes: 1_000,
    damagedLines: 1,
    skippedLines: 0,
    unknownTypes: { tag: 2 },
    expiringSessions: 0,
    ...changes,
  };
}

export function sampleMemory(changes: Partial<MemoryItem> = {}): MemoryItem {
  return {
    name: "tabs-not-spaces",
    file: "feedback_tabs-not-spaces.md",
    type: "feedback",
    description: "Indent with tabs",
    project: "/home/ana/shop",
    modified: "2026-05-03T10:00:00.000Z",
    confirmed: "2026-05-03",
    ageDays: 1,
    links: [],
    evidence: ["r1"],
    score: null,
    ...changes,
  };
}

export function sampleRun(changes: Partial<RunItem> = {}): RunItem {
  return {
    id: "r-1",
    kind: "extract",
    trigger: "quiet",
    at: "2026-05-04T08:30:00.000Z",
    project: "/home/ana/shop",
    memoryDir: "/home/ana/.claude/projects/-home-ana-shop/memory",
    outcome: "succeeded",
    files: ["feedback_tabs.md"],
    undoable: false,
    requests: 0,
    inputTokens: 0,
    outputTokens: 0,
    usd: 0,
    ...changes,
  };
}

export function sampleStory(changes: Partial<SessionStory> = {}): SessionStory {
  return {
    v: 1,
    about: "session",
    session: "11111111-1111-4111-8111-111111111111",
    agent: "claude-code",
    project: "/home/ana/shop",
    transcripts: ["/home/ana/.claude/projects/-home-ana-shop/s.jsonl"],
    ignored: false,
    messages: [],
    more: 0,
    unseenBytes: 0,
    ...changes,
  };
}

export function sampleConsolidation(changes: Partial<ConsolidationReply> = {}): ConsolidationReply {
  return {
    v: 1,
    outcome: "succeeded",
    reason: null,
    run: "20260504T090000-abc",
    changes: [{ op: "delete", file: "feedback_tabs.md", why: "says the same as feedback_indent.md" }],
    noted: [],
    before: { files: 12, indexLines: 14 },
    after: { files: 11, indexLines: 13 },
    ...changes,
  };
}

export function createFakeService(answers: Partial<EngramdService> = {}): FakeService {
  const asked: FakeService["asked"] = [];
  const note = (method: string, request: unknown) => void asked.push({ method, request });
  return {
    asked,
    status() {
      note("status", undefined);
      return answers.status?.() ?? Promise.resolve(sampleStatus());
    },
    log(request) {
      note("log", request);
      return answers.log?.(request) ?? Promise.reject(new Error("no answer"));
    },
    sync(request) {
      note("sync", request);
      return (
        answers.sync?.(request) ??
        Promise.resolve({
          v: 1,
          sessions: { seen: 3, new: 2, processed: 2 },
          agents: {
            "claude-code": { sessions: 3, typedMessages: 14, headlessSessions: 0, damagedLines: 0 },
          },
          records: 40,
          damagedLines: 0,
          memories: { created: 1, updated: 0, confirmed: 2, deleted: 0, candidates: 0, refused: [] },
          skipped: [],
          remaining: { sessions: 0, usd: 0, days: 0 },
          runs: [],
        })
      );
    },
    overview() {
      note("overview", undefined);
      return answers.overview?.() ?? Promise.resolve(sampleOverview());
    },
    model() {
      note("model", undefined);
      return answers.model?.() ?? Promise.resolve(sampleModelReport());
    },
    useModel(request) {
      note("useModel", request);
      return answers.useModel?.(request) ?? Promise.resolve(samplePlan());
    },
    memories(request) {
      note("memories", request);
      return (
        answers.memories?.(request) ?? Promise.resolve({ v: 1, memories: [sampleMemory()], notMemories: [] })
      );
    },
    runs(request) {
      note("runs", request);
      return answers.runs?.(request) ?? Promise.resolve({ v: 1, runs: [sampleRun()] });
    },
    remember(request) {
      note("remember", request);
      return (
        answers.remember?.(request) ??
        Promise.resolve({
          v: 1,
          outcome: "created",
          file: "feedback_tabs.md",
          path: "/home/ana/memory/feedback_tabs.md",
          reason: null,
          message: "",
        })
      );
    },
    forget(request) {
      note("forget", request);
      return (
        answers.forget?.(request) ??
        Promise.resolve({ v: 1, outcome: "forgotten", file: "feedback_tabs.md", message: "", matches: [] })
      );
    },
    why(request) {
      note("why", request);
      return answers.why?.(request) ?? Promise.resolve(sampleStory());
    },
    news(request) {
      note("news", request);
      const since = "2026-05-03T09:00:00.000Z";
      return answers.news?.(request) ?? Promise.resolve({ v: 1, since, first: false, projects: [] });
    },
    ignore(request) {
      note("ignore", request);
      return (
        answers.ignore?.(request) ??
        Promise.resolve({
          v: 1,
          outcome: "ignored",
          session: request.session,
          agent: "claude-code",
          removed: [],
          kept: [],
          candidates: 0,
          message: "",
        })
      );
    },
    dream(request) {
      note("dream", request);
      return answers.dream?.(request) ?? Promise.resolve(sampleConsolidation());
    },
    distill(request) {
      note("distill", request);
      return answers.distill?.(request) ?? Promise.resolve(sampleConsolidation());
    },
    history(request) {
      note("history", request);
      return answers.history?.(request) ?? Promise.resolve({ v: 1, runs: [] });
    },
    cost(request) {
      note("cost", request);
      const total = {
        runs: 0,
        planRuns: 0,
        requests: 0,
        inputTokens: 0,
        outputTokens: 0,
        usd: 0,
        memories: 0,
      };
      const dates = { from: "2026-05-04", to: "2026-05-04", pricesAsOf: "2026-05-01" };
      const lists = { byDay: [], byProject: [], byKind: [], memories: [] };
      return (
        answers.cost?.(request) ??
        Promise.resolve({ v: 1, days: 1, ...dates, total, ...lists, perMemory: null })
      );
    },
    diff(request) {
      note("diff", request);
      const at = "2026-05-04T08:30:00.000Z";
      return answers.diff?.(request) ?? Promise.resolve({ v: 1, run: "r-1", kind: "extract", at, files: [] });
    },
    undo(request) {
      note("undo", request);
      const nothing = { undo: [], runs: [], restored: [], changes: [], refused: [], message: "" };
      return answers.undo?.(request) ?? Promise.resolve({ v: 1, outcome: "nothing", ...nothing });
    },
    lint(request) {
      note("lint", request);
      return answers.lint?.(request) ?? Promise.resolve({ v: 1, findings: [] });
    },
    fixLint(request) {
      note("fixLint", request);
      return (
        answers.fixLint?.(request) ?? Promise.resolve({ v: 1, findings: [], fixed: [], runs: [], kept: [] })
      );
    },
    inbox(request) {
      note("inbox", request);
      return answers.inbox?.(request) ?? Promise.resolve({ v: 1, items: [], expired: 0, dropped: 0 });
    },
    acceptItems(request) {
      note("acceptItems", request);
      return answers.acceptItems?.(request) ?? Promise.resolve({ v: 1, items: [], message: "" });
    },
    rejectItems(request) {
      note("rejectItems", request);
      return answers.rejectItems?.(request) ?? Promise.resolve({ v: 1, items: [], message: "" });
    },
    cancel(request) {
      note("cancel", request);
      const { run } = request;
      return (
        answers.cancel?.(request) ??
        Promise.resolve({
          v: 1,
          outcome: "cancelled",
          run,
          kind: "extract",
          project: "/home/ana/shop",
          message: "",
        })
      );
    },
    pause(request) {
      note("pause", request);
      const since = "2026-05-04T09:00:00.000Z";
      return (
        answers.pause?.(request) ??
        Promise.resolve({ v: 1, outcome: "paused", since, until: null, running: true })
      );
    },
    projects() {
      note("projects", undefined);
      return answers.projects?.() ?? Promise.resolve({ v: 1, projects: [] });
    },
    moveProject(request) {
      note("moveProject", request);
      return answers.moveProject?.(request) ?? Promise.resolve(sampleMove());
    },
    resume() {
      note("resume", undefined);
      return (
        answers.resume?.() ??
        Promise.resolve({ v: 1, outcome: "resumed", since: null, until: null, running: true })
      );
    },
  };
}
