// What engramd said itself, coming back through an agent's tools: memory files that were read, and the output of our own
// command. Memory that proves itself would grow stronger by being looked at. Looks at calls only; changes no typed word.
import type { ToolCall, TranscriptRecord } from "../../../domain/records.ts";
import type { MemoryPlace } from "./agent-writes.ts";

/** `engramd status`, `npx engramd search x`, `node /opt/engramd/dist/main.js list`. */
const OWN_COMMAND =
  /(?:^|[;&|(]\s*|\b(?:npx|sudo|exec|time|watch)\s+|\/)engramd(?:\s|$)|\bengramd\/dist\/main\.js\b/u;
/** Tools of our own server, as agents spell them. */
const OWN_TOOL = /^mcp__engramd(?:__|$)|^engramd[._-]/iu;
/** A memory folder as Claude Code lays it out, whoever's project it is. */
const MEMORY_FOLDER = /\/projects\/[^/\s"']{1,255}\/memory(?:\/|["'\s]|$)|\bMEMORY\.md\b/u;

/** The records, with nothing left of calls that read memory or asked engramd, nor of their results. */
export function withoutEchoes(
  records: readonly TranscriptRecord[],
  place: MemoryPlace,
): readonly TranscriptRecord[] {
  const echoes = new Set<string>();
  for (const record of records) {
    if (record.kind === "tool-call" && isEcho(record, place)) echoes.add(record.callId);
  }
  if (echoes.size === 0) return records;
  return records.map((record) =>
    (record.kind === "tool-call" || record.kind === "tool-result") && echoes.has(record.callId)
      ? { ...record, preview: "" }
      : record,
  );
}

function isEcho({ tool, command, preview, touchedPath }: ToolCall, { folders, home }: MemoryPlace): boolean {
  if (OWN_TOOL.test(tool) || (command !== undefined && OWN_COMMAND.test(command))) return true;
  const asked = `${preview}\n${command ?? ""}\n${touchedPath ?? ""}`;
  return (
    MEMORY_FOLDER.test(asked) ||
    folders.some((folder) => asked.includes(folder) || asked.includes(folder.replace(home, "~")))
  );
}
