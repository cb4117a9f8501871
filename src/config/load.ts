// Puts the layers of settings together: defaults, the user's file, the managed file, the environment.
// Never reads a file inside a repository.
import { isFields } from "../domain/json.ts";
import type { Warning } from "../domain/status.ts";
import type { Files } from "../system/files.ts";
import type { Environment, Paths } from "../system/paths.ts";
import { readEnvironmentLayer } from "./environment-layer.ts";
import { readFileLayer } from "./file-layer.ts";
import type { Layer } from "./layer.ts";
import { refuseDangerousRoots } from "./roots.ts";
import type { Config, Setting } from "./schema.ts";
import { TABLE_ENTRY, completeConfig, listSettings } from "./schema.ts";
import type { Tree } from "./tree.ts";
import { removeAt, valueAt, withValueAt } from "./tree.ts";

export type Origin = "default" | "managed" | "user" | "environment";

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly Warning[];
  /** Which layer each key (`extract.debounceMs.offline`) comes from; a table (`projects`) is one key. */
  readonly origin: ReadonlyMap<string, Origin>;
  /** Keys and groups (`budget`) that only the managed file may set. */
  readonly locked: readonly string[];
}

export interface LoadConfigInput {
  readonly files: Files;
  readonly paths: Pick<Paths, "home" | "configFile" | "managedConfigFile">;
  readonly env: Environment;
  /** Read instead of the user's file; must exist. */
  readonly configFile?: string;
}

/**
 * A later layer wins key by key: user's file, managed file, environment. A key the managed file locks is taken
 * from nowhere else. Throws an AppError with exit 3 for anything that cannot be used.
 */
export function loadConfig({ files, paths, env, configFile }: LoadConfigInput): LoadedConfig {
  const file = configFile ?? paths.configFile;
  const managed = readFileLayer({ files, file: paths.managedConfigFile, required: false, mayLock: true });
  const user = unlocked(readFileLayer({ files, file, required: configFile !== undefined, mayLock: false }), {
    managed,
    name: file,
  });
  const environment = unlocked(readEnvironmentLayer(env), { managed, name: "environment" });
  const loaded = merge({ user, managed, environment });
  refuseDangerousRoots(loaded.config, { files, home: paths.home });
  return loaded;
}

interface Lock {
  readonly managed: Layer;
  readonly name: string;
}

/** The layer without the keys the managed file locks, each told as a warning. */
function unlocked(layer: Layer, { managed, name }: Lock): Layer {
  const held = managed.locked.filter((key) => valueAt(layer.values, key.split(".")) !== undefined);
  return {
    ...layer,
    values: held.reduce<Tree>((values, key) => removeAt(values, key.split(".")), layer.values),
    warnings: [...layer.warnings, ...held.map((key) => lockedKey(key, name))],
  };
}

function lockedKey(key: string, name: string): Warning {
  return {
    code: "config-locked-key",
    message: `${name}: ${key} is set by the managed configuration and ignored here`,
    fix: `remove ${key} from ${name}`,
  };
}

interface Layers {
  readonly user: Layer;
  readonly managed: Layer;
  readonly environment: Layer;
}

/** Highest first. */
const PRECEDENCE = ["environment", "managed", "user"] as const;

function merge(layers: Layers): LoadedConfig {
  const origin = new Map<string, Origin>();
  let values: Tree = {};
  for (const setting of listSettings()) {
    const { path } = setting;
    if (path.includes(TABLE_ENTRY)) continue;
    const winner = PRECEDENCE.find((name) => valueAt(layers[name].values, path) !== undefined);
    origin.set(path.join("."), winner ?? "default");
    if (winner !== undefined) values = withValueAt(values, { path, value: winningValue(layers, setting) });
  }
  return {
    config: completeConfig(values),
    warnings: PRECEDENCE.toReversed().flatMap((name) => layers[name].warnings),
    origin,
    locked: layers.managed.locked,
  };
}

/** Tables are joined entry by entry, everything else is replaced as a whole. */
function winningValue(layers: Layers, { path, isTable }: Setting): unknown {
  const found = PRECEDENCE.map((name) => valueAt(layers[name].values, path)).filter(
    (value) => value !== undefined,
  );
  if (!isTable) return found[0];
  return Object.fromEntries(
    found.toReversed().flatMap((table) => (isFields(table) ? Object.entries(table) : [])),
  );
}
