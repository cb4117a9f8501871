// Single records out of single picked values; what one says about the turn or the session is parse.ts's matter.
// `...common` stands last on purpose: first, each record costs 8 us instead of 0.3 (measured, V8 of Node 20).
import type { Fields } from "../../../domain/json.ts";
import { fieldsOf } from "../../../domain/json.ts";
import { READ_LIMITS } from "../../../domain/limits.ts";
import type { Injected, RecordCommon, ToolCall, ToolResult } from "../../../domain/records.ts";
import { shortHash } from "../../../system/ids.ts";
import { cutText } from "../../transcripts/json-text.ts";
import { itemsOf, sizedOf, textOf } from "./fields.ts";
import type { Speech } from "./speech.ts";

/** 96 bits: an id is a key in our state and must not clash. */
const DERIVED_ID_CHARS = 24;
const WRITE_TOOLS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const SHELL_TOOLS = new Set(["Bash", "PowerShell"]);

/** Error texts, cut-off answers and lines the client invents are not what the model said. */
export function isModelOutput(fields: Fields, message: Fields): boolean {
  return (
    fields["isApiErrorMessage"] !== true &&
    fields["isAbortedMidStream"] !== true &&
    fields["madeBy"] !== "other" &&
    message["model"] !== "<synthetic>"
  );
}

/** Same time and words, same id, in whatever file the line stands. */
export function derivedId(fields: Fields): string {
  const { timestamp, message, attachment, content, type } = fields;
  const text = JSON.stringify([type, timestamp, message ?? attachment ?? content ?? null]);
  return `q-${shortHash(text, DERIVED_ID_CHARS)}`;
}

export function injected(speech: Extract<Speech, { kind: "injected" }>, common: RecordCommon): Injected {
  const { what, command } = speech;
  return { kind: "injected", what, ...(command === undefined ? {} : { command }), ...common };
}

export function toolCall(block: Fields, common: RecordCommon): ToolCall {
  const tool = textOf(block["name"]) ?? "";
  const { value, head } = sizedOf(block["input"]);
  const input = fieldsOf(value) ?? {};
  const touchedPath = WRITE_TOOLS.has(tool)
    ? textOf(input["file_path"] ?? input["notebook_path"])
    : undefined;
  const command = SHELL_TOOLS.has(tool) ? textOf(input["command"]) : undefined;
  return {
    kind: "tool-call",
    tool,
    callId: textOf(block["id"]) ?? "",
    ...(touchedPath === undefined ? {} : { touchedPath }),
    ...(command === undefined ? {} : { command }),
    preview: head,
    ...common,
  };
}

export function toolResult(block: Fields, common: RecordCommon): ToolResult {
  const { value, bytes } = sizedOf(block["content"]);
  const texts = itemsOf(value).map((item) => textOf(item["text"]) ?? "");
  const preview = typeof value === "string" ? value : texts.filter((text) => text !== "").join("\n");
  return {
    kind: "tool-result",
    callId: textOf(block["tool_use_id"]) ?? "",
    ok: block["is_error"] !== true,
    preview: cutText(preview, READ_LIMITS.toolPreviewChars),
    bytes,
    ...common,
  };
}
