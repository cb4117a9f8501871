// What `remember` and `forget` say when they did something; a refusal is told as an error instead.
import type { ForgetReply, PurgeFacts, RememberReply } from "../../domain/service.ts";
import type { Line, Page } from "./line.ts";
import { line, span, wrap } from "./line.ts";
import { countText } from "./numbers.ts";

export function rememberLines({ outcome, path, file, message }: RememberReply): Line[] {
  if (outcome === "refused") return [];
  return [line(span(message === "" ? `${outcome} ${path ?? file ?? ""}` : message, "good"))];
}

export function forgetLines({ outcome, file, message, purged }: ForgetReply, page: Page): Line[] {
  if (outcome !== "forgotten" && outcome !== "purged") return [];
  const done = line(span(message === "" ? `forgotten ${file ?? ""}` : message, "good"));
  return purged === undefined ? [done] : [done, ...purgedLines(purged, page)];
}

const PLACES: readonly (readonly [keyof PurgeFacts["removed"], string])[] = [
  ["entries", "entry of the history"],
  ["images", "kept copy"],
  ["evidence", "line of evidence"],
  ["runs", "run record"],
  ["candidates", "candidate"],
  ["copies", "file of a folder moved away"],
  ["logLines", "mention in the log"],
];

const REMAINS: Readonly<Record<PurgeFacts["remains"][number]["what"], string>> = {
  transcript: "the agent's transcript",
  memory: "another memory says some of it, or links it",
  index: "a line of yours",
  copy: "a copy of the file",
  "daily-log": "a line of the daily log",
  "service-log": "the system's log may name the file",
};

function purgedLines({ removed, remains }: PurgeFacts, page: Page): Line[] {
  const found = PLACES.filter(([place]) => removed[place] > 0);
  const counts = found.map(([place, noun]) => `${noun}: ${countText(removed[place])}`);
  return [
    ...(counts.length === 0 ? [] : wrap(`taken out of engramd's own files (${counts.join(", ")})`, page)),
    ...wrap(
      remains.length === 0
        ? "engramd knows no other place where its words stand"
        : "not engramd's, so still there until you remove it:",
      page,
    ),
    ...remains.map(({ what, path }) => line("  ", span(path, "strong"), span(`  ${REMAINS[what]}`, "faint"))),
  ];
}
