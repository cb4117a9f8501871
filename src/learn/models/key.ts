// Finds the key of a model provider: from a command, else a file, else a variable. Read anew each time, never
// logged, never part of a message. Whatever was read is a secret by value from then on, wherever it turns up.
import { AppError, systemCode } from "../../domain/errors.ts";
import { MODEL_LIMITS } from "../../domain/limits.ts";
import { noteOwnValue } from "../../memory/secrets/own-values.ts";
import type { RunCommand } from "../../system/command.ts";
import type { Files } from "../../system/files.ts";
import { readAll } from "../../system/files.ts";
import { expandHome } from "../../system/paths.ts";
import { modelFailure } from "./failure.ts";

export interface FoundKey {
  readonly value: string;
  readonly from: "command" | "file" | "variable";
}

export interface KeySource {
  /**
   * The key as it is now; undefined when no source has one. The first source that is configured decides: one that
   * fails is an error (`model-key-unsafe`, `model-key-unreadable`), never a reason to try the next.
   */
  read(signal: AbortSignal): Promise<FoundKey | undefined>;
}

export interface KeySettings {
  readonly apiKeyEnv: string;
  readonly apiKeyFile: string | null;
  readonly apiKeyCommand: string | null;
}

export interface KeySourceOptions extends KeySettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly files: Pick<Files, "openRead">;
  readonly run: RunCommand;
  /** The user we run as; undefined where the system knows none. */
  readonly uid: number | undefined;
}

const SHELL = "/bin/sh";
/** Rights of anybody but the owner. */
const OTHERS = 0o077;
/** Printable ASCII without blanks: what a header can carry. */
const KEY = /^[\x21-\x7e]+$/;

/** Knows a key in a variable or file as a secret at once, whether it is ever used or not; runs nothing. */
export function createKeySource(options: KeySourceOptions): KeySource {
  const { apiKeyEnv, apiKeyFile, apiKeyCommand, env } = options;
  noteOwnValue(env[apiKeyEnv]?.trim() ?? "");
  if (apiKeyFile !== null) noteFile(apiKeyFile, options);
  return {
    async read(signal) {
      const found = await find();
      if (found === undefined) return undefined;
      const value = found.value.trim();
      // Masked from here on, also when it is refused: a torn key is still a secret.
      noteOwnValue(value);
      if (value === "" && found.from === "variable") return undefined;
      if (!KEY.test(value)) throw unreadable(found.from, value === "" ? "is empty" : "is not one word");
      return { value, from: found.from };

      async function find(): Promise<FoundKey | undefined> {
        if (apiKeyCommand !== null) {
          return { value: await fromCommand(apiKeyCommand, options, signal), from: "command" };
        }
        if (apiKeyFile !== null) return { value: fromFile(apiKeyFile, options), from: "file" };
        const value = env[apiKeyEnv];
        return value === undefined ? undefined : { value, from: "variable" };
      }
    },
  };
}

function noteFile(path: string, options: KeySourceOptions): void {
  try {
    noteOwnValue(fromFile(path, options).trim());
  } catch {
    // Whoever needs the key is told what is wrong with its file.
  }
}

async function fromCommand(
  command: string,
  { run, env }: KeySourceOptions,
  signal: AbortSignal,
): Promise<string> {
  const { keyCommandMs: timeMs, keyBytesMax: outputBytesMax } = MODEL_LIMITS;
  const { how, code, stdout } = await run(
    { file: SHELL, args: ["-c", command], env, timeMs, outputBytesMax, diesWithUs: true },
    signal,
  );
  if (how === "time") throw unreadable("command", `did not end within ${timeMs / 1_000} s`);
  if (how === "output") throw unreadable("command", `printed more than ${outputBytesMax} bytes`);
  if (code !== 0) throw unreadable("command", `ended with ${code === null ? "a signal" : `code ${code}`}`);
  return stdout.toString("utf8");
}

/** What is open is what is checked: a path could lead elsewhere a moment later. */
function fromFile(path: string, { files, home, uid }: KeySourceOptions): string {
  try {
    const handle = files.openRead(expandHome(path, home) ?? path);
    try {
      const { kind, mode, uid: owner } = handle.facts();
      if (kind !== "file") throw unsafe(`${path} is no regular file`);
      if (uid !== undefined && owner !== uid)
        throw unsafe(`${path} belongs to user ${owner}, not to you (${uid})`);
      if ((mode & OTHERS) !== 0) throw unsafe(`${path} has mode ${mode.toString(8)}: others may use it`);
      return readAll(handle, { path, maxBytes: MODEL_LIMITS.keyBytesMax }).toString("utf8");
    } finally {
      handle.close();
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "model-key-unsafe") throw error;
    throw unreadable("file", `${path}: ${systemCode(error) ?? "it is too large"}`);
  }
}

function unsafe(detail: string): AppError {
  return modelFailure("model-key-unsafe", { detail });
}

const SETTINGS = { command: "apiKeyCommand", file: "apiKeyFile", variable: "apiKeyEnv" } as const;

function unreadable(from: FoundKey["from"], detail: string): AppError {
  return modelFailure("model-key-unreadable", { detail: `${SETTINGS[from]} ${detail}` });
}

/** Where the key would come from, by the settings alone: nothing is read or run. Undefined: nowhere. */
export function placeOfKey(
  { apiKeyEnv, apiKeyFile, apiKeyCommand }: KeySettings,
  env: KeySourceOptions["env"],
): FoundKey["from"] | undefined {
  if (apiKeyCommand !== null) return "command";
  if (apiKeyFile !== null) return "file";
  return (env[apiKeyEnv] ?? "").trim() === "" ? undefined : "variable";
}
