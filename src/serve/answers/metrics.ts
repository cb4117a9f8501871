// `GET /metrics`: the status as OpenMetrics text. A table of our own: a library would keep a second copy of every
// figure in memory all day for the one moment somebody asks. No label holds a path or words of the person.
import { displayText } from "../../domain/printable.ts";
import type { DaemonState, SourceStatus, Status } from "../../domain/status.ts";
import type { ProcessFigures } from "../../system/process-figures.ts";
import type { RunSums } from "./runs.ts";

export interface Figures {
  readonly status: Status;
  /** Since the start. */
  readonly runs: readonly Readonly<RunSums>[];
  readonly process: ProcessFigures;
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

interface Family {
  /** Ends in the unit, where there is one; the suffix of its type is added. */
  readonly name: string;
  readonly type: "gauge" | "counter" | "info" | "stateset";
  readonly unit?: "bytes" | "seconds" | "usd";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Label values of one family: a monitoring system pays for each. */
const VALUES_MAX = 1_000;
const VALUE_CHARS_MAX = 200;

export function metricsText(figures: Figures): string {
  const families = [
    ...daemonFamilies(figures.status),
    ...workFamilies(figures.status),
    ...memoryFamilies(figures.status),
    ...runFamilies(figures),
    ...processFamilies(figures),
  ];
  return `${families.flatMap(linesOf).join("\n")}\n# EOF\n`;
}

/** Each of them, so that a new one does not compile before it is here. */
const STATES: Readonly<Record<DaemonState, null>> = {
  starting: null,
  scanning: null,
  idle: null,
  "waiting-for-quiet": null,
  running: null,
  paused: null,
  "over-budget": null,
  degraded: null,
  stopping: null,
  stopped: null,
};

function daemonFamilies({ version, state, warnings }: Status): Family[] {
  const states = Object.keys(STATES).map((name) => ({
    labels: { engramd_state: name },
    value: name === state ? 1 : 0,
  }));
  const codes = summed(warnings.map(({ code }) => ({ labels: { code }, value: 1 })));
  return [
    { name: "engramd", type: "info", help: "The program.", samples: [{ labels: { version }, value: 1 }] },
    { name: "engramd_state", type: "stateset", help: "What the daemon does.", samples: states },
    gauge("engramd_warnings", { help: "What needs a person, by code.", samples: codes }),
  ];
}

function workFamilies({ queue, sources, counters }: Status): Family[] {
  const { waiting, running, delayed, dead } = queue;
  const jobs = Object.entries({ waiting, running, delayed, dead });
  const byAgent = (of: (source: SourceStatus) => number) =>
    summed(sources.map((source) => ({ labels: { agent: source.agent }, value: of(source) })));
  const refused = Object.entries(counters.proposalsRefused);
  return [
    gauge("engramd_queue_jobs", { help: "Jobs by state.", samples: byLabel("state", jobs) }),
    gauge("engramd_source_sessions", {
      help: "Sessions found.",
      samples: byAgent(({ sessions }) => sessions),
    }),
    gauge("engramd_source_pending_bytes", {
      help: "Transcript bytes nobody has read.",
      samples: byAgent(({ pendingBytes }) => pendingBytes),
      unit: "bytes",
    }),
    gauge("engramd_source_damaged_lines", {
      help: "Transcript lines that cannot be read.",
      samples: byAgent(({ damagedLines }) => damagedLines),
    }),
    gauge("engramd_source_expiring_sessions", {
      help: "Unread sessions their agent deletes within seven days.",
      samples: byAgent(({ expiringSessions }) => expiringSessions),
    }),
    counter("engramd_lines_read", { help: "Transcript lines read.", samples: single(counters.linesRead) }),
    counter("engramd_records_read", { help: "Records read.", samples: single(counters.recordsRead) }),
    counter("engramd_secrets_masked", {
      help: "Secrets taken out.",
      samples: single(counters.secretsMasked),
    }),
    counter("engramd_proposals_refused", {
      help: "Changes the gate refused, by reason.",
      samples: byLabel("reason", refused),
    }),
  ];
}

function memoryFamilies({ projects }: Status): Family[] {
  const byProject = (of: (project: Status["projects"][number]) => number) =>
    // Two projects may share a key, and two samples may not share their labels.
    summed(projects.map((project) => ({ labels: { project: project.key }, value: of(project) })));
  return [
    gauge("engramd_projects", { help: "Projects known.", samples: single(projects.length) }),
    gauge("engramd_memories", { help: "Memories by project.", samples: byProject((one) => one.memories) }),
    gauge("engramd_index_lines", {
      help: "Lines of MEMORY.md by project.",
      samples: byProject(({ index }) => index.lines),
    }),
    gauge("engramd_index_bytes", {
      help: "Size of MEMORY.md by project.",
      samples: byProject(({ index }) => index.bytes),
      unit: "bytes",
    }),
  ];
}

function runFamilies({ runs, status: { budget, provider } }: Figures): Family[] {
  const byKind = (of: (sums: Readonly<RunSums>) => number) =>
    summed(runs.map((sums) => ({ labels: { kind: sums.kind }, value: of(sums) })));
  const tokens = runs.flatMap(({ kind, inputTokens, outputTokens }) => [
    { labels: { kind, direction: "input" }, value: inputTokens },
    { labels: { kind, direction: "output" }, value: outputTokens },
  ]);
  return [
    counter("engramd_runs", {
      help: "Runs that ended, by kind and outcome.",
      samples: summed(runs.map(({ kind, outcome, runs: value }) => ({ labels: { kind, outcome }, value }))),
    }),
    counter("engramd_model_requests", {
      help: "Requests to a model.",
      samples: byKind((one) => one.requests),
    }),
    counter("engramd_model_tokens", { help: "Tokens sent and received.", samples: summed(tokens) }),
    counter("engramd_model_cost_usd", {
      help: "Price of requests to a model.",
      samples: byKind(({ usd }) => usd),
      unit: "usd",
    }),
    gauge("engramd_budget_day_tokens", {
      help: "Tokens used today.",
      samples: single(budget.tokensToday),
    }),
    gauge("engramd_budget_day_usd", {
      help: "Money spent today.",
      samples: single(budget.usdToday),
      unit: "usd",
    }),
    gauge("engramd_budget_month_usd", {
      help: "Money spent this month.",
      samples: single(budget.usdMonth),
      unit: "usd",
    }),
    gauge("engramd_provider_closed", {
      help: "1 while no job may ask the model provider, by the failure that closed it.",
      samples: provider.closed === undefined ? [] : byLabel("code", [[provider.closed.code, 1]]),
    }),
    gauge("engramd_provider_waiting_jobs", {
      help: "Jobs that wait for a closed model provider.",
      samples: single(provider.closed?.waitingJobs ?? 0),
    }),
    gauge("engramd_budget_exhausted", {
      help: "1 while a ceiling of the budget is reached.",
      samples: single(budget.exhausted ? 1 : 0),
    }),
  ];
}

function processFamilies({ status: { startedAt }, process }: Figures): Family[] {
  const started = startedAt === null ? [] : single(Date.parse(startedAt) / 1_000);
  return [
    gauge("process_resident_memory_bytes", {
      help: "Memory in use.",
      samples: single(process.residentBytes),
      unit: "bytes",
    }),
    counter("process_cpu_seconds", {
      help: "Processor time used.",
      samples: single(process.cpuSeconds),
      unit: "seconds",
    }),
    gauge("process_start_time_seconds", {
      help: "When the daemon started.",
      samples: started,
      unit: "seconds",
    }),
    counter("engramd_event_loop_busy_seconds", {
      help: "Time the event loop worked.",
      samples: single(process.busySeconds),
      unit: "seconds",
    }),
    gauge("engramd_event_loop_delay_seconds", {
      help: "How late a timer fires right now.",
      samples: single(process.delaySeconds),
      unit: "seconds",
    }),
  ];
}

type Rest = Pick<Family, "help" | "samples" | "unit">;

function gauge(name: string, rest: Rest): Family {
  return { name, type: "gauge", ...rest };
}

function counter(name: string, rest: Rest): Family {
  return { name, type: "counter", ...rest };
}

function single(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function byLabel(label: string, entries: readonly (readonly [string, number])[]): Sample[] {
  return summed(entries.map(([name, value]) => ({ labels: { [label]: name }, value })));
}

/** One sample for each set of labels. */
function summed(samples: readonly Sample[]): Sample[] {
  const sums = new Map<string, Sample>();
  for (const { labels, value } of samples) {
    const key = labelText(labels);
    if (!sums.has(key) && sums.size >= VALUES_MAX) continue;
    sums.set(key, { labels, value: (sums.get(key)?.value ?? 0) + value });
  }
  return [...sums.values()];
}

/** A family without samples is still described: it may get some. */
function linesOf({ name, type, unit, help, samples }: Family): string[] {
  const suffix = type === "counter" ? "_total" : type === "info" ? "_info" : "";
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...samples.map(({ labels, value }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`),
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  const short = Array.from(displayText(value)).slice(0, VALUE_CHARS_MAX).join("");
  return short.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
