// The first screen: one line for each thing to know, with the command that goes on from there. A command is only named
// where it exists, so that a screen never promises what the program cannot do.
import { isLogin } from "../../domain/model-choice.ts";
import { displayText } from "../../domain/printable.ts";
import type { Overview, OverviewAgent } from "../../domain/overview.ts";
import type { DaemonState } from "../../domain/status.ts";
import { agentName } from "./agents.ts";
import type { Line, Page, Tone } from "./line.ts";
import { line, span, wrap } from "./line.ts";
import { bytesText, countText, counted, moneyText } from "./numbers.ts";
import { pauseEnd } from "./pause.ts";
import { warningLines } from "./warnings.ts";
import { textWidth } from "./width.ts";

export interface OverviewPage extends Page {
  /** The person's home folder, shown as `~`. */
  readonly home: string;
  /** Whether the program has this command, given as it is typed (`undo --all`). */
  knows(command: string): boolean;
  /** Whether it is installed as a service, and so starts as one. */
  readonly isService?: boolean;
}

/** One thing to know. */
interface Row {
  readonly text: string;
  readonly tone?: Tone;
  /** Commands that go on from here, the first known one is named. */
  readonly next?: readonly string[];
  /** Without a known command the row says nothing useful. */
  readonly onlyWithCommand?: boolean;
}

const INDENT = 2;
/** Between the text and the command beside it. */
const GAP = 4;
/** More are a table of their own: `engramd status`. */
const WARNINGS_MAX = 3;

export function overviewLines(overview: Overview, page: OverviewPage): Line[] {
  return [
    ...headLines(overview, page),
    ...layOut(rowsOf(overview, page), page),
    ...troubleLines(overview, page),
  ];
}

/** Before the figures are worth showing. */
export function readingLines({ agents, unread }: Overview, page: Page): Line[] {
  const sessions = agents.reduce((sum, agent) => sum + agent.sessions, 0);
  const text = `engramd is reading ${countText(unread.sessions)} of ${counted(sessions, "session")} (${bytesText(unread.bytes)})...`;
  return wrap(text, { ...page, indent: INDENT });
}

const HEADS: Readonly<Record<DaemonState, readonly [string, Tone]>> = {
  starting: ["is starting", "good"],
  scanning: ["is reading...", "good"],
  idle: ["is watching", "good"],
  "waiting-for-quiet": ["is watching", "good"],
  running: ["is watching", "good"],
  paused: ["is paused", "warn"],
  "over-budget": ["is watching, its budget is spent", "warn"],
  degraded: ["is watching, with trouble", "bad"],
  stopping: ["is stopping", "warn"],
  stopped: ["is not running", "warn"],
};

function headLines({ state, paused, provider, spent }: Overview, page: OverviewPage): Line[] {
  const [does, tone] = HEADS[state] ?? [`is ${state}`, "plain"];
  const pause = paused === undefined ? "" : ` ${pauseEnd(paused, page)}`;
  const reads =
    provider.model === null
      ? "offline: no network, no cost"
      : `${provider.name} ${provider.model}: ${isLogin(provider.name) ? "plan" : `${moneyText(spent.usdToday)} today, ${moneyText(spent.usdMonth)} this month`}`;
  const head = `engramd ${does}${pause}`;
  const detail = ` (${reads})`;
  if (textWidth(head) + textWidth(detail) <= page.width)
    return [line(span(head, tone), span(detail, "faint"))];
  return [
    ...wrap(head, { ...page, tone }),
    ...wrap(detail.trim(), { ...page, tone: "faint", firstIndent: INDENT }),
  ];
}

function rowsOf(overview: Overview, page: OverviewPage): Row[] {
  const found = overview.agents.filter(
    ({ sessions, roots }) => sessions > 0 || roots.some((root) => root.found),
  );
  if (found.length === 0) return [...lookedFor(overview, page), ...startRow(overview, page)];
  return [
    ...agentRows(found),
    readRow(overview),
    ...unreadRow(overview),
    ...writesRows(overview, page),
    ...found.flatMap((agent) => expiringRow(agent, overview)),
    ...modelRow(overview),
    ...offerRows(overview),
    ...startRow(overview, page),
  ];
}

function lookedFor({ agents, state }: Overview, page: OverviewPage): Row[] {
  const places = agents.flatMap(({ agent, roots }) =>
    roots.map(({ path }) => ({ text: `  ${agentName(agent)}: ${shortPath(path, page)} is not there` })),
  );
  return [
    { text: "no coding agent was found yet; looked for", tone: "warn" },
    ...places,
    ...(state === "stopped" ? [] : [{ text: "it is noticed as soon as it is there" }]),
  ];
}

function agentRows(agents: readonly OverviewAgent[]): Row[] {
  const names = agents.map(({ agent }) => agentName(agent));
  const widest = Math.max(...names.map(textWidth));
  const counts = agents.map(({ sessions }) => countText(sessions));
  const widestCount = Math.max(...counts.map(textWidth));
  return agents.map(({ sessions, projects }, at) => {
    const name = names[at] ?? "";
    const count = (counts[at] ?? "").padStart(widestCount);
    const words = `${count} ${sessions === 1 ? "session" : "sessions"}, ${counted(projects, "project")}`;
    return { text: `${name}${" ".repeat(widest - textWidth(name))}  ${words}` };
  });
}

function readRow({ typedMessages, memories, proposals = 0, candidates }: Overview): Row {
  const kinds = [
    ...(proposals > 0 ? [counted(proposals, "proposal")] : []),
    ...(candidates > 0 ? [counted(candidates, "candidate")] : []),
  ];
  const waiting = kinds.length === 0 ? "" : `, ${kinds.join(" and ")} waiting`;
  const saved = counted(memories.saved, "memory");
  return {
    text: `read ${countText(typedMessages)} of your messages: ${saved} saved${waiting}`,
    next: kinds.length > 0 ? ["review"] : memories.saved > 0 ? ["list --all"] : [],
  };
}

function unreadRow({ unread, reading, state }: Overview): Row[] {
  if (unread.sessions === 0) return reading ? [{ text: "reading..." }] : [];
  const left = `${counted(unread.sessions, "session")} (${bytesText(unread.bytes)})`;
  if (reading) return [{ text: `reading... ${left} to go`, next: ["status --watch"] }];
  const waits = `${left} ${unread.sessions === 1 ? "waits" : "wait"} to be read`;
  return [{ text: waits, ...(state === "stopped" ? { next: ["sync"] } : {}) }];
}

function writesRows({ writesTo }: Overview, page: OverviewPage): Row[] {
  const places = writesTo.map((path) => shortPath(path, page));
  const text =
    places.length === 0
      ? "writes nothing: memory is off in every project"
      : `writes only to ${places.join(", ")}`;
  return [{ text }, { text: "undo everything", next: ["undo --all"], onlyWithCommand: true }];
}

function expiringRow({ agent, expiringSessions }: OverviewAgent, { state }: Overview): Row[] {
  if (expiringSessions === 0) return [];
  const isRead = state !== "stopped" && state !== "paused";
  const what = isRead
    ? `${counted(expiringSessions, "session")} will be deleted by ${agentName(agent)} within 7 days: read first`
    : `${countText(expiringSessions)} unread ${expiringSessions === 1 ? "session" : "sessions"} will be deleted by ${agentName(agent)} within 7 days`;
  return [{ text: what, tone: "warn" }];
}

function modelRow({ provider, lastWeek }: Overview): Row[] {
  if (provider.model !== null || lastWeek.sessions === 0) return [];
  const money = lastWeek.usd === null ? "" : `, about ${aboutMoney(lastWeek.usd)}`;
  const text = `with a model: about ${counted(lastWeek.sessions, "session")} in the last 7 days${money}`;
  return [{ text, next: ["model", "config explain provider"] }];
}

/** What is there and could be used, never unasked. */
function offerRows({ offers = [] }: Overview): Row[] {
  return offers.map(({ what, command }) => ({
    text: displayText(what),
    next: [command.replace(/^engramd /u, "")],
    onlyWithCommand: true,
  }));
}

/** An estimate in cents says nothing below one. */
function aboutMoney(usd: number): string {
  return usd < 0.01 ? "$0.01" : moneyText(usd);
}

function startRow({ state }: Overview, { isService = false }: OverviewPage): Row[] {
  if (state === "paused") return [{ text: "observe again", next: ["resume"], onlyWithCommand: true }];
  if (state !== "stopped") return [];
  if (isService)
    return [
      { text: "start its service again", next: ["restart"], onlyWithCommand: true },
      { text: "what it logged last", next: ["logs"], onlyWithCommand: true },
    ];
  return [
    { text: "start it here", next: ["run"], onlyWithCommand: true },
    { text: "start it now and at every login", next: ["install"], onlyWithCommand: true },
  ];
}

/** Texts with their command beside them in one column; below them where the page is too narrow for that. */
function layOut(rows: readonly Row[], page: OverviewPage): Line[] {
  const shown = rows.flatMap(({ text, tone = "plain", next = [], onlyWithCommand = false }) => {
    const known = next.find((command) => page.knows(command));
    if (known === undefined && onlyWithCommand) return [];
    return [{ text, tone, command: known === undefined ? "" : `engramd ${known}` }];
  });
  const withCommand = shown.filter(({ command }) => command !== "");
  const left = Math.max(0, ...withCommand.map(({ text }) => textWidth(text)));
  const right = Math.max(0, ...withCommand.map(({ command }) => textWidth(command)));
  const isWide = INDENT + left + GAP + right <= page.width;
  return shown.flatMap(({ text, tone, command }) => {
    const own = { ...page, tone, firstIndent: INDENT, indent: 2 * INDENT };
    if (command === "") return wrapKept(text, own);
    if (!isWide)
      return [...wrapKept(text, own), ...wrap(command, { ...page, tone: "strong", firstIndent: 2 * INDENT })];
    const blanks = " ".repeat(left - textWidth(text) + GAP);
    return [line(" ".repeat(INDENT), span(text, tone), blanks, span(command, "strong"))];
  });
}

/** A text that fits keeps its blanks: they align it with its neighbours. */
function wrapKept(
  text: string,
  options: Parameters<typeof wrap>[1] & { readonly firstIndent: number },
): Line[] {
  const { firstIndent, tone = "plain", width } = options;
  if (firstIndent + textWidth(text) > width) return wrap(text.trim(), options);
  return [line(" ".repeat(firstIndent), span(text, tone))];
}

function troubleLines({ warnings }: Overview, page: OverviewPage): Line[] {
  const more = warnings.length - WARNINGS_MAX;
  return [
    ...warningLines(warnings.slice(0, WARNINGS_MAX), page, INDENT),
    ...(more > 0
      ? wrap(`and ${counted(more, "warning")} more: engramd status`, { ...page, firstIndent: INDENT })
      : []),
  ];
}

function shortPath(path: string, { home }: OverviewPage): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
