// What the daemon tells of itself at `GET /v1/events`, as data: constant names, identities and numbers. Never words
// of the person: no message, no text of a transcript or a memory.
import { CONSOLIDATION_PHASES, type ConsolidationPhase } from "../../domain/consolidation.ts";
import type { EventMap, EventName } from "../../domain/events.ts";
import type { JobKey } from "../../domain/jobs.ts";
import type { AnySchema, JsonSchema } from "./json-schema.ts";
import * as is from "./json-schema.ts";

/** One event as clients see it. */
export interface Told {
  readonly name: string;
  readonly data: object;
}

interface Telling<N extends EventName> {
  /** Every name it may be told under, with what it means. */
  readonly names: Readonly<Record<string, string>>;
  readonly schema: AnySchema;
  tell(payload: EventMap[N]): Told;
}

/** Files of one event that are named; a client that wants them all asks for the list. */
const FILES_MAX = 100;

const job = { kind: is.text, folder: is.text };
const reworked = { run: is.text, memoryDir: is.text, project: is.text };
const memory = is.object<{ memoryDir: string; file: string }>({ memoryDir: is.text, file: is.text });

const TELLINGS: { readonly [N in EventName]?: Telling<N> } = {
  "job:started": one("run-started", {
    sentence: "A job began to work on a memory folder.",
    schema: is.object<Job>(job),
    of: ({ key }) => jobOf(key),
  }),
  "job:finished": one("run-ended", {
    sentence: "It ended; code says why when it was skipped, delayed or failed.",
    schema: is.object<JobEnd>({
      ...job,
      outcome: is.oneOf("succeeded", "skipped", "delayed", "failed"),
      code: is.orNull(is.text),
      changed: is.count,
      ms: is.amount,
    }),
    of: ({ key, outcome, ms }) => ({
      ...jobOf(key),
      outcome: outcome.result,
      code: codeOf(outcome),
      changed: outcome.result === "succeeded" ? outcome.changed : 0,
      ms: Math.round(ms),
    }),
  }),
  "run:ended": one("model-run-ended", {
    sentence: "A model has read one piece of a session.",
    schema: is.object<EventMap["run:ended"]>({
      run: is.text,
      outcome: is.text,
      requests: is.count,
      inputTokens: is.count,
    }),
    of: ({ run, outcome, requests, inputTokens }) => ({ run, outcome, requests, inputTokens }),
  }),
  "dream:advanced": one("dream-advanced", {
    sentence: "A dream got to its next step; without a model it has only the first and the last.",
    schema: is.object<Reworked & { phase: ConsolidationPhase }>({
      ...reworked,
      phase: is.oneOf(...CONSOLIDATION_PHASES),
    }),
    of: ({ run, dir, project, phase }) => ({ run, memoryDir: dir, project, phase }),
  }),
  "distill:advanced": one("distill-advanced", {
    sentence: "A distillation has seen to so many of the daily logs before it.",
    schema: is.object<Reworked & { logs: number; of: number }>({
      ...reworked,
      logs: is.count,
      of: is.count,
    }),
    of: ({ run, dir, project, logs, of }) => ({ run, memoryDir: dir, project, logs, of }),
  }),
  "memory:written": {
    names: {
      "memory-created": "engramd wrote a new memory.",
      "memory-updated": "engramd changed a memory.",
      "memory-confirmed": "A memory was seen to hold once more.",
      "memory-deleted": "engramd removed a memory.",
    },
    schema: memory,
    tell: ({ dir, file, op }) => ({ name: `memory-${op}`, data: { memoryDir: dir, file } }),
  },
  "memory:edited": one("memory-edited", {
    sentence: "Somebody else changed, added or removed files of a memory folder.",
    schema: is.object<{ memoryDir: string; files: readonly string[]; more: number }>({
      memoryDir: is.text,
      files: is.listOf(is.text),
      more: is.count,
    }),
    of: ({ dir, files }) => ({
      memoryDir: dir,
      files: files.slice(0, FILES_MAX),
      more: Math.max(0, files.length - FILES_MAX),
    }),
  }),
  "proposal:refused": one("proposal-refused", {
    sentence: "The gate refused a proposed change.",
    schema: is.object<{ reason: string }>({ reason: is.text }),
    of: ({ reason }) => ({ reason }),
  }),
  "warning:raised": one("warning", {
    sentence: "Something needs a person; the status says what and how it is mended.",
    schema: is.object<{ code: string }>({ code: is.text }),
    of: ({ code }) => ({ code }),
  }),
};

interface Reworked {
  readonly run: string;
  readonly memoryDir: string;
  readonly project: string;
}

interface Job {
  readonly kind: string;
  readonly folder: string;
}

interface JobEnd extends Job {
  readonly outcome: EventMap["job:finished"]["outcome"]["result"];
  readonly code: string | null;
  readonly changed: number;
  readonly ms: number;
}

interface One<N extends EventName, T> {
  readonly sentence: string;
  readonly schema: JsonSchema<T>;
  of(payload: EventMap[N]): T;
}

function one<N extends EventName, T extends object>(
  name: string,
  { sentence, schema, of }: One<N, T>,
): Telling<N> {
  return { names: { [name]: sentence }, schema, tell: (payload) => ({ name, data: of(payload) }) };
}

/** A key is `<kind>:<identity of the memory folder>`. */
function jobOf(key: JobKey): Job {
  const at = key.indexOf(":");
  return { kind: key.slice(0, at), folder: key.slice(at + 1) };
}

/** A constant: reasons and codes are words of ours. */
function codeOf(outcome: EventMap["job:finished"]["outcome"]): string | null {
  if (outcome.result === "succeeded") return null;
  return outcome.result === "failed" ? outcome.code : outcome.reason;
}

/** Undefined for what is nobody's business outside. */
export function toldOf<N extends EventName>(name: N, payload: EventMap[N]): Told | undefined {
  return TELLINGS[name]?.tell(payload);
}

export interface DescribedEvent {
  readonly name: string;
  readonly sentence: string;
  readonly schema: AnySchema;
}

/** Events of the stream itself; they have no id. */
const STREAM_EVENTS: readonly DescribedEvent[] = [
  {
    name: "state",
    sentence: "The daemon's state, first of all and after each change.",
    schema: is.object<{ state: string }>({ state: is.text }),
  },
  {
    name: "missed",
    sentence: "Events since the given Last-Event-ID are no longer known: ask for the status.",
    schema: is.object<object>({}),
  },
];

/** Every event there is, for the description of the socket. */
export function describedEvents(): DescribedEvent[] {
  const told = Object.values(TELLINGS).flatMap(({ names, schema }) =>
    Object.entries(names).map(([name, sentence]) => ({ name, sentence, schema })),
  );
  return [...STREAM_EVENTS, ...told];
}
