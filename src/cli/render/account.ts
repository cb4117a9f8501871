// What `ignore` and `cancel` say.
import type { CancelReply, IgnoreReply } from "../../domain/account.ts";
import type { Line, Page } from "./line.ts";
import { wrap } from "./line.ts";
import { counted } from "./numbers.ts";

export function ignoreLines(reply: IgnoreReply, page: Page): Line[] {
  const { outcome, session, agent, removed, kept, candidates } = reply;
  const again = outcome === "already-ignored" ? " (it was ignored before)" : "";
  const head = wrap(`${session} teaches nothing any more${again}`, { ...page, tone: "good" });
  const nested = { ...page, firstIndent: 2, indent: 4 };
  if (agent === null && removed.length + kept.length === 0) {
    return [...head, ...wrap("engramd has not met this session yet", nested)];
  }
  const place = (project: string) => (project === "" ? "" : ` in ${project}`);
  return [
    ...head,
    ...removed.flatMap(({ file, project }) => wrap(`removed ${file}${place(project)}`, nested)),
    ...kept.flatMap(({ file, project, reason }) =>
      wrap(`kept ${file}${place(project)}: ${reason.message}`, { ...nested, tone: "warn" }),
    ),
    ...(candidates > 0 ? wrap(`dropped ${counted(candidates, "candidate")}`, nested) : []),
    ...(removed.length + kept.length + candidates === 0 ? wrap("it had taught nothing", nested) : []),
  ];
}

export function cancelLines({ outcome, run, kind, project, message }: CancelReply, page: Page): Line[] {
  const tone = outcome === "cancelled" ? "good" : "warn";
  return wrap(`${run} (${kind}, ${project}): ${message}`, { ...page, tone });
}
