// Changes one place of a memory's text. Works on the stored text, so that nothing outside that place moves.
import type { Memory, MemoryDraft } from "../../domain/memories.ts";
import { renderText } from "../../memory/secrets/render.ts";

export type EditAnswer = { readonly memory: MemoryDraft } | { readonly problem: string };

/** Replaces `old`, which must occur exactly once in description and body together. */
export function editMemory(memory: Memory, { old, text }: { old: string; text: string }): EditAnswer {
  const { name, description, type } = memory;
  if (name === undefined || description === undefined || type === undefined) {
    return { problem: "this memory has no complete header; write it whole, with name, description and type" };
  }
  const body = memory.body.replaceAll(/\r\n?/gu, "\n");
  const inBody = countOf(old, body);
  const inDescription = countOf(old, description);
  if (inBody + inDescription > 1) {
    return { problem: "the old text occurs more than once; give more of the words around it" };
  }
  if (inBody + inDescription === 0) return { problem: missing(old, memory) };
  return {
    memory: {
      name,
      type,
      description: inDescription === 0 ? description : replaced(description, { old, text }),
      body: inBody === 0 ? body : replaced(body, { old, text }),
    },
  };
}

function missing(old: string, memory: Memory): string {
  return renderText(`${memory.description ?? ""}\n${memory.body}`).includes(old)
    ? "this piece is stored a little differently from how it is shown; choose another or shorter one"
    : "the old text does not stand in the description or the body; copy it exactly";
}

/** At most 2: more does not matter. */
function countOf(piece: string, text: string): number {
  const first = text.indexOf(piece);
  if (first === -1) return 0;
  return text.indexOf(piece, first + 1) === -1 ? 1 : 2;
}

/** `String.replace` would read `$&` in the new text. */
function replaced(whole: string, { old, text }: { old: string; text: string }): string {
  const at = whole.indexOf(old);
  return whole.slice(0, at) + text + whole.slice(at + old.length);
}
