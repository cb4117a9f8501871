// What is in force and why: each setting with its value, the layer that won, its range and its lock. Never gives out
// a value that may be a secret.
import type { Environment, Paths } from "../system/paths.ts";
import { variableOf } from "./environment-layer.ts";
import { mayHoldSecret } from "./layer.ts";
import type { LoadedConfig, Origin } from "./load.ts";
import { closeTo } from "./nearest.ts";
import type { Setting } from "./schema.ts";
import { TABLE_ENTRY, listSettings } from "./schema.ts";
import type { Tree } from "./tree.ts";
import { valueAt, withValueAt } from "./tree.ts";

export interface ExplainedSetting {
  /** `extract.debounceMs.offline`; `projects.<path>.mode` stands for every entry of a table. */
  readonly key: string;
  /** Null as well for the entries of a table: the table's own value has them. */
  readonly value: unknown;
  /** A value is set and not given out. */
  readonly hidden: boolean;
  readonly layer: Origin;
  /** The file or the variable it comes from; null for a default. */
  readonly source: string | null;
  readonly sentence: string;
  readonly allowed: string;
  readonly default: unknown;
  /** Only the managed file may set it. */
  readonly locked: boolean;
  /** The variable that sets it; null where none can. */
  readonly variable: string | null;
}

export interface ExplainInput {
  readonly loaded: LoadedConfig;
  readonly env: Environment;
  /** `configFile` is the one that was read. */
  readonly paths: Pick<Paths, "configFile" | "managedConfigFile">;
  /** Masks secrets inside a text. */
  readonly mask: (text: string) => string;
}

/** Stands where a value is set and not given out. */
const NOT_SHOWN = "(set, not shown)";

export interface Explanation {
  /** Every setting in the order of the schema. */
  readonly settings: readonly ExplainedSetting[];
  /** The settings a key names: itself, those of a group, or a table with its entries. Empty for an unknown key. */
  at(key: string): readonly ExplainedSetting[];
  /** The known key or group a person most likely meant; undefined where none is near. */
  nearest(key: string): string | undefined;
  /** The settings as `config.json` would hold them. */
  asTree(): Tree;
}

export function explainConfig(input: ExplainInput): Explanation {
  const settings = listSettings().map((setting) => explained(setting, input));
  return {
    settings,
    at: (key) => settingsAt(settings, key),
    nearest: (key) => nearestKey(settings, key),
    asTree: () => treeOf(settings),
  };
}

function settingsAt(settings: readonly ExplainedSetting[], key: string): ExplainedSetting[] {
  const exact = settings.filter((setting) => setting.key === key);
  if (exact.length > 0 && !hasEntries(settings, key)) return exact;
  const inside = settings.filter((setting) => setting.key === key || setting.key.startsWith(`${key}.`));
  if (inside.length > 0) return inside;
  // An entry of a table has a name of the person's own.
  const table = settings.find(
    (setting) => hasEntries(settings, setting.key) && key.startsWith(`${setting.key}.`),
  );
  return table === undefined ? [] : settingsAt(settings, table.key);
}

function nearestKey(settings: readonly ExplainedSetting[], key: string): string | undefined {
  const known = settings.flatMap((setting) =>
    setting.key.split(".").map((_, at, names) => names.slice(0, at + 1).join(".")),
  );
  return closeTo(key, [...new Set(known)]);
}

function treeOf(settings: readonly ExplainedSetting[]): Tree {
  return settings
    .filter(({ key }) => !key.includes(TABLE_ENTRY))
    .reduce<Tree>((tree, { key, value }) => withValueAt(tree, { path: key.split("."), value }), {});
}

function hasEntries(settings: readonly ExplainedSetting[], key: string): boolean {
  return settings.some((setting) => setting.key.startsWith(`${key}.${TABLE_ENTRY}`));
}

function explained(setting: Setting, input: ExplainInput): ExplainedSetting {
  const { path, fallback, sentence } = setting;
  const { loaded, mask } = input;
  const key = path.join(".");
  const isEntry = path.includes(TABLE_ENTRY);
  const value = isEntry ? null : valueAt(loaded.config, path);
  const hidden = mayHoldSecret(key) && value !== null && value !== fallback;
  const layer = loaded.origin.get(key) ?? "default";
  return {
    key,
    value: hidden ? NOT_SHOWN : masked(value, mask),
    hidden,
    layer,
    source: sourceOf(path, { ...input, layer }),
    sentence,
    // What no setting takes is refused with the range.
    allowed: setting.check(undefined) ?? "",
    default: fallback ?? null,
    locked: loaded.locked.some((lock) => key === lock || key.startsWith(`${lock}.`)),
    variable: isEntry ? null : variableOf(path),
  };
}

function sourceOf(
  path: readonly string[],
  { env, paths, layer }: ExplainInput & { readonly layer: Origin },
): string | null {
  if (layer === "user") return paths.configFile;
  if (layer === "managed") return paths.managedConfigFile;
  if (layer === "default") return null;
  // A pair of cadences may be set by one variable.
  const names = [path, path.slice(0, -1)].map(variableOf);
  return names.find((name) => (env[name] ?? "") !== "") ?? null;
}

/** The same value with every text in it masked, names of a table's entries included. */
function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [mask(name), masked(inner, mask)]));
}
