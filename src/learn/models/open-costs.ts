// What jobs under way may have cost so far, kept on disk: a process that dies over a request has paid for it, and no
// line of the ledger says so. Written before each request, emptied when no job runs.
import { join } from "node:path";
import { STATE_LIMITS } from "../../domain/limits.ts";
import type { Files } from "../../system/files.ts";
import { asObject } from "./arguments.ts";
import { hasCost, type RunCost } from "./ledger.ts";

export interface OpenCost extends RunCost {
  readonly memoryDir: string;
  /** What kind of job it was; older files do not say. */
  readonly kind?: string;
  /** ISO time it was written. */
  readonly at: string;
}

export interface OpenCosts {
  keep(open: readonly OpenCost[]): void;
  /** What a process left that died; it is kept until the next `keep`. */
  left(): OpenCost[];
}

export function createOpenCosts({
  files,
  stateDir,
}: {
  readonly files: Files;
  readonly stateDir: string;
}): OpenCosts {
  const folder = join(stateDir, "runs");
  const path = join(folder, "open.json");
  return {
    keep(open) {
      if (open.length === 0) return files.remove(path);
      files.ensureFolder(folder);
      files.replace(path, `${JSON.stringify({ v: 1, open })}\n`);
    },
    left() {
      const text = files.read(path, STATE_LIMITS.stateFileBytesMax)?.toString("utf8") ?? "";
      return parse(text);
    },
  };
}

/** A damaged file says nothing that could be counted. */
function parse(text: string): OpenCost[] {
  try {
    const value: unknown = JSON.parse(text);
    const open = typeof value === "object" && value !== null && "open" in value ? value.open : undefined;
    return Array.isArray(open) ? open.filter(isOpenCost) : [];
  } catch {
    return [];
  }
}

function isOpenCost(value: unknown): value is OpenCost {
  const open = asObject(value);
  if (open === undefined || typeof open["memoryDir"] !== "string" || !hasCost(open)) return false;
  return open["kind"] === undefined || typeof open["kind"] === "string";
}
