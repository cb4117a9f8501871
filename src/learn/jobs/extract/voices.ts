// Whose words a quote of a model is: the person's only where the person typed them themselves. Pure.
import type { Evidence } from "../../../domain/changes.ts";
import type { SessionRef } from "../../../domain/sessions.ts";
import { isTypedIn } from "../../offline/human-text.ts";
import type { Quote } from "../../runs/stage.ts";
import type { RenderedWindow } from "./window.ts";

/** Whose words a quote is; undefined for a record that was not shown. */
export function evidenceOf(
  { recordId, quote }: Quote,
  { window, session }: { readonly window: RenderedWindow; readonly session: SessionRef },
): Evidence | undefined {
  const shown = window.shown.get(recordId);
  if (shown === undefined) return undefined;
  // A paste in a typed message is somebody else's text, as a tool's result is.
  const by = shown.by === "user" && !isTypedIn(shown.text, quote) ? "tool" : shown.by;
  return { session, recordId, by, quote, at: shown.at };
}
