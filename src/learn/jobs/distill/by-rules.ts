// Learns from entries by the offline rules: only what the person asked to remember in so many words, or set as a rule.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { TranscriptRecord } from "../../../domain/records.ts";
import { createBreather } from "../../../system/breather.ts";
import { extractOffline, hasUrgentCue } from "../../offline/extract.ts";
import { type Finding, planChanges } from "../plan.ts";
import { type NewEntry, sessionIdOf } from "./gather.ts";
import type { Job } from "./job.ts";

export interface ByRules {
  readonly changes: readonly MemoryChange[];
  /** Entries that ask to remember something outright: they are stored whatever an instruction file says. */
  readonly insisted: ReadonlySet<string>;
}

export async function findByRules(entries: readonly NewEntry[], job: Job): Promise<ByRules> {
  const { ask, deps, project, sharedFolder } = job;
  const findings: Finding[] = [];
  for (const group of byLog(entries)) findings.push(...(await findingsIn(group, job)));
  const used = new Set(findings.flatMap(({ evidence }) => evidence.map(({ recordId }) => recordId)));
  const urgent = entries.filter(({ id, by, text }) => by === "user" && used.has(id) && hasUrgentCue(text));
  const view = deps.viewOf(ask.memoryDir);
  const changes = planChanges(findings, {
    memories: view?.memories ?? [],
    taken: new Set([
      ...(view?.memories ?? []).map(({ file }) => file),
      ...(view?.unavailable ?? []),
      ...(view?.notMemories ?? []).map(({ file }) => file),
    ]),
    today: deps.today(),
    timeZone: deps.clock.timeZone(),
    origin: sharedFolder ? project.root : undefined,
  });
  return { changes, insisted: new Set(urgent.map(({ id }) => id)) };
}

async function findingsIn(entries: readonly NewEntry[], { deps, project }: Job): Promise<readonly Finding[]> {
  const [first] = entries;
  if (first === undefined || entries.every(({ by }) => by !== "user")) return [];
  const id = sessionIdOf(first.log);
  const { saves } = await extractOffline({
    records: entries.flatMap((entry) => recordOf(entry, id)),
    isNew: () => true,
    session: { agent: first.agent, id, projectId: project.id },
    now: deps.clock.now(),
    timeZone: deps.clock.timeZone(),
    pause: createBreather(deps.clock),
  });
  return saves;
}

/** Notes of an agent are nobody's words to the rules. */
function recordOf({ id, by, text, at, agent, endOffset }: NewEntry, sessionId: string): TranscriptRecord[] {
  const common = { recordId: id, sessionId, agent, at, cwd: undefined, origin: "user", endOffset } as const;
  if (by === "user") return [{ ...common, kind: "user-text", text }];
  return by === "assistant" ? [{ ...common, kind: "assistant-text", text }] : [];
}

function byLog(entries: readonly NewEntry[]): NewEntry[][] {
  const groups: NewEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before?.log.path === entry.log.path && before.agent === entry.agent) {
      last.push(entry);
    } else groups.push([entry]);
  }
  return groups;
}
