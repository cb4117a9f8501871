// Reads settings from environment variables into checked values. Is handed the environment, never looks for it.
import { parseJson } from "../domain/json.ts";
import type { Warning } from "../domain/status.ts";
import type { Environment } from "../system/paths.ts";
import type { Layer } from "./layer.ts";
import { badValue, expandPlainNumber, shown } from "./layer.ts";
import { nearestOf } from "./nearest.ts";
import type { Setting } from "./schema.ts";
import { CADENCE_KEYS, TABLE_ENTRY, listSettings } from "./schema.ts";
import type { Tree } from "./tree.ts";
import { withValueAt } from "./tree.ts";

/**
 * Settings from `ENGRAMD_<PATH_IN_CAPS>`: the key's names joined by `_`, each capital or dash starting a new word,
 * so `extract.debounceMs.offline` is `ENGRAMD_EXTRACT_DEBOUNCE_MS_OFFLINE`. Lists and tables are given as JSON.
 */
export function readEnvironmentLayer(env: Environment): Layer {
  const settings = new Map(namedSettings().map((setting) => [variableOf(setting.path), setting]));
  const given = (name: string) => name.startsWith(VARIABLE_PREFIX) && (env[name] ?? "") !== "";
  let values: Tree = {};
  for (const [name, setting] of settings) {
    if (!given(name)) continue;
    const value = parseVariable({ name, text: env[name] ?? "", setting });
    values = expandPlainNumber(withValueAt(values, { path: setting.path, value }), setting.path.join("."));
  }
  const unknown = Object.keys(env).filter((name) => given(name) && !settings.has(name));
  return { values, locked: [], warnings: unknown.map((name) => unknownVariable(name, [...settings.keys()])) };
}

const VARIABLE_PREFIX = "ENGRAMD_";

/** Name of the environment variable that sets this key. */
export function variableOf(path: readonly string[]): string {
  const words = path.map((name) =>
    name
      .replace(/([a-z\d])([A-Z])/gu, "$1_$2")
      .replaceAll("-", "_")
      .toUpperCase(),
  );
  return VARIABLE_PREFIX + words.join("_");
}

/** Leaves that can be named, and the pairs a plain number may set; pairs first, so that a half overrides them. */
function namedSettings(): Setting[] {
  const leaves = listSettings().filter(({ path }) => !path.includes(TABLE_ENTRY));
  const pairs = CADENCE_KEYS.flatMap((key) => {
    const half = leaves.find(({ path }) => path.join(".") === `${key}.offline`);
    return half === undefined ? [] : [{ ...half, path: key.split(".") }];
  });
  return [...pairs, ...leaves];
}

interface Variable {
  readonly name: string;
  readonly text: string;
  readonly setting: Setting;
}

function parseVariable({ name, text, setting }: Variable): unknown {
  if (setting.check(text) === undefined) return text;
  const json = parseJson(text);
  // What is no JSON is itself the value, and is judged as such.
  const value = json === undefined ? text : json;
  const allowed = setting.check(value);
  if (allowed !== undefined) throw badValue({ where: "environment", key: name, value: text, allowed });
  return value;
}

function unknownVariable(name: string, known: readonly string[]): Warning {
  const nearest = nearestOf(name, known) ?? "";
  return {
    code: "config-unknown-key",
    message: `environment: unknown variable ${shown(name)}; nearest known one: ${nearest}`,
    fix: `rename it to ${nearest} or unset it`,
  };
}
