// Reads one settings file into checked values. Knows nothing of precedence.
import { systemCode } from "../domain/errors.ts";
import { isFields } from "../domain/json.ts";
import { STATE_LIMITS } from "../domain/limits.ts";
import { displayText } from "../domain/printable.ts";
import type { Warning } from "../domain/status.ts";
import type { Files } from "../system/files.ts";
import type { Layer } from "./layer.ts";
import { EMPTY_LAYER, badValue, expandPlainNumber, shown, unusable } from "./layer.ts";
import { nearestOf } from "./nearest.ts";
import { CADENCE_KEYS, TABLE_ENTRY, findProblems, listSettings } from "./schema.ts";
import type { Tree } from "./tree.ts";
import { removeAt, valueAt } from "./tree.ts";

export interface FileLayerInput {
  readonly files: Files;
  readonly file: string;
  /** A file the person named must be there. */
  readonly required: boolean;
  /** Only a managed file may lock keys. */
  readonly mayLock: boolean;
}

/** Throws an AppError (exit 3) naming file, key, value and allowed range. */
export function readFileLayer({ files, file, required, mayLock }: FileLayerInput): Layer {
  const text = readText(files, file);
  if (text === undefined) {
    if (!required) return EMPTY_LAYER;
    throw unusable(
      "config-missing",
      `${displayText(file)} does not exist`,
      "name a file that does, or leave --config out",
    );
  }
  const { locked, values } = splitLocked(parseText(text, file), { file, mayLock });
  return { ...checkValues(values, file), locked };
}

function readText(files: Files, file: string): string | undefined {
  try {
    return files
      .read(file, STATE_LIMITS.configBytesMax)
      ?.toString("utf8")
      .replace(/^\uFEFF/u, "");
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    const why =
      code === "too-large"
        ? `is larger than ${STATE_LIMITS.configBytesMax} bytes`
        : `cannot be read (${code})`;
    throw unusable(
      "config-unreadable",
      `${displayText(file)} ${why}`,
      "mend the file or its permissions",
      error,
    );
  }
}

function parseText(text: string, file: string): Tree {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the file, which may hold a key.
    const where = placeOf(error, text);
    throw unusable("config-not-json", `${displayText(file)} is not valid JSON${where}`, "mend that line");
  }
  if (isFields(parsed)) return parsed;
  throw unusable("config-not-json", `${displayText(file)} holds no JSON object`, "wrap the settings in { }");
}

function placeOf(error: unknown, text: string): string {
  const position = error instanceof Error ? /position (\d+)/u.exec(error.message)?.[1] : undefined;
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split("\n");
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function splitLocked(
  tree: Tree,
  { file, mayLock }: { readonly file: string; readonly mayLock: boolean },
): { readonly values: Tree; readonly locked: readonly string[] } {
  if (!mayLock) return { values: tree, locked: [] };
  const { locked = [], ...values } = tree;
  const keys = new Set(
    listSettings().flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join("."))),
  );
  if (Array.isArray(locked) && locked.every((key) => typeof key === "string" && keys.has(key))) {
    return { values, locked };
  }
  throw unusable(
    "config-bad-value",
    `${displayText(file)}: locked is not usable`,
    "give a list of known keys",
  );
}

/** Judges one layer's values; unknown keys become warnings, anything else is fatal. */
function checkValues(raw: Tree, file: string): Omit<Layer, "locked"> {
  const values = CADENCE_KEYS.reduce<Tree>(expandPlainNumber, raw);
  const { unknown, bad } = findProblems(values);
  const [first] = bad;
  if (first !== undefined) {
    const more = bad.length > 1 ? ` (and ${bad.length - 1} more)` : "";
    throw badValue({
      where: displayText(file),
      key: first.path.join("."),
      value: valueAt(values, first.path),
      allowed: first.allowed,
      more,
    });
  }
  return {
    values: unknown.reduce<Tree>(removeAt, values),
    warnings: unknown.map((path) => unknownKey(path, file)),
  };
}

function unknownKey(path: readonly PropertyKey[], file: string): Warning {
  const settings = listSettings();
  const tables = settings.filter(({ isTable }) => isTable).map((setting) => setting.path.join("."));
  const names = path.map(String);
  const asked = names.map((name, at) => (tables.includes(names.slice(0, at).join(".")) ? TABLE_ENTRY : name));
  const known = settings.flatMap((setting) =>
    setting.path.map((_, at) => setting.path.slice(0, at + 1).join(".")),
  );
  const nearest = nearestOf(asked.join("."), known) ?? "";
  return {
    code: "config-unknown-key",
    message: `${displayText(file)}: unknown key ${shown(names.join("."))}; nearest known key: ${nearest}`,
    fix: `rename it to ${nearest} or remove it`,
  };
}
