// Which providers are closed, across restarts. The only writer of `provider.json`; holds no key, only a keyed hash that
// tells whether it is still the same one.
import { fieldsOf } from "../../domain/json.ts";
import { messageOf, systemCode } from "../../domain/errors.ts";
import { MODEL_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Files } from "../../system/files.ts";
import { parseArguments } from "./arguments.ts";
import type { ModelFailureCode } from "./failure.ts";
import { isFailureCode } from "./failure.ts";
import type { FoundKey } from "./key.ts";

/** A closed provider as it is on disk. */
export interface KeptClosing {
  /** Provider and host. */
  readonly target: string;
  readonly code: ModelFailureCode;
  readonly message: string;
  readonly since: Instant;
  readonly until: Instant;
  /** Requests that failed since then. */
  readonly tries: number;
  /** Fingerprint of the key they were sent with. */
  readonly key: string | undefined;
  readonly keyFrom: FoundKey["from"] | undefined;
}

export interface GateFile {
  /** What fingerprints are made with; undefined: none was made yet. */
  readonly salt: string | undefined;
  readonly closed: readonly KeptClosing[];
}

export interface GateFileDeps {
  readonly files: Pick<Files, "read" | "replace">;
  /** `provider.json` in the state folder, which must exist before anything is saved. */
  readonly path: string;
  readonly emitter: Emitter;
}

const NOTHING: GateFile = { salt: undefined, closed: [] };
const FILE_BYTES_MAX = 256 * 1024;
/** Providers and hosts of one person. */
export const TARGETS_MAX = 64;
const TEXT_CHARS_MAX = 500;
const FROM: ReadonlySet<unknown> = new Set(["command", "file", "variable"] satisfies FoundKey["from"][]);

/** A disk that cannot be written costs one request after a restart. */
export function saveGate({ files, path, emitter }: GateFileDeps, { salt, closed }: GateFile): void {
  try {
    files.replace(path, `${JSON.stringify({ v: 1, salt, closed: closed.slice(-TARGETS_MAX) })}\n`);
  } catch (error) {
    emitter.emit("warning:raised", { code: "provider-not-saved", message: messageOf(error) });
  }
}

/** Missing, damaged, or written under a clock ahead of ours: as if nothing had been closed. */
export function loadGate({ files, path }: GateFileDeps, now: Instant): GateFile {
  try {
    const text = files.read(path, FILE_BYTES_MAX)?.toString("utf8");
    const known = text === undefined ? undefined : parseArguments(text);
    if (known?.["v"] !== 1) return NOTHING;
    const { salt, closed } = known;
    const rows = Array.isArray(closed)
      ? closed.slice(-TARGETS_MAX).flatMap((row) => closingOf(row, now))
      : [];
    return { salt: typeof salt === "string" && salt !== "" ? salt : undefined, closed: rows };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return NOTHING;
  }
}

function closingOf(value: unknown, now: Instant): KeptClosing[] {
  const { target, code, message, since, until, tries, key, keyFrom } = fieldsOf(value) ?? {};
  if (!isText(target) || !isText(message) || typeof code !== "string" || !isFailureCode(code)) return [];
  if (typeof since !== "number" || typeof until !== "number" || typeof tries !== "number") return [];
  if (since > now || until > now + MODEL_LIMITS.planLimitMsMax || !Number.isInteger(tries) || tries < 1)
    return [];
  return [
    {
      target,
      code,
      message,
      since,
      until,
      tries,
      key: isText(key) ? key : undefined,
      keyFrom: isSource(keyFrom) ? keyFrom : undefined,
    },
  ];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_CHARS_MAX;
}

function isSource(value: unknown): value is FoundKey["from"] {
  return FROM.has(value);
}
