// The agent's own settings, as far as they speak about memory, in the agent's own precedence. A repository
// may switch memory off; it can never say where memory goes.
import { join } from "node:path";
import { fieldsOf, parseJson } from "../../domain/json.ts";
import { READ_LIMITS, STATE_LIMITS } from "../../domain/limits.ts";
import type { Warning } from "../../domain/status.ts";
import type { Files } from "../../system/files.ts";
import { isTracked } from "./git-index.ts";
import { gitFolderOf } from "./git-root.ts";
import { createProbe } from "./probe.ts";

/** Strongest first. `repository`: the shared project file, or a local one that git tracks. */
export type SettingsSource = "managed" | "local" | "repository" | "user";

export interface ClaudeSettings {
  readonly autoMemoryEnabled: boolean | undefined;
  readonly autoDreamEnabled: boolean | undefined;
  /** The agent works as an assistant and keeps a daily log. */
  readonly assistant: boolean | undefined;
  /** Days the agent keeps transcripts, at least 1. */
  readonly cleanupPeriodDays: number | undefined;
  /** Values of trusted sources, strongest first, as written; not yet checked. */
  readonly autoMemoryDirectories: readonly { readonly value: string; readonly source: SettingsSource }[];
  readonly warnings: readonly Warning[];
}

export interface SettingsPlace {
  readonly claudeHome: string;
  /** Folder whose `.claude` holds project settings; undefined for a path that is not on this machine. */
  readonly root: string | undefined;
  readonly managedFile: string;
}

/** Where an administrator puts settings nobody can override. */
export function managedSettingsFile(platform: NodeJS.Platform): string {
  return platform === "darwin"
    ? "/Library/Application Support/ClaudeCode/managed-settings.json"
    : "/etc/claude-code/managed-settings.json";
}

type Values = Readonly<Record<string, unknown>>;

interface Layer {
  readonly source: SettingsSource;
  readonly file: string;
  readonly values: Values;
}

const LOCAL_FILE = ".claude/settings.local.json";

/** Reads every layer anew; a damaged file is a warning and counts as absent. Never throws for content. */
export function readClaudeSettings(files: Files, place: SettingsPlace): ClaudeSettings {
  const warnings: Warning[] = [];
  const layers = layersOf(files, place).flatMap(({ source, file }) => {
    const values = readLayer(files, { file, warnings });
    return values === undefined ? [] : [{ source, file, values }];
  });
  warnings.push(...layers.flatMap(refusedDirectory));
  const days = firstOf(layers, "cleanupPeriodDays", isNumber);
  return {
    autoMemoryEnabled: firstOf(layers, "autoMemoryEnabled", isBoolean),
    autoDreamEnabled: firstOf(layers, "autoDreamEnabled", isBoolean),
    assistant: firstOf(layers, "assistant", isBoolean),
    cleanupPeriodDays: days === undefined ? undefined : Math.max(1, days),
    autoMemoryDirectories: layers.flatMap(({ source, values }) => {
      const value = values["autoMemoryDirectory"];
      return source === "repository" || typeof value !== "string" ? [] : [{ source, value }];
    }),
    warnings,
  };
}

function layersOf(files: Files, { claudeHome, root, managedFile }: SettingsPlace) {
  const layers: { source: SettingsSource; file: string }[] = [{ source: "managed", file: managedFile }];
  if (root !== undefined) {
    const local = join(root, LOCAL_FILE);
    layers.push({ source: cameWithRepository(files, root) ? "repository" : "local", file: local });
    const shared = join(root, ".claude/settings.json");
    // In the folder that holds the agent's home the shared file is the user's own.
    if (shared !== join(claudeHome, "settings.json")) layers.push({ source: "repository", file: shared });
  }
  layers.push({ source: "user", file: join(claudeHome, "settings.json") });
  return layers;
}

function cameWithRepository(files: Files, root: string): boolean {
  const probe = createProbe(files);
  if (probe.kind(join(root, LOCAL_FILE)) === undefined) return false;
  const gitFolder = gitFolderOf(probe, root);
  return gitFolder !== undefined && isTracked({ files, probe }, { gitFolder, path: LOCAL_FILE });
}

function readLayer(
  files: Files,
  { file, warnings }: { file: string; warnings: Warning[] },
): Values | undefined {
  const probe = createProbe(files);
  if (probe.kind(file) === undefined) return undefined;
  const text = probe.text(file, STATE_LIMITS.settingsBytesMax);
  const values = text === undefined ? undefined : parseSettings(text);
  if (values === undefined) {
    warnings.push({
      code: "settings_unreadable",
      message: `${file} is not readable as settings and was ignored`,
      fix: `mend the JSON in ${file}`,
    });
  }
  return values;
}

/** A JSON object, or undefined. The parser's own message quotes the file, so it goes no further. */
function parseSettings(text: string): Values | undefined {
  if (isTooDeep(text)) return undefined;
  return fieldsOf(parseJson(text));
}

/** Deep nesting costs the parser seconds, so it is counted first; brackets inside strings do not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString && char === "\\") at++;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === "[" || char === "{")) depth++;
    else if (!inString && (char === "]" || char === "}")) depth--;
    if (depth > READ_LIMITS.jsonDepthMax) return true;
  }
  return false;
}

function firstOf<T>(
  layers: readonly Layer[],
  key: string,
  fits: (value: unknown) => value is T,
): T | undefined {
  return layers.map(({ values }) => values[key]).find(fits);
}

function refusedDirectory({ source, file, values }: Layer): Warning[] {
  if (source !== "repository" || values["autoMemoryDirectory"] === undefined) return [];
  return [
    {
      code: "repository_memory_directory",
      message: `${file} belongs to the repository and asks for another memory folder; it was not followed`,
      fix: "if you want it, put autoMemoryDirectory into an untracked .claude/settings.local.json or your user settings",
    },
  ];
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
