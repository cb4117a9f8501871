// What one pass did, for a person.
import type { SyncReport } from "../../domain/service.ts";
import type { Line, Page } from "./line.ts";
import { wrap } from "./line.ts";
import { countText, counted, moneyText } from "./numbers.ts";
import { passedLines } from "./passed.ts";
import { pauseEnd } from "./pause.ts";
import { holdsModel, reasonWords } from "./reasons.ts";
import { table } from "./table.ts";
import { withClockTimes } from "./time.ts";

export function syncLines(report: SyncReport, page: Page): Line[] {
  const { sessions, memories, estimate, paused } = report;
  if (paused !== undefined)
    return wrap(`engramd is paused ${pauseEnd(paused, page)}: nothing was read`, { ...page, tone: "warn" });
  const read = `${counted(sessions.seen, "session")} seen, ${countText(sessions.new)} with new words, ${countText(sessions.processed)} processed`;
  const changed = (["created", "updated", "confirmed", "deleted"] as const)
    .filter((kind) => memories[kind] > 0)
    .map((kind) => `${countText(memories[kind])} ${kind}`);
  const waiting = memories.candidates > 0 ? `, ${counted(memories.candidates, "candidate")} waiting` : "";
  return [
    ...wrap(read, page),
    ...agentLines(report, page),
    ...wrap(`memories: ${changed.length === 0 ? "no change" : changed.join(", ")}${waiting}`, page),
    ...memories.refused.flatMap(({ file, reason }) =>
      wrap(`refused ${file}: ${reason}`, { ...page, tone: "warn", indent: 2 }),
    ),
    ...skippedLines(report, page),
    ...passedLines(report.passedOver, page),
    ...(report.damagedLines > 0
      ? wrap(`${counted(report.damagedLines, "damaged line")} left out`, { ...page, tone: "warn" })
      : []),
    ...remainingLines(report, page),
    ...(estimate === undefined
      ? []
      : wrap(
          `dry run, nothing changed: about ${counted(estimate.requests, "request")}, ${countText(estimate.inputTokens)} tokens, ${estimate.plan === true ? "plan" : moneyText(estimate.usd)}`,
          page,
        )),
  ];
}

/** A hundred years: how the document says never (`learn/models/forecast.ts`). */
const NEVER_DAYS = 36_500;

function remainingLines({ remaining, estimate, skipped }: SyncReport, page: Page): Line[] {
  const { sessions, usd, days, older = 0 } = remaining;
  const left = sessions - older;
  const when = estimate === undefined ? "" : " after today";
  const time = days >= NEVER_DAYS ? "never" : counted(days, "day");
  const isHeld = skipped.some(({ reason }) => holdsModel(reason));
  const parts = [
    ...(usd > 0 ? [`about ${moneyText(usd)}`] : []),
    ...(days === 0 || isHeld ? [] : [`${time} at the present ceilings`]),
  ];
  const cost = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  return [
    ...(left > 0
      ? wrap(`${counted(left, "session")} ${left === 1 ? "remains" : "remain"}${when}${cost}`, {
          ...page,
          tone: "warn",
        })
      : []),
    ...(older > 0
      ? wrap(
          `${counted(older, "older session")} passed over: engramd sync --backfill all --dry-run says what reading them costs`,
          { ...page, tone: "faint" },
        )
      : []),
  ];
}

function agentLines({ agents }: SyncReport, page: Page): Line[] {
  return table({
    width: page.width,
    columns: [
      { title: "agent" },
      { title: "sessions", align: "right" },
      { title: "messages", align: "right" },
      { title: "headless", align: "right", leaves: 1 },
      { title: "damaged", align: "right", leaves: 0 },
    ],
    rows: Object.entries(agents).map(([agent, counts]) => [
      agent,
      countText(counts.sessions),
      countText(counts.typedMessages),
      countText(counts.headlessSessions),
      countText(counts.damagedLines),
    ]),
  });
}

/** Reasons with their number; hundreds of sessions may be skipped for one. */
function skippedLines({ skipped }: SyncReport, page: Page): Line[] {
  if (skipped.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].flatMap(([reason, count]) =>
    wrap(`skipped ${countText(count)}: ${withClockTimes(reasonWords(reason), page.now)}`, {
      ...page,
      indent: 2,
    }),
  );
}
