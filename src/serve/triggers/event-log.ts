// Writes events as log lines: the event's name is the message, its payload the fields. Never transcript text.
import type { EventName } from "../../domain/events.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Log } from "../../system/log.ts";

/** One line per job or change at `info`; everything that comes once per file is `debug`. */
const LEVELS: Readonly<Partial<Record<EventName, "info" | "warn" | "debug">>> = {
  "job:finished": "info",
  "memory:written": "info",
  "memory:edited": "info",
  "index:written": "info",
  "proposal:refused": "info",
  "run:ended": "info",
  "tool:denied": "warn",
  "transcript:vanished": "warn",
  "watcher:degraded": "warn",
  "warning:raised": "warn",
};

/** Returns the function that stops it. */
export function logEvents({ emitter, log }: { readonly emitter: Emitter; readonly log: Log }): () => void {
  return emitter.onAny((name, payload) => log[LEVELS[name] ?? "debug"](name, { ...payload }));
}
