// The tools that write, as a dream offers them: it makes no new memory of words it found, that is the extraction's work;
// and a model that puts a word in the place of a text is noticed, whatever else it does.
import type { MemoryChange, Verdict } from "../../../domain/changes.ts";
import { fieldOf } from "../../../domain/json.ts";
import { isPlaceholder, leavesOut } from "../../../memory/gate/placeholders.ts";
import { failure, type Tool } from "../../runs/tools/tool.ts";

export interface WriteGuard {
  guarded(tools: readonly Tool[]): readonly Tool[];
  /** A file was to be emptied, and nothing mended it. */
  isSpoilt(refused: readonly Verdict[]): boolean;
  /** Files of writes and edits that came to nothing, and what these quote: what belongs to them is half a change. */
  failed(): readonly string[];
}

/** `isMemory`: whether a quote names a memory of the folder. */
export function createWriteGuard(isMemory: (recordId: string) => boolean): WriteGuard {
  const spoilt = new Set<unknown>();
  const failed = new Map<string, readonly string[]>();
  const counted = (tool: Tool): Tool => ({
    ...tool,
    async run(input, context) {
      const answer = await tool.run(input, context);
      const { file } = input;
      if (typeof file !== "string") return answer;
      const quoted = quotedIn(input["evidence"]);
      if (answer.isError) failed.set(file, quoted);
      else mend(failed, { file, quoted });
      return answer;
    },
  });
  const guard = (tool: Tool): Tool => ({
    ...tool,
    async run(input, context) {
      const { file, body, evidence } = input;
      const isNew = typeof file === "string" && "why" in context.stage.memoryOf(file);
      if (isNew && !quotedIn(evidence).every(isMemory)) {
        return failure(
          "a new file only takes the place of memories; quote those it is made of, and nothing else",
        );
      }
      if (typeof body === "string" && isEmptied(body)) spoilt.add(file);
      const answer = await tool.run(input, context);
      if (!answer.isError) spoilt.delete(file);
      return answer;
    },
  });
  return {
    guarded: (tools) =>
      tools.map((tool) => {
        if (tool.spec.name === "write") return counted(guard(tool));
        return tool.spec.name === "edit" ? counted(tool) : tool;
      }),
    failed: () => [...failed].flatMap(([file, quoted]) => [file, ...quoted]),
    isSpoilt: (refused) => spoilt.size > 0 || refused.some(({ change }) => empties(change)),
  };
}

interface Written {
  readonly file: string;
  readonly quoted: readonly string[];
}

/** A write mends those of the same file, and those whose sources it takes in under another name. */
function mend(failed: Map<string, readonly string[]>, { file, quoted }: Written): void {
  for (const [other, sources] of failed) {
    const isTakenIn = sources.length > 0 && sources.every((source) => quoted.includes(source));
    if (other === file || isTakenIn) failed.delete(other);
  }
}

/** Anything but a list of quotes is refused by the tool itself. */
function quotedIn(evidence: unknown): readonly string[] {
  if (!Array.isArray(evidence)) return [];
  return evidence.flatMap((item: unknown) => {
    const id = fieldOf(item, "recordId");
    return typeof id === "string" ? [id] : [];
  });
}

function empties(change: MemoryChange): boolean {
  return change.op === "update" && isEmptied(change.memory.body);
}

function isEmptied(body: string): boolean {
  return body.trim() === "" || isPlaceholder(body) || leavesOut(body);
}
