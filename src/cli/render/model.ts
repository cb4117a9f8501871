// What `model` says: who reads what, what it costs, and the text a person agrees to. Every name of a host and an agent
// stands in it.
import type { ModelCeilings, ModelReport, ModelWeek, UseModelReply } from "../../domain/model-choice.ts";
import type { Line, Page } from "./line.ts";
import { EMPTY_LINE, line, span, wrap } from "./line.ts";
import { countText, counted, moneyText } from "./numbers.ts";
import { warningLines } from "./warnings.ts";

/** Room for the longest id of an agent. */
const WORD_WIDTH = 12;

export function modelLines(report: ModelReport, page: Page): Line[] {
  const { kinds, agents, host, week, offers, warnings, running } = report;
  return [
    ...kinds.flatMap(({ kind, provider, model, why }) =>
      entry(
        kind,
        model === null ? `${provider}: ${why}` : `${model} (${provider}, ${host ?? ""}): ${why}`,
        page,
      ),
    ),
    ...agents.flatMap(({ agent, reader, why, allow }) => [
      ...entry(agent, reader === "model" ? "read by the model" : `read by rules only: ${why}`, page),
      ...(allow === null ? [] : entry("", `to allow it: ${allow}`, page)),
    ]),
    ...entry("spent", spentText(report), page),
    ...entry("at most", ceilingsText(report.ceilings), page),
    EMPTY_LINE,
    ...weekLines(week, report.ceilings, page),
    ...offers.flatMap(({ what, command }) =>
      wrap(`${what}; it is not used unless you say so: ${command}`, { ...page, tone: "strong", indent: 2 }),
    ),
    ...warningLines(warnings, page),
    ...(running
      ? []
      : wrap("engramd is not running; this is what it would do here.", { ...page, tone: "faint" })),
  ];
}

/** What is said before anything changes. */
export function planLines(plan: UseModelReply, page: Page): Line[] {
  const { outcome, week, ceilings } = plan;
  // Also where nothing changes: a key or a login that is still missing would otherwise go unsaid.
  const notes = plan.notes.flatMap((note) => wrap(`- ${note}`, { ...page, indent: 2 }));
  if (outcome === "unchanged")
    return [
      line(span("this is how it is already: nothing to change", "good")),
      ...sentLines(plan, page),
      ...keptLines(plan, page),
      ...notes,
    ];
  return [
    ...(plan.host === null
      ? wrap("No model will see your words; consent is taken back.", page)
      : headLines(plan, page)),
    ...sentLines(plan, page),
    ...keptLines(plan, page),
    ...(week === null
      ? []
      : [...weekLines(week, ceilings, page), ...wrap(`At most ${ceilingsText(ceilings)}.`, page)]),
    ...diffLines(plan, page),
    ...notes,
  ];
}

function headLines({ host, provider, week, elsewhere, unencrypted }: UseModelReply, page: Page): Line[] {
  const where = elsewhere && provider === "local" ? ", which is not this machine" : "";
  const how = unencrypted ? "; anybody on the way can read it: it is not encrypted" : "";
  return [
    ...wrap(`What you type to these agents will be sent to ${host ?? ""}${where}${how}`, {
      ...page,
      tone: "strong",
    }),
    ...wrap(
      `(provider ${provider}, model ${week?.model ?? ""}): your messages with what the agent said around them and a few words before them, shortened tool calls, and of the project its memories and the candidates it keeps. Secrets are masked, <private>...</private> is cut, "off the record" ends the session.`,
      page,
    ),
  ];
}

/** Projects shown of one agent; the document has all. */
const PROJECTS_SHOWN = 20;

function sentLines({ sent, week }: UseModelReply, page: Page): Line[] {
  return sent.flatMap(({ agent, isNew, sessions, projects }) => {
    const names = [
      ...projects.slice(0, PROJECTS_SHOWN),
      ...(projects.length > PROJECTS_SHOWN
        ? [`${projects.length - PROJECTS_SHOWN} more (--json names all)`]
        : []),
    ];
    const lately =
      week === null
        ? []
        : [`${counted(sessions, "session")} in the last ${week.days} days`, ...(sessions > 0 ? names : [])];
    const text = [...(isNew ? [] : ["allowed already"]), ...lately].join(", ");
    return entry(agent, text === "" ? "read by the model" : text, page);
  });
}

function keptLines({ kept }: UseModelReply, page: Page): Line[] {
  return kept.flatMap(({ agent, why, allow }) =>
    entry(agent, `not sent: ${why}${allow === null ? "" : `; to allow it: ${allow}`}`, page),
  );
}

function diffLines({ diff, configFile }: UseModelReply, page: Page): Line[] {
  if (diff.length === 0) return [];
  return [
    ...wrap(configFile, { ...page, tone: "faint" }),
    ...diff.flatMap(({ key, before, after }) => [
      ...(before === null ? [] : [line(span(`  - "${key}": ${before}`, "bad"))]),
      line(span(`  + "${key}": ${after}`, "good")),
    ]),
  ];
}

/** Undefined: the person said no. */
export function chosenLines(done: UseModelReply | undefined): Line[] {
  if (done === undefined) return [line("nothing was changed")];
  const { host, running, sent } = done;
  const when = running ? "from now on" : "once engramd runs (engramd run)";
  if (host === null) {
    const words = sent.length === 0 ? "rules read your words, and nothing is sent" : "done";
    return [line(span(`${words}, ${when}`, "good"))];
  }
  return [line(span(`${host} reads what you type, ${when}`, "good"))];
}

export function questionFor({ host, provider, elsewhere, unencrypted }: UseModelReply): string {
  if (!elsewhere || provider !== "local") return `Send this to ${host ?? ""}?`;
  return `${host ?? ""} is not this machine. Send this there${unencrypted ? ", not encrypted" : ""}?`;
}

function weekLines(week: ModelWeek, { plan }: ModelCeilings, page: Page): Line[] {
  const { days, sessions, agents, requests, inputTokens, usd, day, model, left } = week;
  const projects = new Set(agents.flatMap((agent) => agent.projects)).size;
  if (sessions === 0 && left === 0)
    return wrap(
      `No session of yours in the last ${days} days: what a day would cost is not known yet.`,
      page,
    );
  const atLeast = left > 0 ? "at least" : "about";
  const cost = (dollars: number | null) =>
    dollars === null ? (plan === undefined ? "" : ", plan") : `, ${costText(dollars)}`;
  return [
    ...wrap(
      `Your last ${days} days: ${counted(sessions, "session")} in ${counted(projects, "project")}; with ${model} ${atLeast} ${counted(requests, "request")}, ${countText(inputTokens)} tokens${cost(usd)}`,
      { ...page, indent: 2 },
    ),
    ...wrap(`A typical day of yours: ${atLeast} ${countText(day.inputTokens)} tokens${cost(day.usd)}`, page),
    ...(left > 0
      ? wrap(
          `${counted(left, "older session")} of these days could not be looked at: too little time, or no right to read there`,
          page,
        )
      : []),
  ];
}

/** What is not nothing does not look like nothing. */
function costText(usd: number): string {
  return usd > 0 && usd < CENT ? `less than ${moneyText(CENT)}` : moneyText(usd);
}

const CENT = 0.01;

function spentText({ spent, ceilings }: ModelReport): string {
  const { tokensToday, usdToday, usdMonth } = spent;
  if (ceilings.plan !== undefined)
    return `plan; today ${countText(tokensToday)} of ${countText(ceilings.plan.tokensPerDay)} tokens`;
  const { tokensPerDay, usdPerDay, usdPerMonth } = ceilings;
  return `today ${moneyText(usdToday)} of ${moneyText(usdPerDay)}, ${countText(tokensToday)} of ${countText(tokensPerDay)} tokens; this month ${moneyText(usdMonth)} of ${moneyText(usdPerMonth)}`;
}

function ceilingsText({ tokensPerDay, usdPerDay, usdPerMonth, runsPerHour, plan }: ModelCeilings): string {
  if (plan !== undefined)
    return `${counted(plan.runsPerDay, "run")} and ${countText(plan.tokensPerDay)} tokens of your plan a day, ${counted(runsPerHour, "run")} an hour; at a ceiling words wait`;
  return `${moneyText(usdPerDay)} and ${countText(tokensPerDay)} tokens a day, ${moneyText(usdPerMonth)} a month, ${counted(runsPerHour, "run")} an hour; at a ceiling words wait`;
}

function entry(word: string, text: string, page: Page): Line[] {
  const [first = [], ...rest] = wrap(text, { ...page, firstIndent: WORD_WIDTH + 4 });
  const begin = first
    .map((part) => part.text)
    .join("")
    .trimStart();
  return [line("  ", span(word.padEnd(WORD_WIDTH), "faint"), "  ", begin), ...rest];
}
