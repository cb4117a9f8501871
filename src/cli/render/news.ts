// News for a person: by project, newest first, each with the command that takes it back where there is one.
import type { ChangedBy, NewsItem, NewsReply } from "../../domain/account.ts";
import type { Line, Page, Tone } from "./line.ts";
import { EMPTY_LINE, wrap } from "./line.ts";
import { counted } from "./numbers.ts";
import { clockTime, relativeTime } from "./time.ts";

const TONES: Readonly<Record<NewsItem["what"], Tone>> = {
  learned: "good",
  changed: "plain",
  removed: "warn",
};

const BY: Readonly<Record<ChangedBy, string>> = {
  rules: "by rules",
  model: "by the model",
  person: "by your command",
  hand: "by hand",
  engramd: "by engramd",
};

export function newsLines({ since, first, projects, notShown = [] }: NewsReply, page: Page): Line[] {
  const when = first ? "in the last 7 days" : `since you last looked (${clockTime(since, page.now)})`;
  const left = notShown.flatMap(({ memoryDir, why }) =>
    wrap(`news of ${memoryDir} is not shown: ${why}; see engramd doctor`, { ...page, tone: "warn" }),
  );
  if (projects.length === 0) return left.length > 0 ? left : wrap(`no news ${when}`, page);
  return [
    ...wrap(`news ${when}`, page),
    ...projects.flatMap(({ project, items, confirmed, more }) => [
      EMPTY_LINE,
      ...wrap(project, { ...page, tone: "strong" }),
      ...items.flatMap((item) => itemLines(item, page)),
      ...(more > 0 ? wrap(`and ${more} older`, { ...page, firstIndent: 2 }) : []),
      ...(confirmed > 0
        ? wrap(`${counted(confirmed, "memory")} said again`, { ...page, firstIndent: 2 })
        : []),
    ]),
    ...(left.length > 0 ? [EMPTY_LINE, ...left] : []),
  ];
}

function itemLines({ what, file, description, at, by, undo }: NewsItem, page: Page): Line[] {
  const about = description === null ? "" : `: ${description}`;
  const when = `${relativeTime(at, page.now)}, ${BY[by] ?? by}`;
  return [
    ...wrap(`${what} ${file}${about}`, { ...page, tone: TONES[what] ?? "plain", firstIndent: 2, indent: 4 }),
    ...wrap(undo === null ? when : `${when}; undo: ${undo}`, { ...page, tone: "faint", firstIndent: 4 }),
  ];
}
