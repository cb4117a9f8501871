// What jobs under way may have cost so far, kept in a file: a process that dies over a request has paid for it, and no
// line of the ledger says so. Written before each request, removed when no job runs. Outlives the process, not the machine:
// it is never flushed.
import { join } from "node:path";
import { fieldsOf } from "../../domain/json.ts";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { readJsonLines } from "../../system/json-lines.ts";
import { hasCost, type RunCost } from "./ledger.ts";

export interface OpenCost extends RunCost {
  readonly memoryDir: string;
  /** What kind of job it was; older files do not say. */
  readonly kind?: string;
  /** ISO time it was written. */
  readonly at: string;
}

export interface OpenCosts {
  /** All of them at once. A write that is cut leaves what was kept before. */
  keep(open: readonly OpenCost[]): void;
  /** What a process left that died; it is kept until the next `keep`. */
  left(): OpenCost[];
}

/** A line a request while jobs overlap; only the last one counts. */
const OPEN_BYTES_MAX = 65_536;

export function createOpenCosts({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): OpenCosts {
  const folder = join(stateDir, "runs");
  const path = join(folder, "open.jsonl");
  return {
    keep(open) {
      if (open.length === 0) return files.remove(path);
      files.ensureFolder(folder);
      const line = `${JSON.stringify({ v: 1, open })}\n`;
      const isFull = (files.look(path)?.bytes ?? 0) > OPEN_BYTES_MAX;
      // What is torn of a line was never asked.
      if (isFull) files.replace(path, line);
      else files.append(path, line);
    },
    left() {
      const { values } = readJsonLines(files, { path, maxBytes: STATE_LIMITS.stateFileBytesMax });
      const open = values.map((value) => fieldsOf(value)?.["open"]).findLast(Array.isArray);
      return Array.isArray(open) ? open.filter(isOpenCost) : [];
    },
  };
}

function isOpenCost(value: unknown): value is OpenCost {
  const open = fieldsOf(value);
  if (open === undefined || typeof open["memoryDir"] !== "string" || !hasCost(open)) return false;
  return open["kind"] === undefined || typeof open["kind"] === "string";
}
