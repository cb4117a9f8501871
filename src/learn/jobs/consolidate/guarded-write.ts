// The tools that write, as a dream offers them: it makes no new memory of words it found, that is the extraction's work;
// and a model that puts a word in the place of a text is noticed, whatever else it does.
import type { MemoryChange, Verdict } from "../../../domain/changes.ts";
import { isPlaceholder, leavesOut } from "../../../memory/gate/placeholders.ts";
import { failure, type Tool } from "../../runs/tools/tool.ts";

export interface WriteGuard {
  guarded(tools: readonly Tool[]): readonly Tool[];
  /** A file was to be emptied, and nothing mended it. */
  isSpoilt(refused: readonly Verdict[]): boolean;
}

/** `isMemory`: whether a quote names a memory of the folder. */
export function createWriteGuard(isMemory: (recordId: string) => boolean): WriteGuard {
  const spoilt = new Set<unknown>();
  const guard = (tool: Tool): Tool => ({
    ...tool,
    async run(input, context) {
      const { file, body, evidence } = input;
      const isNew = typeof file === "string" && "why" in context.stage.memoryOf(file);
      if (isNew && !quotesOnly(evidence, isMemory)) {
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
    guarded: (tools) => tools.map((tool) => (tool.spec.name === "write" ? guard(tool) : tool)),
    isSpoilt: (refused) => spoilt.size > 0 || refused.some(({ change }) => empties(change)),
  };
}

function quotesOnly(evidence: unknown, isMemory: (recordId: string) => boolean): boolean {
  // Anything but a list of quotes is refused by the tool itself.
  if (!Array.isArray(evidence)) return true;
  return evidence.every((item: unknown) => {
    const id = typeof item === "object" && item !== null && "recordId" in item ? item.recordId : undefined;
    return typeof id !== "string" || isMemory(id);
  });
}

function empties(change: MemoryChange): boolean {
  return change.op === "update" && isEmptied(change.memory.body);
}

function isEmptied(body: string): boolean {
  return body.trim() === "" || isPlaceholder(body) || leavesOut(body);
}
