// One line per run in `runs/YYYY-MM.jsonl`: what ran, why, what it cost and changed. Never holds text of people.
import { join } from "node:path";
import type { ConsolidationSize } from "../../domain/consolidation.ts";
import { fieldsOf, parseJson } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Files } from "../../system/files.ts";

/** What a run cost; all zero for one by rules. */
export interface RunCost {
  readonly requests: number;
  /** Cache reads and writes included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** 0 for a server of one's own and on a plan; assumed high where the model's price is not known. */
  readonly usd: number;
  /** Paid for by a subscription. */
  readonly plan?: true;
  /** All that was asked was about words of programs. */
  readonly scripts?: true;
}

export interface RunEntry extends RunCost {
  readonly v: 1;
  readonly id: string;
  readonly kind: string;
  readonly trigger: string;
  /** ISO time the run ended. */
  readonly at: string;
  readonly project: string;
  readonly memoryDir: string;
  readonly outcome: string;
  readonly files: readonly string[];
  /** What it left for a person to decide or for a second sighting. Absent: nothing, or a run of before. */
  readonly candidates?: number;
  /** Of these, what the gate refused: it taught nothing. Absent: none, or a run of before. */
  readonly quarantined?: number;
  /** Records a proposal was refused for, and the rule that refused it. Absent: none, or a run of before. */
  readonly refused?: readonly RefusedRecord[];
  /** How large the memory folder was; of dreams and distillations. */
  readonly before?: ConsolidationSize;
  readonly after?: ConsolidationSize;
  /** Why one of them failed: a code. */
  readonly reason?: string;
}

export interface RefusedRecord {
  readonly record: string;
  readonly reason: string;
}

export interface Ledger {
  record(entry: RunEntry): void;
  /** Entries of the month `now` lies in, oldest first; lines that cannot be read are left out. */
  month(now: Instant): RunEntry[];
  /** Entries that ended then or later, also in months before this one; oldest first. */
  since(from: Instant): RunEntry[];
  /** Gives files other names in the lines of runs that are meant; answers how many changed. Torn lines go. */
  rename(ask: RenameAsk): number;
}

export interface RenameAsk {
  isMeant(entry: RunEntry): boolean;
  nameOf(file: string): string;
}

const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/;

export function createLedger({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): Ledger {
  const folder = join(stateDir, "runs");
  const pathAt = (iso: string) => join(folder, `${iso.slice(0, 7)}.jsonl`);
  const months = () => (files.names(folder) ?? []).filter((name) => MONTH_FILE.test(name)).toSorted();
  const read = (path: string) =>
    (files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString("utf8") ?? "")
      .split("\n")
      .flatMap(parseEntry);
  return {
    record(entry) {
      files.ensureFolder(folder);
      files.append(pathAt(entry.at), `${JSON.stringify(entry)}\n`);
    },
    month: (now) => read(pathAt(new Date(now).toISOString())),
    since(from) {
      const at = new Date(from).toISOString();
      return months()
        .filter((name) => name >= `${at.slice(0, 7)}.jsonl`)
        .flatMap((name) => read(join(folder, name)))
        .filter((entry) => entry.at >= at);
    },
    rename(ask) {
      return months().reduce((sum, name) => sum + renameIn(files, join(folder, name), ask), 0);
    },
  };
}

function renameIn(files: Files, path: string, { isMeant, nameOf }: RenameAsk): number {
  const text = files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString("utf8") ?? "";
  let changed = 0;
  const lines = text.split("\n").flatMap((line) =>
    parseEntry(line).map((entry) => {
      const renamed = entry.files.map(nameOf);
      if (!isMeant(entry) || renamed.every((file, at) => file === entry.files[at])) return `${line}\n`;
      changed += 1;
      return `${JSON.stringify({ ...entry, files: renamed })}\n`;
    }),
  );
  const next = lines.join("");
  if (next !== text) files.replace(path, next);
  return changed;
}

/** A torn or foreign line is skipped: the ledger informs, it decides nothing about memory. */
function parseEntry(line: string): RunEntry[] {
  if (line === "") return [];
  const value = parseJson(line);
  return isEntry(value) ? [value] : [];
}

const TEXTS = ["id", "kind", "trigger", "project", "memoryDir", "outcome"] as const;

/** One line with a field of another kind would end whatever reads them all, and with it every start. */
function isEntry(value: unknown): value is RunEntry {
  const entry = fieldsOf(value);
  if (entry?.["v"] !== 1) return false;
  const { files, refused = [], candidates = 0, quarantined = 0 } = entry;
  return (
    hasCost(entry) &&
    TEXTS.every((name) => typeof entry[name] === "string") &&
    Array.isArray(files) &&
    files.every((file) => typeof file === "string") &&
    [candidates, quarantined].every(isFigure) &&
    Array.isArray(refused) &&
    refused.every(isRefused)
  );
}

function isRefused(value: unknown): value is RefusedRecord {
  const { record, reason } = fieldsOf(value) ?? {};
  return typeof record === "string" && typeof reason === "string";
}

/** As our own times are written: they are compared as text. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;
/** Far above what a month of runs can cost, and safe to sum. */
const FIGURE_MAX = 1e12;

/** Whether a time and what was spent can be read and summed: a figure that is none opens or closes every ceiling. */
export function hasCost(entry: Readonly<Record<string, unknown>>): boolean {
  const { at, requests, inputTokens, outputTokens, usd } = entry;
  const isTime = typeof at === "string" && TIME.test(at) && !Number.isNaN(Date.parse(at));
  return isTime && [requests, inputTokens, outputTokens, usd].every(isFigure);
}

function isFigure(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= FIGURE_MAX;
}
