// The words of `engramd remember`, as they may be stored: without what stands in <private>, and refused with a secret in
// them. A mask in a memory would say that something is kept which is not.
import type { RefusalCode } from "../../domain/changes.ts";
import { cutPrivate } from "../../memory/secrets/private-words.ts";
import { renderText } from "../../memory/secrets/render.ts";

export type ToldWords =
  | { readonly text: string; readonly refused?: undefined }
  | { readonly refused: { readonly reason: RefusalCode; readonly message: string } };

/** What the rendering leaves where a secret was. */
const MARK = /\[secret:([\w-]+)\]/gu;

export function toldWords(told: string): ToldWords {
  const open = cutPrivate(told, " ");
  const text = renderText(open).trim();
  if (text === "" && told.trim() !== "") {
    return { refused: { reason: "empty", message: "all of it stands in <private>: nothing was kept" } };
  }
  const marks = [...text.matchAll(MARK)];
  if (marks.length === [...open.matchAll(MARK)].length) return { text };
  const message = `this holds what looks like a secret (${marks[0]?.[1] ?? "secret"}); leave the value out`;
  return { refused: { reason: "secret", message } };
}
