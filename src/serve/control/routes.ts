// The routes of the control socket, as data: what each is for, its fields, and who answers. A new question of the
// service is one entry in `QUESTIONS`, beside its call (`client/calls.ts`) and its answer (`documents.ts`).
import type { CancelRequest, IgnoreRequest, NewsRequest, WhyRequest } from "../../domain/account.ts";
import type { CostRequest } from "../../domain/cost.ts";
import { COST_DAYS } from "../../domain/cost.ts";
import type { LogRequest } from "../../domain/daily-log.ts";
import type { DiffRequest, HistoryRequest, UndoRequest } from "../../domain/history.ts";
import type { DecideRequest, InboxRequest } from "../../domain/inbox.ts";
import type { LintRequest } from "../../domain/lint.ts";
import { INBOX_LIMITS, MEMORY_LIMITS, PATH_CHARS_MAX, PAUSE_LIMITS } from "../../domain/limits.ts";
import { MEMORY_TYPES } from "../../domain/memories.ts";
import type { UseModelRequest } from "../../domain/model-choice.ts";
import { MODEL_CHOICES } from "../../domain/model-choice.ts";
import type {
  EngramdService,
  ForgetRequest,
  MemoriesRequest,
  PauseRequest,
  RememberRequest,
  RunsRequest,
  SyncRequest,
} from "../../domain/service.ts";
import type { MoveRequest } from "../../domain/projects.ts";
import type { CallShape } from "../client/calls.ts";
import { CALLS } from "../client/calls.ts";
import type { AnyField, FieldsOf } from "./fields.ts";
import * as field from "./fields.ts";
import type { Given } from "./input.ts";
import { badRequest, readRequest } from "./input.ts";

interface Question {
  /** One sentence for the description of the socket. */
  readonly summary: string;
  readonly fields: Readonly<Record<string, AnyField>>;
  /** Asked all the time, by many, without fields: an answer that costs much serves all who ask in the same moment. */
  readonly isKept?: true;
  /** The answer's document. Throws AppErrors, `bad-request` (400) for fields that do not fit. */
  answer(service: EngramdService, given: Given): Promise<unknown>;
}

export interface Route extends CallShape, Question {
  readonly name: keyof EngramdService;
}

/** A route that answers something else than one document. */
export interface Page extends Pick<CallShape, "method" | "path"> {
  readonly name: "events" | "metrics" | "openapi";
  readonly summary: string;
  readonly contentType: string;
}

/** A hundred years; more is surely a mistake. */
const BACKFILL_DAYS_MAX = 36_500;
/** A run is some hundred bytes of an answer. */
const RUNS_MAX = 10_000;
const FILE_NAME_CHARS_MAX = 255;
/** As long as a text in the settings may be. */
const MODEL_TEXT_CHARS_MAX = 4_096;

const project = field.path("A folder inside the project.");
const run = field.text("Id of a run.", { charsMax: FILE_NAME_CHARS_MAX });
const name = field.text("Name or file of the memory.", { charsMax: FILE_NAME_CHARS_MAX });

const ID_CHARS_MAX = 64;
const DATE_CHARS_MAX = 10;
const decideFields: FieldsOf<DecideRequest> = {
  ids: field.text("Ids of items, joined by commas.", { charsMax: INBOX_LIMITS.idsMax * (ID_CHARS_MAX + 1) }),
  all: field.flag("Every item of the project; what was refused is accepted by its id only."),
  project,
};

const lintFields: FieldsOf<LintRequest> = {
  project,
  all: field.flag("Of every project; needed when no project is given."),
};

const QUESTIONS: Readonly<Record<keyof EngramdService, Question>> = {
  status: {
    ...question<object>({
      summary: "What the daemon does, waits for and needs.",
      fields: {},
      ask: (service) => service.status(),
    }),
    isKept: true,
  },
  memories: question<MemoriesRequest>({
    summary: "The memories of a project or of all, one by name, or those that fit some words, best first.",
    fields: {
      project,
      all: field.flag("Of every project; needed when no project is given."),
      name,
      words: field.text("Only what fits these words, best first.", {
        charsMax: MEMORY_LIMITS.queryCharsMax,
      }),
    },
    ask(service, request) {
      return service.memories(named(request));
    },
  }),
  runs: question<RunsRequest>({
    summary: "What ran, newest first.",
    fields: { limit: field.whole("At most so many runs.", { min: 1, max: RUNS_MAX }) },
    ask: (service, request) => service.runs(request),
  }),
  sync: question<SyncRequest>({
    summary: "Reads everything new now, does what is due, and answers when it is done.",
    fields: {
      backfillDays: field.wholeOr("Also read old sessions of so many days, or all.", {
        min: 0,
        max: BACKFILL_DAYS_MAX,
        or: "all",
      }),
      dryRun: field.flag("Say what would be read and sent; change nothing."),
      background: field.flag("Answer at once with what will be read."),
      project: field.path("Only this project: a folder inside it."),
    },
    ask: (service, request) => service.sync(request),
  }),
  remember: question<RememberRequest>({
    summary: "Saves a fact or a rule for a project.",
    fields: {
      text: field.required(field.text("What to remember.", { charsMax: MEMORY_LIMITS.bodyCharsMax })),
      project: field.required(project),
      type: field.choice("What kind of memory it is.", MEMORY_TYPES),
      keep: field.flag("Save it although its kind is normally not kept."),
    },
    ask: (service, request) => service.remember(request),
  }),
  forget: question<ForgetRequest>({
    summary: "Removes a memory of a project for good.",
    fields: {
      name: field.required(name),
      project: field.required(project),
      purge: field.flag("Also drop it from history, candidates and run records."),
    },
    ask: (service, request) => service.forget(request),
  }),
  log: question<LogRequest>({
    summary: "Appends one bullet to today's daily log of a project.",
    fields: {
      text: field.required(field.text("What to note.", { charsMax: MEMORY_LIMITS.bodyCharsMax })),
      project: field.required(project),
    },
    ask: (service, request) => service.log(request),
  }),
  why: question<WhyRequest>({
    summary: "What became of the typed messages of a session, or which words taught a memory.",
    fields: {
      what: field.required(
        field.text("A session (id, unique beginning, path of its transcript), or a memory's name or file.", {
          charsMax: PATH_CHARS_MAX,
        }),
      ),
      project: field.required(project),
    },
    ask: (service, request) => service.why(request),
  }),
  news: question<NewsRequest>({
    summary: "What was learned, changed and removed since a person last looked.",
    fields: {
      looked: field.flag("A person reads the answer: the next one begins here."),
      project: field.path("Only this project: a folder inside it."),
    },
    ask: (service, request) => service.news(request),
  }),
  ignore: question<IgnoreRequest>({
    summary: "Takes back what a session taught; nothing more is learnt from it.",
    fields: {
      session: field.required(
        field.text("Session id, unique beginning, or path of its transcript.", { charsMax: PATH_CHARS_MAX }),
      ),
    },
    ask: (service, request) => service.ignore(request),
  }),
  dream: question<Parameters<EngramdService["dream"]>[0]>({
    summary: "Consolidates the memories of a project, if its gates are open, and answers when that is over.",
    fields: {
      project: field.required(project),
      force: field.flag("Now, whatever the gates say but for the lock."),
      dryRun: field.flag("Answer the diff it would make; may ask the model, changes nothing."),
    },
    ask: (service, request) => service.dream(request),
  }),
  distill: question<Parameters<EngramdService["distill"]>[0]>({
    summary: "Turns daily logs of a project into memories and answers when that is over.",
    fields: {
      project: field.required(project),
      date: field.text("Local date of one log, YYYY-MM-DD; absent: what is not distilled yet.", {
        charsMax: DATE_CHARS_MAX,
      }),
      dryRun: field.flag("Answer the diff it would make; may ask the model, changes nothing."),
    },
    ask: (service, request) => service.distill(request),
  }),
  cancel: question<CancelRequest>({
    summary: "Ends a run, or takes a job away before it runs.",
    fields: {
      run: field.required(field.text("Id of a run or of a waiting job.", { charsMax: FILE_NAME_CHARS_MAX })),
    },
    ask: (service, request) => service.cancel(request),
  }),
  history: question<HistoryRequest>({
    summary:
      "Every run with its trigger, cost and files, newest first; of all projects, of one, or of one memory.",
    fields: {
      name,
      project,
      limit: field.whole("At most so many runs.", { min: 1, max: RUNS_MAX }),
    },
    ask(service, request) {
      if (request.name === undefined || request.project !== undefined) return service.history(request);
      throw badRequest("project is missing", "give the project of the memory");
    },
  }),
  diff: question<DiffRequest>({
    summary: "What a run changed, as a unified diff of each file.",
    fields: { run: field.required(run) },
    ask: (service, request) => service.diff(request),
  }),
  cost: question<CostRequest>({
    summary: "What models cost, by day, project, kind of job and memory; of all projects, or of one.",
    fields: {
      days: field.whole("So many local days, today included; default 30.", { min: 1, max: COST_DAYS.max }),
      project,
    },
    ask: (service, request) => service.cost(request),
  }),
  undo: question<UndoRequest>({
    summary: "Puts back what a run did, or all runs of a project, as far as no later edit is lost by it.",
    fields: {
      run,
      all: field.flag("Every run of the project that nobody has undone yet."),
      project,
      force: field.flag("Also where a later edit is lost by it."),
      dryRun: field.flag("Say what would be put back; change nothing."),
    },
    ask: (service, request) => service.undo(request),
  }),
  lint: question<LintRequest>({
    summary: "What is wrong in the memory folder of a project, or of all, without a model.",
    fields: lintFields,
    ask: (service, request) => service.lint(named(request)),
  }),
  fixLint: question<LintRequest>({
    summary: "Mends of it what needs no judgement: exact duplicates and the index.",
    fields: lintFields,
    ask: (service, request) => service.fixLint(request),
  }),
  inbox: question<InboxRequest>({
    summary:
      "What waits for a person: proposals, candidates, and what was refused; with an id all of one item.",
    fields: {
      project,
      id: field.text("Id of an item, or a unique beginning of it.", { charsMax: ID_CHARS_MAX }),
    },
    ask: (service, request) => service.inbox(request),
  }),
  acceptItems: question<DecideRequest>({
    summary: "Writes what a person says yes to, each item as a run of its own.",
    fields: decideFields,
    ask: (service, request) => service.acceptItems(request),
  }),
  rejectItems: question<DecideRequest>({
    summary: "Drops what a person does not want; it never comes back from the same words.",
    fields: decideFields,
    ask: (service, request) => service.rejectItems(request),
  }),
  pause: question<PauseRequest>({
    summary: "Stops observing; answers once nothing is read any more.",
    fields: {
      forMs: field.whole("Go on by itself after so many milliseconds; else when told to.", {
        min: PAUSE_LIMITS.forMsMin,
        max: PAUSE_LIMITS.forMsMax,
      }),
    },
    ask: (service, request) => service.pause(request),
  }),
  resume: question<object>({
    summary: "Observes again.",
    fields: {},
    ask: (service) => service.resume(),
  }),
  projects: question<object>({
    summary: "Every project: root, memory folder, mode, who taught it, whether a better folder is there.",
    fields: {},
    ask: (service) => service.projects(),
  }),
  moveProject: question<MoveRequest>({
    summary: "Takes a project's memory to the folder its agent reads, or back; the old folder is kept.",
    fields: {
      project: field.required(project),
      back: field.flag("Take the last move back."),
      dryRun: field.flag("Say what would be moved; change nothing."),
    },
    ask: (service, request) => service.moveProject(request),
  }),
  model: question<object>({
    summary: "Which model reads whose words and why, what it cost, and what it would cost.",
    fields: {},
    ask: (service) => service.model(),
  }),
  useModel: question<UseModelRequest>({
    summary: "What a choice of model would mean; with `agreed`, makes that choice.",
    fields: {
      provider: field.required(field.choice("What reads the words.", MODEL_CHOICES)),
      baseUrl: field.text("Address of the server.", { charsMax: MODEL_TEXT_CHARS_MAX }),
      model: field.text("Model for every kind of job.", { charsMax: MODEL_TEXT_CHARS_MAX }),
      agents: field.text("Ids of agents, joined by commas; else every agent found.", {
        charsMax: MODEL_TEXT_CHARS_MAX,
      }),
      configFile: field.path("The settings file that is meant; another than the daemon's is refused."),
      agreed: field.text("The digest of what a person agreed to.", { charsMax: MODEL_TEXT_CHARS_MAX }),
      plainHttp: field.flag("They know that the words travel unencrypted."),
    },
    ask: (service, request) => service.useModel(request),
  }),
  overview: question<object>({
    summary: "The first screen: what was found, read and saved, what will be lost, what a model would mean.",
    fields: {},
    ask: (service) => service.overview(),
  }),
};

export const ROUTES: readonly Route[] = (Object.keys(QUESTIONS) as (keyof EngramdService)[]).map((key) => ({
  ...CALLS[key],
  ...QUESTIONS[key],
  name: key,
}));

export const PAGES: readonly Page[] = [
  {
    name: "events",
    method: "GET",
    path: "/v1/events",
    summary: "What the daemon does, as it happens.",
    contentType: "text/event-stream",
  },
  {
    name: "openapi",
    method: "GET",
    path: "/v1/openapi.json",
    summary: "This description.",
    contentType: "application/json",
  },
  {
    name: "metrics",
    method: "GET",
    path: "/metrics",
    summary: "Figures for a monitoring system.",
    contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  },
];

/** One project, or all of them in so many words. */
function named<T extends { readonly project?: string; readonly all?: boolean }>(request: T): T {
  if (request.project !== undefined || request.all === true) return request;
  throw badRequest("project is missing", "give project or all=true");
}

interface TypedQuestion<T> {
  readonly summary: string;
  readonly fields: FieldsOf<T>;
  ask(service: EngramdService, request: T): Promise<unknown>;
}

/** Binds the fields to the request's type: one that is missing, or not known to it, does not compile. */
function question<T extends object>({ summary, fields, ask }: TypedQuestion<T>): Question {
  return {
    summary,
    fields,
    answer: async (service, given) => ask(service, readRequest(fields, given)),
  };
}
