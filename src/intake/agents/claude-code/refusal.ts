// What the person typed when they refused a tool call. The client hides it in the call's result; any tool could print
// the same words, so the client's own mark on the record decides, never the text alone.
import type { Fields } from "../../../domain/json.ts";
import { fieldsOf } from "../../../domain/json.ts";
import { READ_LIMITS } from "../../../domain/limits.ts";
import type { ToolResult } from "../../../domain/records.ts";
import { textOf } from "./fields.ts";

const OPENING = "The user doesn't want to proceed with this tool use.";
const SAID = "the user said:\n";
/** What the client writes after the reason, and in the place of one. */
const CLIENT_NOTE = /\n\nNote: The user's next message [^]*$/u;
const CLIENT_REASON = /^The user wants to clarify these questions\./u;

/** The person's words; undefined where they gave none, or where somebody else refused. */
export function refusalReason(record: Fields, { ok, preview }: ToolResult): string | undefined {
  if (ok || !byPerson(record) || !preview.startsWith(OPENING)) return undefined;
  // Cut off in the middle, a reason can say the opposite.
  if (preview.length >= READ_LIMITS.toolPreviewChars) return undefined;
  const at = preview.indexOf(SAID);
  if (at === -1) return undefined;
  const reason = preview
    .slice(at + SAID.length)
    .replace(CLIENT_NOTE, "")
    .trim();
  return reason === "" || CLIENT_REASON.test(reason) ? undefined : reason;
}

/** Settings and hooks refuse as well; older versions mark nothing, and are not believed. */
function byPerson(record: Fields): boolean {
  const source = textOf(fieldsOf(record["permissionDecision"])?.["source"]);
  return record["toolDenialKind"] === "user-rejected" && source !== "config" && source !== "hook";
}
