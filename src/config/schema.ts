// Every setting: type, default, bounds and one sentence. The only importer of zod; reads no file.
import * as z from "zod";
import { MODEL_CHOICES } from "../domain/model-choice.ts";
import { remade } from "../system/remade.ts";

/** Longest text value: a path, an address, a command line. */
const TEXT_CHARS_MAX = 4_096;
/** Entries of one list or table. */
const ENTRIES_MAX = 1_000;

const SECOND_MS = 1_000;
/** A sweep more often than this does nothing but sweep. */
const SWEEP_MS_MIN = 100;
const DAY_MS = 86_400_000;

/** Words for a value's allowed range; zod carries them to the person as the issue's message. */
type Range = readonly [min: number, max: number];

function whole(fallback: number, [min, max]: Range, sentence: string) {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).describe(sentence).default(fallback);
}

function number(fallback: number, [min, max]: Range, sentence: string) {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error }).describe(sentence).default(fallback);
}

function flag(fallback: boolean, sentence: string) {
  return z.boolean({ error: "true or false" }).describe(sentence).default(fallback);
}

/** One of a closed set; the caller adds the default, which zod can check only against the literal words. */
function choice<const T extends readonly string[]>(choices: T, sentence: string) {
  const error = `one of ${choices.map((word) => JSON.stringify(word)).join(", ")}`;
  return z.enum(choices, { error }).describe(sentence);
}

/** Text that has to look like `pattern`; `allowed` says so in words. */
function text(fallback: string, { pattern, allowed }: TextRule, sentence: string) {
  return matching({ pattern, allowed }).describe(sentence).default(fallback);
}

/** As `text`, but unset by default. */
function optionalText({ pattern, allowed }: TextRule, sentence: string) {
  return matching({ pattern, allowed: `${allowed}, or null` })
    .nullable()
    .describe(sentence)
    .default(null);
}

interface TextRule {
  readonly pattern: RegExp;
  readonly allowed: string;
}

function matching({ pattern, allowed: error }: TextRule) {
  return z.string({ error }).max(TEXT_CHARS_MAX, { error }).regex(pattern, { error });
}

/** An object of settings; a missing one has every default. */
function group<T extends z.core.$ZodLooseShape>(shape: T, allowed = "an object") {
  // Every member has a default, which the type of a generic shape cannot tell.
  return z.strictObject(shape, { error: allowed }).prefault({} as never);
}

const ABSOLUTE_PATH: TextRule = { pattern: /^(?:\/|~\/|~$)[^\0]*$/, allowed: "an absolute path (or ~/...)" };
const PROJECT: TextRule = {
  pattern: /^(?:\/|~\/|~$|\*)[^\0]*$/,
  allowed: "an absolute path, ~/... or a glob",
};
const COMMAND: TextRule = { pattern: /^[^\0\n]*\S[^\0\n]*$/, allowed: "a command line" };
const GLOB: TextRule = { pattern: /^[^\0\n]*\S[^\0\n]*$/, allowed: "a path or glob" };
const CRON: TextRule = {
  pattern: /^\s*(?:[\d*,/\-A-Za-z]+\s+){4}[\d*,/\-A-Za-z]+\s*$/,
  allowed: 'five cron fields such as "0 3 * * *"',
};
const MODEL: TextRule = { pattern: /^[\w.:@/[\]-]{1,200}$/, allowed: 'a model id, or "small" or "middle"' };
// A user name or password in an address would end up in logs and status.
const ADDRESS: TextRule = {
  pattern: /^https?:\/\/[^\s/@?#]+(?:\/[^\s@?#]*)?$/,
  allowed: "an http(s) address without user name or query",
};
const VARIABLE: TextRule = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,199}$/,
  allowed: "the name of an environment variable",
};

function agent() {
  const roots = { error: `a list of at most ${ENTRIES_MAX} absolute paths (or ~/...)` };
  return group({
    enabled: flag(true, "Read this agent's transcripts."),
    roots: z
      .array(matching(ABSOLUTE_PATH), roots)
      .max(ENTRIES_MAX, roots)
      .describe("Where its transcripts are; empty: where the agent itself keeps them.")
      .default([]),
    mayUseModel: z
      .boolean({ error: "true, false or null" })
      .nullable()
      .describe("Whether its words may go to the model; null: as consent was recorded.")
      .default(null),
  });
}

function cadence(fallback: { offline: number; model: number }, [min, max]: Range, sentence: string) {
  return group(
    {
      offline: whole(fallback.offline, [min, max], `${sentence} (jobs without a model)`),
      model: whole(fallback.model, [min, max], `${sentence} (jobs with a model)`),
    },
    `a whole number from ${min} to ${max}, or { "offline", "model" }`,
  );
}

/** Keys for which a plain number stands for `{ offline, model }`. */
export const CADENCE_KEYS = ["extract.debounceMs", "extract.maxWaitMs"] as const;

function extract() {
  return group({
    enabled: flag(true, "Turn sessions into memories."),
    debounceMs: cadence(
      { offline: 20_000, model: 900_000 },
      [0, DAY_MS],
      "Quiet time before a session is read",
    ),
    maxWaitMs: cadence(
      { offline: 600_000, model: 7_200_000 },
      [0, 7 * DAY_MS],
      "Longest wait for quiet while a session goes on",
    ),
    settleMs: whole(30_000, [0, DAY_MS], "A memory folder that changed within this time is left alone."),
    minNewTokens: whole(1_500, [0, 1_000_000], "New text below this waits for more before a model is asked."),
    maxTurns: whole(5, [1, 100], "Answers a model may give in one job."),
    maxInputTokens: whole(60_000, [1_000, 10_000_000], "Input tokens of all requests of one job."),
    headless: flag(false, "Also extract sessions that a script ran."),
    target: choice(["topics", "daily-log"], "Where extracted facts go.").default("topics"),
  });
}

function dream() {
  return group({
    enabled: flag(true, "Consolidate memories when nobody works."),
    minHours: number(24, [0, 8_760], "Hours between two dreams of a project."),
    minSessions: whole(5, [0, 10_000], "Sessions since the last dream before the next."),
    quietMs: whole(900_000, [0, DAY_MS], "Quiet time of a project before it dreams."),
    maxTurns: whole(25, [1, 200], "Answers a model may give in one dream."),
    maxInputTokens: whole(400_000, [1_000, 10_000_000], "Input tokens of all requests of one dream."),
    maxLossShare: number(0.25, [0, 1], "Largest share of a folder's text one dream may remove."),
    schedule: text("*/20 * * * *", CRON, "When dreams are considered."),
  });
}

function distill() {
  return group({
    enabled: flag(true, "Turn daily logs into memories."),
    schedule: text("0 3 * * *", CRON, "When daily logs are distilled."),
    maxTurns: whole(10, [1, 100], "Answers a model may give in one job."),
    maxInputTokens: whole(120_000, [1_000, 10_000_000], "Input tokens of all requests of one job."),
  });
}

function budget() {
  return group({
    tokensPerDay: whole(2_000_000, [0, 1_000_000_000], "Tokens of one local day, all providers."),
    usdPerDay: number(2, [0, 100_000], "Money of one local day."),
    usdPerMonth: number(30, [0, 1_000_000], "Money of one local month."),
    runsPerHour: whole(30, [0, 10_000], "Model runs of one hour."),
    subscription: group({
      runsPerDay: whole(8, [0, 10_000], "Runs of one day on a subscription login."),
      tokensPerDay: whole(200_000, [0, 1_000_000_000], "Tokens of one day on a subscription login."),
    }),
  });
}

const ignoreRange = { error: `a list of at most ${ENTRIES_MAX} globs` };
const everyRange = { error: `"auto" or a whole number from ${SWEEP_MS_MIN} to ${DAY_MS}` };

function models() {
  return group({
    extract: text("small", MODEL, "Model for extraction."),
    recall: text("small", MODEL, "Model for recall."),
    dream: text("middle", MODEL, "Model for dreams."),
    distill: text("middle", MODEL, "Model for daily logs."),
  });
}

function agents() {
  return group({
    "claude-code": agent(),
    codex: agent(),
    "gemini-cli": agent(),
    "copilot-cli": agent(),
    "qwen-code": agent(),
    pi: agent(),
    opencode: agent(),
  });
}

function sessionNotes() {
  return group({
    enabled: flag(true, "Keep notes of a running session."),
    writer: choice(["rules", "model"], "Who writes session notes.").default("rules"),
    startTokens: whole(10_000, [0, 10_000_000], "Size of a session before notes begin."),
    growTokens: whole(5_000, [100, 10_000_000], "Growth of a session before notes are renewed."),
    toolCalls: whole(3, [0, 1_000], "Tool calls between two renewals."),
  });
}

function projects() {
  return z
    .record(
      matching(PROJECT),
      group({
        mode: choice(["auto", "propose", "read-only", "off"], "What may happen to its memories.").default(
          "auto",
        ),
      }),
      { error: "an object whose keys are absolute paths, ~/... or globs that start with *" },
    )
    .describe("Settings of single projects, by path or glob.")
    .default({});
}

/** The whole configuration. Group by group as in config.example.json. */
function buildSchema() {
  return group({
    provider: choice(
      ["auto", ...MODEL_CHOICES],
      "Which model may see your words; auto: none until you chose one.",
    ).default("auto"),
    baseUrl: optionalText(ADDRESS, "Address of the model server; null: the provider's own."),
    apiKeyEnv: text("ANTHROPIC_API_KEY", VARIABLE, "Environment variable that holds the key."),
    apiKeyFile: optionalText(ABSOLUTE_PATH, "File (mode 0600) that holds the key."),
    apiKeyCommand: optionalText(COMMAND, "Command that prints the key."),
    models: models(),
    agents: agents(),
    extract: extract(),
    dream: dream(),
    distill: distill(),
    recall: group({ enabled: flag(true, "Answer what is relevant to a prompt.") }),
    agentMemory: group({ enabled: flag(true, "Keep memories of subagents.") }),
    deliver: group({ news: flag(true, "Tell an agent at session start what was learned since.") }),
    sessionNotes: sessionNotes(),
    budget: budget(),
    projects: projects(),
    ignore: z
      .array(matching(GLOB), ignoreRange)
      .max(ENTRIES_MAX, ignoreRange)
      .describe("Projects that are never read, by path or glob.")
      .default([]),
    firstStart: group({
      backfillDays: group({
        offline: whole(7, [0, 36_500], "Days of old sessions read at the first start, without a model."),
        model: whole(0, [0, 36_500], "Days of old sessions read at the first start, with a model."),
      }),
    }),
    sweep: group({
      everyMs: z
        .union([z.literal("auto"), z.int().min(SWEEP_MS_MIN, everyRange).max(DAY_MS, everyRange)], everyRange)
        .describe("How often all transcripts are looked at; auto: as often as is nearly free.")
        .default("auto"),
    }),
    concurrency: whole(2, [1, 16], "Jobs that run at the same time."),
    retention: group({
      historyDays: whole(365, [1, 36_500], "Days a change can be shown and undone."),
      logMegabytes: number(50, [1, 10_000], "Size of the log files, where we write them."),
    }),
    team: group({
      enabled: flag(true, "Allow team memory for projects that joined."),
      pollMs: whole(30_000, [SECOND_MS, DAY_MS], "Time between two looks at the team server."),
      tokenFile: optionalText(ABSOLUTE_PATH, "File (mode 0600) that holds the team token."),
      tokenCommand: optionalText(COMMAND, "Command that prints the team token."),
    }),
  });
}

/**
 * Read at the start and when somebody changes or asks about settings. In between it would be 0.7 MB of a process that
 * lives for months (measured); made anew it costs a few milliseconds.
 */
const configSchema = remade(buildSchema);

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Complete settings: every key present, every value within its bounds. */
export type Config = DeepReadonly<z.output<ReturnType<typeof buildSchema>>>;

/** One setting that can be written: a leaf of the schema. */
export interface Setting {
  /** Names from the top; the name of a table's entry is `TABLE_ENTRY`. */
  readonly path: readonly string[];
  /** A table has entries the user names (`projects`); its own settings follow it with `TABLE_ENTRY`. */
  readonly isTable: boolean;
  readonly fallback: unknown;
  readonly sentence: string;
  /** Undefined when `value` is fine, else the allowed range in words. */
  check(value: unknown): string | undefined;
}

/** Stands for any name in a path below a table. */
export const TABLE_ENTRY = "<path>";

/** Every setting in the order of the schema. */
export function listSettings(): readonly Setting[] {
  return leavesOf(configSchema(), { path: [], fallback: undefined });
}

interface Place {
  readonly path: readonly string[];
  readonly fallback: unknown;
}

function leavesOf(schema: z.core.$ZodType, { path, fallback }: Place): Setting[] {
  if (schema instanceof z.ZodPrefault) return leavesOf(unwrapped(schema), { path, fallback });
  if (schema instanceof z.ZodDefault)
    return leavesOf(unwrapped(schema), { path, fallback: schema.def.defaultValue });
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, member]) =>
      leavesOf(member as z.core.$ZodType, { path: [...path, name], fallback: undefined }),
    );
  }
  const setting: Setting = {
    path,
    isTable: schema instanceof z.ZodRecord,
    fallback,
    sentence: z.globalRegistry.get(schema)?.description ?? "",
    check: (value) => z.safeParse(schema, value).error?.issues[0]?.message,
  };
  if (!(schema instanceof z.ZodRecord)) return [setting];
  return [setting, ...leavesOf(schema.valueType, { path: [...path, TABLE_ENTRY], fallback: undefined })];
}

function unwrapped(schema: z.ZodPrefault | z.ZodDefault): z.core.$ZodType {
  return schema.def.innerType;
}

/** What is wrong with a layer's values: keys nobody knows, and values outside their range. */
export interface Findings {
  readonly unknown: readonly (readonly PropertyKey[])[];
  readonly bad: readonly { readonly path: readonly PropertyKey[]; readonly allowed: string }[];
}

/** Judges the values of one layer; absent keys are fine. */
export function findProblems(values: unknown): Findings {
  const unknown: PropertyKey[][] = [];
  const bad: { path: PropertyKey[]; allowed: string }[] = [];
  for (const issue of configSchema().safeParse(values).error?.issues ?? []) {
    if (issue.code === "unrecognized_keys") unknown.push(...issue.keys.map((key) => [...issue.path, key]));
    else bad.push({ path: issue.path, allowed: issue.message });
  }
  return { unknown, bad };
}

/** The complete settings for values without problems; keys nobody knows must be gone already. */
export function completeConfig(values: unknown): Config {
  return configSchema().parse(values);
}
