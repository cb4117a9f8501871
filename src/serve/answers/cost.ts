// `engramd cost`: what models cost, by day, project, kind of job and memory, from the ledger. Asks nobody, writes nothing;
// what taught nothing is in every sum as well.
import { localDate } from "../../domain/calendar.ts";
import type { CostReport, CostRequest, CostSum, MemoryCost } from "../../domain/cost.ts";
import { COST_DAYS } from "../../domain/cost.ts";
import type { Instant } from "../../domain/records.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Ledger, RunEntry } from "../../learn/models/ledger.ts";
import { PRICES_AS_OF } from "../../learn/models/prices.ts";
import type { Clock } from "../../system/clock.ts";

export interface CostDeps {
  readonly clock: Pick<Clock, "now" | "timeZone">;
  readonly ledger: Pick<Ledger, "since">;
  projectAt(path: string): ProjectRef;
}

const DAY_MS = 86_400_000;
/** A day more on each side: a local day may have 25 hours. */
const MARGIN_MS = 2 * DAY_MS;
/** Memories of one answer. */
const MEMORIES_MAX = 100;

interface Dated {
  readonly day: string;
  readonly entry: RunEntry;
}

export function answerCost({ days = COST_DAYS.usual, project }: CostRequest, deps: CostDeps): CostReport {
  const { clock, ledger } = deps;
  const only = project === undefined ? undefined : deps.projectAt(project);
  const now = clock.now();
  const dayAt = (at: Instant) => localDate(at, clock.timeZone());
  const to = dayAt(now);
  const from = daysBefore(to, days - 1);
  const paid = ledger
    .since(now - days * DAY_MS - MARGIN_MS)
    .filter((entry) => entry.requests > 0 && (only === undefined || entry.project === only.root))
    .map((entry): Dated => ({ entry, day: dayAt(Date.parse(entry.at)) }))
    .filter(({ day }) => day >= from);
  const total = sumOf(paid);
  const tokens = total.inputTokens + total.outputTokens;
  const { memories, usd } = total;
  return {
    v: 1,
    days,
    from,
    to,
    pricesAsOf: PRICES_AS_OF,
    total,
    byDay: grouped(paid, ({ day }) => day)
      .map(([day, group]) => ({ day, ...sumOf(group) }))
      .toSorted((a, b) => (a.day < b.day ? 1 : -1)),
    byProject: grouped(paid, ({ entry }) => entry.project)
      .map(([project, group]) => ({ project, ...sumOf(group) }))
      .toSorted(dearer),
    byKind: grouped(paid, ({ entry }) => entry.kind)
      .map(([kind, group]) => ({ kind, ...sumOf(group) }))
      .toSorted(dearer),
    perMemory: memories === 0 ? null : { tokens: Math.ceil(tokens / memories), usd: usd / memories },
    memories: memoriesOf(paid).slice(0, MEMORIES_MAX),
  };
}

/** Calendar days, whatever their length. */
function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10);
}

function grouped(paid: readonly Dated[], nameOf: (dated: Dated) => string): [string, Dated[]][] {
  const groups = new Map<string, Dated[]>();
  for (const dated of paid) {
    const name = nameOf(dated);
    const group = groups.get(name) ?? [];
    group.push(dated);
    groups.set(name, group);
  }
  return [...groups];
}

function sumOf(paid: readonly Dated[]): CostSum {
  const files = new Set(paid.flatMap(({ entry }) => entry.files.map((file) => keyOf(entry, file))));
  const sum = { runs: 0, planRuns: 0, requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
  for (const { entry } of paid) {
    sum.runs += 1;
    if (entry.plan === true) sum.planRuns += 1;
    sum.requests += entry.requests;
    sum.inputTokens += entry.inputTokens;
    sum.outputTokens += entry.outputTokens;
    sum.usd += entry.usd;
  }
  return { ...sum, memories: files.size };
}

function keyOf({ memoryDir }: RunEntry, file: string): string {
  return `${memoryDir}/${file}`;
}

/** A run's cost is shared by the files it changed. */
function memoriesOf(paid: readonly Dated[]): MemoryCost[] {
  const found = new Map<string, MemoryCost>();
  for (const { entry } of paid) {
    const files = [...new Set(entry.files)];
    const tokens = (entry.inputTokens + entry.outputTokens) / files.length;
    for (const file of files) {
      const before = found.get(keyOf(entry, file)) ?? { file, project: entry.project, tokens: 0, usd: 0 };
      const usd = before.usd + entry.usd / files.length;
      found.set(keyOf(entry, file), { ...before, tokens: Math.ceil(before.tokens + tokens), usd });
    }
  }
  return [...found.values()].toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens);
}

function dearer(a: CostSum, b: CostSum): number {
  return b.usd - a.usd || b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens;
}
