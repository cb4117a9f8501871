// The status for a person: state first, then what needs attention, then the figures.
import { isLogin } from "../../domain/model-choice.ts";
import type { DaemonState, ProjectStatus, SourceStatus, Status } from "../../domain/status.ts";
import type { Line, Page, Span, Tone } from "./line.ts";
import { EMPTY_LINE, line, span, wrap } from "./line.ts";
import { bytesText, countText, counted, moneyText } from "./numbers.ts";
import { passedLines } from "./passed.ts";
import { pauseEnd } from "./pause.ts";
import { plainReason } from "./reasons.ts";
import { table } from "./table.ts";
import { durationText, relativeTime, withClockTimes } from "./time.ts";
import { warningLines } from "./warnings.ts";

export function statusLines(status: Status, page: Page): Line[] {
  const { provider } = status;
  const model = provider.model === null ? "" : ` ${provider.model}`;
  return [
    headLine(status, page),
    ...pausedLines(status, page),
    ...backfillLines(status, page),
    ...serviceLines(status, page),
    ...wrap(`provider: ${provider.name}${model} (${provider.why})`, { ...page, indent: 2 }),
    ...closedLines(status, page),
    ...warningLines(status.warnings, page),
    ...expiringLines(status, page),
    ...status.sources.flatMap(({ passedOver }) => passedLines(passedOver, { ...page, indent: 2 })),
    ...section("sources", sourceLines(status.sources, page)),
    ...section("projects", projectLines(status.projects, page)),
    EMPTY_LINE,
    ...workLines(status, page),
  ];
}

/** One that a person has to mend is among the warnings. */
function closedLines({ provider: { closed } }: Status, page: Page): Line[] {
  if (closed === undefined || closed.fix !== null) return [];
  const { message, since, until, waitingJobs } = closed;
  const when = `since ${relativeTime(since, page.now)}, next try ${relativeTime(until, page.now)}`;
  const text = `waits: ${withClockTimes(message, page.now)}, ${when}; ${counted(waitingJobs, "job")}`;
  return wrap(text, { ...page, firstIndent: 2, indent: 4 });
}

/** A status from before may tell of a pause that is over. */
function pausedLines({ paused }: Status, page: Page): Line[] {
  if (paused === undefined || (paused.until !== null && Date.parse(paused.until) <= page.now)) return [];
  return wrap(`paused ${pauseEnd(paused, page)}`, { ...page, tone: "warn", firstIndent: 2, indent: 4 });
}

/** Cells of the bar; together with its words it fits the narrowest usual terminal. */
const BAR_CELLS = 24;

/** How far a reading of many sessions is. */
function backfillLines({ backfill }: Status, page: Page): Line[] {
  if (backfill === undefined || backfill === null) return [];
  const { doneSessions, totalSessions, bytesPerSecond, remainingMs } = backfill;
  const share = totalSessions === 0 ? 1 : Math.min(1, doneSessions / totalSessions);
  const full = Math.round(share * BAR_CELLS);
  const bar = `[${"#".repeat(full)}${"-".repeat(BAR_CELLS - full)}] ${Math.floor(share * 100)} %`;
  const rate = bytesPerSecond === 0 ? "" : `, ${bytesText(bytesPerSecond)}/s`;
  const left = remainingMs === null ? "" : `, about ${durationText(remainingMs)} left`;
  return [
    line("  ", span(bar, "good")),
    ...wrap(`reading: ${countText(doneSessions)} of ${counted(totalSessions, "session")}${rate}${left}`, {
      ...page,
      firstIndent: 2,
      indent: 4,
    }),
  ];
}

/** Below 24 hours it is a warning of its own. */
function expiringLines({ sources, state }: Status, page: Page): Line[] {
  const count = sources.reduce((sum, { expiringSessions }) => sum + expiringSessions, 0);
  if (count === 0) return [];
  const first = state === "stopped" || state === "paused" ? "" : ": read first";
  const text = `${counted(count, "unread session")} will be deleted within 7 days${first}`;
  return wrap(text, { ...page, tone: "warn", firstIndent: 2, indent: 4 });
}

/** What keeps a service within its bounds; nothing for one that a person started. */
function serviceLines({ service }: Status, page: Page): Line[] {
  if (service === undefined || service.manager === "none") return [];
  const { manager, hardening, linger } = service;
  const without = hardening.filter(({ effective }) => effective === false).map(({ name }) => name);
  const holding = hardening.filter(({ effective }) => effective === true).length;
  const missing = without.length === 0 ? "" : `; without ${without.join(", ")}`;
  const end = linger === false ? "; stops when you log out" : "";
  const text = `service: ${manager}, ${holding} of ${hardening.length} protections hold${missing}${end}`;
  return wrap(text, { ...page, indent: 2 });
}

const STATE_TONES: Readonly<Record<DaemonState, Tone>> = {
  starting: "plain",
  scanning: "plain",
  idle: "good",
  "waiting-for-quiet": "good",
  running: "good",
  paused: "warn",
  "over-budget": "warn",
  degraded: "bad",
  stopping: "warn",
  stopped: "bad",
};

function headLine({ state, version, pid, startedAt }: Status, page: Page): Line {
  const since = startedAt === null || pid === null ? "" : `, started ${relativeTime(startedAt, page.now)}`;
  const who = pid === null ? "" : `, pid ${pid}`;
  const tone = STATE_TONES[state] ?? "plain";
  const detail = `${who}${since}`;
  const head = line("engramd is ", span(state, tone));
  return detail.length + version.length + state.length + 14 > page.width
    ? head
    : [...head, span(`${detail}, ${version}`, "faint")];
}

function section(title: string, lines: readonly Line[]): Line[] {
  return lines.length === 0 ? [] : [EMPTY_LINE, line(span(title, "strong")), ...lines];
}

function sourceLines(sources: readonly SourceStatus[], page: Page): Line[] {
  return table({
    width: page.width,
    columns: [
      { title: "agent" },
      { title: "sessions", align: "right" },
      { title: "messages", align: "right", leaves: 3 },
      { title: "unread", align: "right" },
      { title: "damaged", align: "right", leaves: 2 },
      { title: "expiring", align: "right", leaves: 4 },
      { title: "unknown", align: "right", leaves: 0 },
      { title: "folder", flexible: true, leaves: 1 },
    ],
    rows: sources.map((source) => [
      source.agent,
      countText(source.sessions),
      countText(source.typedMessages),
      bytesText(source.pendingBytes),
      alarming(source.damagedLines),
      alarming(source.expiringSessions),
      countText(Object.values(source.unknownTypes).reduce((sum, count) => sum + count, 0)),
      span(source.root, "faint"),
    ]),
  });
}

function alarming(count: number): Span {
  return span(countText(count), count > 0 ? "warn" : "plain");
}

function projectLines(projects: readonly ProjectStatus[], page: Page): Line[] {
  return table({
    width: page.width,
    columns: [
      { title: "project", flexible: true },
      { title: "memories", align: "right" },
      { title: "mode", leaves: 1 },
      { title: "last run", leaves: 3 },
      { title: "next", leaves: 2 },
      { title: "dream", leaves: 0 },
      { title: "note", flexible: true, leaves: 4 },
    ],
    rows: projects.map((project) => [
      project.root,
      countText(project.memories),
      project.mode,
      lastRunText(project, page),
      project.nextDue.extract === null ? "" : relativeTime(project.nextDue.extract, page.now),
      dreamText(project, page),
      noteSpan(project, page),
    ]),
  });
}

/** When a dream may start, else what keeps it. */
function dreamText({ nextDue, gates }: ProjectStatus, page: Page): string {
  if (gates.dream === null) return "";
  return nextDue.dream === null ? gates.dream : `${relativeTime(nextDue.dream, page.now)} (${gates.dream})`;
}

function lastRunText({ lastRun }: ProjectStatus, page: Page): string {
  return lastRun === null
    ? "never"
    : `${lastRun.kind} ${relativeTime(lastRun.at, page.now)}: ${lastRun.outcome}${lastRun.reason === undefined ? "" : ` (${lastRun.reason})`}`;
}

/** The one thing to know about a project: an error, else what it waits for, else why the last run did nothing. */
function noteSpan({ lastError, waitingFor, lastSkip }: ProjectStatus, page: Page): Span {
  if (lastError !== null) {
    const retry = lastError.retryAt === null ? "" : `, again ${relativeTime(lastError.retryAt, page.now)}`;
    return span(`${lastError.code}: ${withClockTimes(lastError.message, page.now)}${retry}`, "bad");
  }
  if (waitingFor !== null) return span(`waits for ${waitingFor}`);
  return span(lastSkip === null ? "" : `skipped: ${plainReason(lastSkip.reason)}`, "faint");
}

function workLines({ queue, runs = [], budget, counters, provider }: Status, page: Page): Line[] {
  const refused = Object.values(counters.proposalsRefused).reduce((sum, count) => sum + count, 0);
  const isPlan = isLogin(provider.name);
  const exhausted = budget.exhausted ? ", exhausted" : "";
  return [
    `queue: ${queue.waiting} waiting, ${queue.running} running, ${queue.delayed} delayed, ${queue.dead} dead`,
    ...runs
      .filter(({ state }) => state === "running")
      .map(({ id, kind, project }) => `running: ${id} (${kind}, ${project})`),
    `today: ${countText(budget.tokensToday)} tokens, ${isPlan ? "plan" : `${moneyText(budget.usdToday)} (month ${moneyText(budget.usdMonth)})`}${exhausted}`,
    `read: ${countText(counters.recordsRead)} records; ${countText(counters.secretsMasked)} secrets masked, ${countText(refused)} proposals refused`,
  ].flatMap((text) => wrap(text, { ...page, indent: 2 }));
}
