// A memory as a model is shown it: masked, printable, bounded. What is shown here is never written back.
import { RUN_LIMITS } from "../../domain/limits.ts";
import type { Memory } from "../../domain/memories.ts";
import type { ModelTurn } from "../../domain/models.ts";
import { displayText } from "../../domain/printable.ts";
import { cutPrivate, holdsPrivate } from "../../memory/secrets/private-words.ts";
import { renderText } from "../../memory/secrets/render.ts";
import { findSecrets, maskSecrets } from "../../memory/secrets/scanner.ts";

export interface RenderedMemory {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly body: string;
}

export interface ShownText {
  readonly text: string;
  /** False when the end was cut off. */
  readonly whole: boolean;
}

export function renderMemory(memory: Memory): RenderedMemory {
  return {
    file: oneLine(memory.file),
    name: oneLine(memory.name ?? ""),
    description: oneLine(memory.description ?? ""),
    type: memory.type ?? "",
    body: renderText(cutPrivate(memory.body)),
  };
}

/** The whole memory as one text: its fields, a blank line, its body. */
export function shownMemory(memory: Memory): ShownText {
  const shown = renderMemory(memory);
  const fields = [
    `file: ${shown.file}`,
    `name: ${shown.name}`,
    `description: ${shown.description}`,
    `type: ${shown.type}`,
    ...(memory.confirmed === undefined ? [] : [`confirmed: ${oneLine(memory.confirmed)}`]),
  ];
  return boundedText(`${fields.join("\n")}\n\n${shown.body}`);
}

/** Whether a reader sees a mask where the file has a value: such a file must not be written from what was shown. */
export function hidesSecret(memory: Memory): boolean {
  const text = `${memory.description ?? ""}\n${memory.body}`;
  return holdsPrivate(text) || findSecrets(text).length > 0;
}

/** Any text on its way to a model: printable, secrets masked, at most `RUN_LIMITS.toolResultCharsMax` characters. */
export function safeText(text: string): string {
  // Cut first, so that a huge text costs little; a secret cut in half here lies beyond the second cut.
  return boundedText(renderText(text.slice(0, 2 * RUN_LIMITS.toolResultCharsMax))).text;
}

/** An answer as it goes back to the model with the next request: what it made up or repeated is masked there too. */
export function safeAnswer(blocks: ModelTurn["blocks"]): ModelTurn["blocks"] {
  return blocks.map((block) => {
    if (block.kind === "text") return { ...block, text: maskSecrets(block.text).text };
    const { input } = block;
    return input === undefined ? block : { ...block, input: safeEntries(input) };
  });
}

function safeEntries(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [maskSecrets(name).text, safeValue(each)]),
  );
}

function safeValue(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value).text;
  if (Array.isArray(value)) return value.map(safeValue);
  return typeof value === "object" && value !== null ? safeEntries(value) : value;
}

const CUT = "\n[cut here: the rest is not shown]";

function boundedText(text: string): ShownText {
  if (text.length <= RUN_LIMITS.toolResultCharsMax) return { text, whole: true };
  const kept = text.slice(0, RUN_LIMITS.toolResultCharsMax - CUT.length);
  // Half a character at the cut would be no valid text.
  return { text: `${kept.replace(/[\ud800-\udbff]$/u, "")}${CUT}`, whole: false };
}

function oneLine(text: string): string {
  return renderText(displayText(cutPrivate(text)));
}
