// A log line for a person who looks at the terminal the daemon runs in. Programs read the JSON line itself.
import type { Fields } from "../../domain/json.ts";
import { isFields, parseJson } from "../../domain/json.ts";
import type { Line, Tone } from "./line.ts";
import { line, span } from "./line.ts";
import { clockTime } from "./time.ts";

/** One comes with every job: what it did has a line of its own. */
const QUIET: ReadonlySet<string> = new Set([
  "job:finished",
  "index:written",
  "run:ended",
  "proposal:refused",
]);
/** What a person wants to know before the first screen. */
const BRIEF = /^daemon:/u;
const TONES: Readonly<Record<string, Tone>> = { warn: "warn", error: "bad" };
/** Fields every line has, or that say the same as the words before them. */
const KNOWN: ReadonlySet<string> = new Set(["level", "time", "msg"]);

/** Undefined for what only fills the screen; a line that is no log line is shown as it is. */
export function logLine(
  text: string,
  { now, isBrief }: { readonly now: number; readonly isBrief: boolean },
): Line | undefined {
  const fields = parseLine(text);
  if (fields === undefined) return line(text);
  const { level, msg, time } = fields;
  if (level === "debug") return undefined;
  if (level === "info" && (QUIET.has(String(msg)) || (isBrief && !BRIEF.test(String(msg))))) return undefined;
  const tone = TONES[String(level)] ?? "plain";
  const rest = Object.entries(fields)
    .filter(([name, value]) => !KNOWN.has(name) && value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const head = tone === "plain" ? String(msg) : `${String(level)}: ${String(msg)}`;
  return line(
    span(`${clockTime(String(time), now)}  `, "faint"),
    span(head, tone),
    span(rest.length === 0 ? "" : `  ${rest.join(" ")}`, "faint"),
  );
}

/** Undefined: something else than the log wrote it. */
function parseLine(text: string): Fields | undefined {
  const value = parseJson(text);
  return isFields(value) && "msg" in value ? value : undefined;
}
