// What one layer of settings is once read, and how it refuses what cannot be used.
import { AppError, EXIT } from "../domain/errors.ts";
import { displayText } from "../domain/printable.ts";
import type { Warning } from "../domain/status.ts";
import { CADENCE_KEYS } from "./schema.ts";
import type { Tree } from "./tree.ts";
import { valueAt, withValueAt } from "./tree.ts";

/** Checked values of one layer; keys nobody knows are gone. */
export interface Layer {
  readonly values: Tree;
  /** Keys a managed file does not let others set. */
  readonly locked: readonly string[];
  readonly warnings: readonly Warning[];
}

export const EMPTY_LAYER: Layer = { values: {}, locked: [], warnings: [] };

/** A plain number for a pair of cadences sets both; any other key stays as it is. */
export function expandPlainNumber(values: Tree, key: string): Tree {
  const path = key.split(".");
  const value = valueAt(values, path);
  if (typeof value !== "number" || !CADENCE_KEYS.some((cadence) => cadence === key)) return values;
  return withValueAt(values, { path, value: { offline: value, model: value } });
}

export interface BadValue {
  readonly where: string;
  readonly key: string;
  readonly value: unknown;
  readonly allowed: string;
  readonly more?: string;
}

/** Names place, key, value and allowed range; hides a value that may be a secret. */
export function badValue({ where, key, value, allowed, more = "" }: BadValue): AppError {
  const told = mayHoldSecret(key) ? "has a bad value (not shown)" : `is ${shown(value)}`;
  return unusable(
    "config-bad-value",
    `${where}: ${displayText(key)} ${told}${more}`,
    `allowed is ${allowed}`,
  );
}

/** Values of these keys may be a secret put in the wrong place. */
const HIDDEN_KEY = /api_?key|token_?(?:file|command)|base_?url/iu;

/** Whether the value of a key (or a variable) is never shown. */
export function mayHoldSecret(key: string): boolean {
  return HIDDEN_KEY.test(key);
}

const SHOWN_CHARS_MAX = 60;

/** A value in few printable characters. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = displayText(JSON.stringify(value) ?? "nothing");
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}...` : text;
}

/** A configuration nobody should run with. */
export function unusable(code: string, message: string, fix: string, cause?: unknown): AppError {
  return new AppError({ code, message, fix, disposition: "stop", exitCode: EXIT.config, cause });
}
