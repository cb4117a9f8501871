// What `review` says: what waits, one item with what it would change, and what a person's word did.
import { displayLines } from "../../domain/printable.ts";
import type { DecidedItem, DecideReply, InboxChange, InboxItemView, InboxReply } from "../../domain/inbox.ts";
import { patchLine } from "./history.ts";
import type { Line, Page, Tone } from "./line.ts";
import { EMPTY_LINE, span, wrap } from "./line.ts";
import { counted } from "./numbers.ts";
import { table } from "./table.ts";
import { relativeTime } from "./time.ts";

export function inboxLines({ items, expired, dropped }: InboxReply, page: Page): Line[] {
  if (items.length === 0)
    return [...wrap("nothing waits for you", page), ...lostLines({ expired, dropped }, page)];
  const projects = new Set(items.map(({ project }) => project));
  return [
    ...table({
      width: page.width,
      columns: [
        { title: "id" },
        { title: "kind", leaves: 4 },
        { title: "age", leaves: 3 },
        { title: "what", flexible: true },
        { title: "why it waits", flexible: true, leaves: 2 },
        { title: "until", leaves: 1 },
        ...(projects.size > 1 ? [{ title: "project", flexible: true, leaves: 5 }] : []),
      ],
      rows: items.map((item) => [
        span(item.id, "strong"),
        span(item.kind, TONES[item.kind] ?? "plain"),
        relativeTime(item.since, page.now),
        titleOf(item),
        span(item.why.message, "faint"),
        item.expires.slice(0, 10),
        ...(projects.size > 1 ? [span(item.project, "faint")] : []),
      ]),
    }),
    ...wrap("all of one: engramd review show ID; then: engramd review accept ID, or reject ID", {
      ...page,
      tone: "faint",
    }),
    ...lostLines({ expired, dropped }, page),
  ];
}

const TONES: Readonly<Record<InboxItemView["kind"], Tone>> = {
  proposal: "good",
  candidate: "plain",
  quarantine: "warn",
};

function titleOf({ changes }: Pick<InboxItemView, "changes">): string {
  const [first] = changes;
  if (first === undefined) return "";
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : "";
  return `${changeTitle(first)}${more}`;
}

function changeTitle({ op, file, description }: InboxChange): string {
  if (op === "create") return description ?? "";
  return description === null ? `${op} ${file ?? ""}` : `${op} ${file ?? ""}: ${description}`;
}

function lostLines({ expired, dropped }: Pick<InboxReply, "expired" | "dropped">, page: Page): Line[] {
  const lost = [
    ...(expired > 0 ? [`${expired} went by themselves when their time was over`] : []),
    ...(dropped > 0 ? [`${dropped} went to make room for newer ones`] : []),
  ];
  return lost.length === 0 ? [] : wrap(`so far ${lost.join(", ")}`, { ...page, tone: "faint" });
}

export function itemLines(item: InboxItemView, page: Page): Line[] {
  const { id, kind, project, why, since, expires, changes, evidence, blocked } = item;
  const nested = { ...page, firstIndent: 2, indent: 4 };
  return [
    ...wrap(`${kind} ${id} of ${project}`, { ...page, tone: "strong" }),
    ...wrap(`${relativeTime(since, page.now)}; waits until ${expires.slice(0, 10)}: ${why.message}`, nested),
    ...changes.flatMap((change) => changeLines(change, page)),
    EMPTY_LINE,
    ...wrap(counted(evidence.length, "quote"), page),
    ...evidence.flatMap((quoted) => wrap(quoteText(quoted, page), nested)),
    ...(blocked === null
      ? wrap(`engramd review accept ${id}, or reject ${id}`, { ...page, tone: "faint" })
      : wrap(`it cannot be accepted now: ${blocked.message}`, { ...page, tone: "warn", indent: 2 })),
  ];
}

/** A memory is quoted by its file; one that is taken as a whole has no words of its own here. */
function quoteText(
  { by, quote, session, record, at }: InboxItemView["evidence"][number],
  page: Page,
): string {
  const words = quote === "" ? "all of it" : `"${quote}"`;
  const when = at === null ? "" : `, ${relativeTime(at, page.now)}`;
  return `${by === "user" ? "you" : by}: ${words} (${by === "memory" ? record : session}${when})`;
}

function changeLines(change: InboxChange, page: Page): Line[] {
  const head = [EMPTY_LINE, ...wrap(changeTitle(change), { ...page, tone: "strong", indent: 2 })];
  if (change.patch === null || change.patch === "") return head;
  return [...head, ...displayLines(change.patch.replace(/\n$/u, "")).map(patchLine)];
}

const DONE: Readonly<Record<DecidedItem["outcome"], { readonly word: string; readonly tone: Tone }>> = {
  accepted: { word: "accepted", tone: "good" },
  known: { word: "known already", tone: "good" },
  refused: { word: "not accepted", tone: "warn" },
  rejected: { word: "rejected", tone: "plain" },
};

export function decidedLines({ items, message }: DecideReply, page: Page): Line[] {
  return [
    ...items.flatMap(({ id, outcome, description, files, run, reason }) => [
      ...wrap(`${DONE[outcome]?.word ?? outcome} ${id}: ${description}`, {
        ...page,
        tone: DONE[outcome]?.tone ?? "plain",
        indent: 2,
      }),
      ...files.flatMap((file) => wrap(file, { ...page, firstIndent: 2, indent: 4 })),
      ...(reason === null ? [] : wrap(reason.message, { ...page, tone: "warn", firstIndent: 2 })),
      ...(run === null
        ? []
        : wrap(`to take this back: engramd undo ${run}`, {
            ...page,
            tone: "faint",
            firstIndent: 2,
            indent: 4,
          })),
    ]),
    ...(items.length === 1 ? [] : wrap(message, page)),
  ];
}
