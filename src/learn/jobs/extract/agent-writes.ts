// Whether the agent itself wrote memory in a stretch of its own transcript. Looks at records only.
import { isAbsolute, join, normalize } from "node:path";
import type { ToolCall, TranscriptRecord } from "../../../domain/records.ts";
import { expandHome, isInside } from "../../../system/paths.ts";

export interface MemoryPlace {
  /** Every spelling of the memory folder: as configured and its real path. */
  readonly folders: readonly string[];
  readonly home: string;
}

/** Tools that write the file they name (Claude Code's own names). */
const WRITING_TOOLS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
/** A shell command that names the folder counts only with one of these. */
const WRITING_COMMAND = /(?:>|\b(?:tee|cp|mv|rm|sed\s+-i|install|rsync|truncate|dd)\b)/;

/**
 * Index just after the last successful memory write, 0 when there is none: the turns up to there are
 * the agent's own doing. A promise without a write, a refused call and a write to `logs/` do not count.
 */
export function afterLastMemoryWrite(records: readonly TranscriptRecord[], place: MemoryPlace): number {
  const succeeded = new Set<string>();
  for (const record of records) {
    if (record.kind === "tool-result" && record.ok) succeeded.add(record.callId);
  }
  const last = records.findLastIndex(
    (record) => record.kind === "tool-call" && succeeded.has(record.callId) && writesMemory(record, place),
  );
  return last + 1;
}

function writesMemory(call: ToolCall, place: MemoryPlace): boolean {
  if (call.touchedPath !== undefined && WRITING_TOOLS.has(call.tool)) {
    const path = absolutePath(call.touchedPath, { cwd: call.cwd, home: place.home });
    return path !== undefined && place.folders.some((folder) => isMemoryPath(path, folder));
  }
  const command = call.command;
  if (command === undefined || !WRITING_COMMAND.test(command)) return false;
  return place.folders.some(
    (folder) => command.includes(`${folder}/`) && !command.includes(`${folder}/logs/`),
  );
}

function isMemoryPath(path: string, folder: string): boolean {
  return path !== folder && isInside(path, folder) && !isInside(path, join(folder, "logs"));
}

function absolutePath(path: string, from: { cwd: string | undefined; home: string }): string | undefined {
  if (isAbsolute(path)) return normalize(path);
  if (path.startsWith("~")) return expandHome(path, from.home);
  return from.cwd !== undefined && isAbsolute(from.cwd) ? normalize(join(from.cwd, path)) : undefined;
}
