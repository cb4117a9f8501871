// The routes of the control socket, as data. A new one is one entry here.
import { MEMORY_LIMITS, PAUSE_LIMITS } from "../../domain/limits.ts";
import { MEMORY_TYPES } from "../../domain/memories.ts";
import type {
  EngramdService,
  ForgetRequest,
  MemoriesRequest,
  PauseRequest,
  RememberRequest,
  SyncRequest,
} from "../../domain/service.ts";
import type { CallShape } from "../client/calls.ts";
import { CALLS } from "../client/calls.ts";
import { badRequest } from "./input.ts";
import type { Input } from "./input.ts";

export interface Route extends CallShape {
  /** The answer's document. Throws AppErrors; `input` throws `bad-request` (400). */
  answer(service: EngramdService, input: Input): Promise<unknown>;
}

/** A hundred years; more is surely a mistake. */
const BACKFILL_DAYS_MAX = 36_500;
const FILE_NAME_CHARS_MAX = 255;

export const ROUTES: readonly Route[] = [
  {
    ...CALLS.status,
    answer(service, input) {
      input.nothingElse();
      return service.status();
    },
  },
  {
    ...CALLS.memories,
    answer: (service, input) => service.memories(memoriesRequest(input)),
  },
  {
    ...CALLS.sync,
    answer: (service, input) => service.sync(syncRequest(input)),
  },
  {
    ...CALLS.remember,
    answer: (service, input) => service.remember(rememberRequest(input)),
  },
  {
    ...CALLS.forget,
    answer: (service, input) => service.forget(forgetRequest(input)),
  },
  {
    ...CALLS.pause,
    answer: (service, input) => service.pause(pauseRequest(input)),
  },
  {
    ...CALLS.resume,
    answer(service, input) {
      input.nothingElse();
      return service.resume();
    },
  },
];

function memoriesRequest(input: Input): MemoriesRequest {
  const request = {
    project: input.path("project"),
    all: input.flag("all"),
    name: input.text("name", { charsMax: FILE_NAME_CHARS_MAX }),
    words: input.text("words", { charsMax: MEMORY_LIMITS.queryCharsMax }),
  };
  input.nothingElse();
  if (request.project === undefined && request.all !== true) {
    throw badRequest("project is missing", "give project or all=true");
  }
  return withoutUndefined(request);
}

function syncRequest(input: Input): SyncRequest {
  const request = {
    backfillDays: input.wholeOr("backfillDays", { max: BACKFILL_DAYS_MAX, or: "all" }),
    dryRun: input.flag("dryRun"),
    background: input.flag("background"),
    project: input.path("project"),
  };
  input.nothingElse();
  return withoutUndefined(request);
}

function rememberRequest(input: Input): RememberRequest {
  const request = {
    text: input.requiredText("text", { charsMax: MEMORY_LIMITS.bodyCharsMax }),
    project: requiredProject(input),
    type: input.choice("type", MEMORY_TYPES),
    keep: input.flag("keep"),
  };
  input.nothingElse();
  return withoutUndefined(request);
}

function forgetRequest(input: Input): ForgetRequest {
  const request = {
    name: input.requiredText("name", { charsMax: FILE_NAME_CHARS_MAX }),
    project: requiredProject(input),
    purge: input.flag("purge"),
  };
  input.nothingElse();
  return withoutUndefined(request);
}

function pauseRequest(input: Input): PauseRequest {
  const { forMsMin: min, forMsMax: max } = PAUSE_LIMITS;
  const request = { forMs: input.whole("forMs", { min, max }) };
  input.nothingElse();
  return withoutUndefined(request);
}

function requiredProject(input: Input): string {
  const project = input.path("project");
  if (project === undefined)
    throw badRequest("project is missing", "give an absolute path inside the project");
  return project;
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same fields without those that were not given. */
function withoutUndefined<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
