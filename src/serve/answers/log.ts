// `log`: one bullet of the person's in today's daily log, which the next distillation reads. Never a secret.
import type { LogReply, LogRequest } from "../../domain/daily-log.ts";
import { displayText } from "../../domain/printable.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import { bulletText } from "../../memory/files/daily-log.ts";
import type { LogWriter } from "../../memory/journal/log-writer.ts";
import { toldWords } from "./told-words.ts";

export interface LogDeps {
  readonly places: Pick<Places, "placeOf">;
  readonly writer: Pick<LogWriter, "appendLog">;
  projectAt(path: string): ProjectRef;
}

export async function answerLog(request: LogRequest, deps: LogDeps): Promise<LogReply> {
  const project = deps.projectAt(request.project);
  const told = toldWords(request.text);
  if (told.refused !== undefined) return refused(told.refused);
  const text = bulletText(told.text);
  if (text === "") return refused({ reason: "empty", message: "there is nothing in it that can be written" });
  const { memoryDir } = deps.places.placeOf(project);
  // Told to engramd itself, by no agent: the one whose folder it is may read it back.
  const bullet = { text, by: "user", agent: "claude-code", records: [] } as const;
  const { path, lines, lineNumber } = await deps.writer.appendLog(memoryDir, [bullet]);
  const where = lineNumber === undefined ? path : `${path}:${lineNumber}`;
  const cut =
    text.endsWith("…") && !told.text.trimEnd().endsWith("…") ? ", without its end: it was too long" : "";
  return {
    v: 1,
    outcome: "logged",
    path,
    line: lineNumber ?? null,
    text: lines.at(-1) ?? null,
    reason: null,
    message: displayText(`logged ${where}${cut}`),
  };
}

function refused({ reason, message }: { readonly reason: string; readonly message: string }): LogReply {
  return { v: 1, outcome: "refused", path: null, line: null, text: null, reason, message };
}
