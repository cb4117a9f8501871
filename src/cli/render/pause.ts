// What `pause` and `resume` say, and how long a pause lasts, for every command that meets one.
import type { PauseReply } from "../../domain/service.ts";
import type { Paused } from "../../domain/status.ts";
import type { Line, Page } from "./line.ts";
import { wrap } from "./line.ts";
import { clockTime, relativeTime } from "./time.ts";

export function pauseLines({ outcome, until, running }: PauseReply, page: Page): Line[] {
  if (outcome !== "paused") {
    const what = outcome === "resumed" ? "the pause is over" : "there was no pause";
    const next = running ? "engramd observes" : "engramd is not running; it will observe once it is started";
    return wrap(`${what}: ${next}`, { ...page, tone: "good" });
  }
  const where = running ? "" : "; it is not running, and will start paused";
  return [
    ...wrap(`engramd is paused ${pauseEnd({ until }, page)}${where}`, { ...page, tone: "warn" }),
    ...wrap("It reads nothing and asks no model, and goes on answering.", page),
    ...wrap("What you type meanwhile is not lost: it is read when the pause is over.", page),
  ];
}

/** Two hours are still "in 2 h" a moment later. */
const MOMENT_MS = 30_000;

/** `until 14:30 (in 2 h)`, or the command that ends it. */
export function pauseEnd({ until }: Pick<Paused, "until">, { now }: Page): string {
  return until === null
    ? 'until "engramd resume"'
    : `until ${clockTime(until, now)} (${relativeTime(Date.parse(until) + MOMENT_MS, now)})`;
}
