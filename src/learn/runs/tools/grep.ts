// The tool `grep`: finds a literal text in the memories. Searches what is shown, never what is masked, and knows no
// patterns: a hostile one costs as much as any other word.
import { RUN_LIMITS } from "../../../domain/limits.ts";
import type { RenderedMemory } from "../rendering.ts";
import { readArguments } from "./arguments.ts";
import { objectSchema, textSchema } from "./schemas.ts";
import { failure, success, type Tool } from "./tool.ts";

/** Characters of a found line; all `grepLinesMax` lines then fit into one answer. */
const LINE_CHARS_MAX = 180;
/** Characters shown before the found text in a line that is too long. */
const LEAD_CHARS = 60;

export const grepTool: Tool = {
  spec: {
    name: "grep",
    description:
      "Finds the lines of all memory files that contain a text. The text is taken literally, not as a regular expression; upper and lower case are the same. Names, descriptions and bodies are searched. Use it to see whether something is known already.",
    inputSchema: objectSchema({ pattern: textSchema("The text to look for, part of one line.") }),
  },
  writes: false,
  run(input, { stage }) {
    const given = readArguments(input);
    const pattern = given.text("pattern", { charsMax: RUN_LIMITS.patternCharsMax });
    const problem = given.problem();
    if (problem !== undefined) return failure(problem);
    const found = linesWith(folded(pattern), stage.memories());
    if (found.length === 0) return success("no line contains this");
    const shown = found.slice(0, RUN_LIMITS.grepLinesMax);
    const more = found.length > shown.length ? ["[there are more lines; look for a longer text]"] : [];
    return success([...shown, ...more].join("\n"));
  },
};

/** At most one line more than will be shown. */
function linesWith(wanted: string, memories: readonly RenderedMemory[]): readonly string[] {
  const found: string[] = [];
  for (const memory of memories) {
    for (const [place, line] of searchable(memory)) {
      const at = folded(line).indexOf(wanted);
      if (at !== -1) found.push(`${memory.file}, ${place}: ${excerpt(line, at)}`);
      if (found.length > RUN_LIMITS.grepLinesMax) return found;
    }
  }
  return found;
}

function searchable(memory: RenderedMemory): readonly (readonly [string, string])[] {
  const body = memory.body.split("\n").map((line, at) => [`line ${at + 1}`, line] as const);
  return [["name", memory.name], ["description", memory.description], ...body];
}

function excerpt(line: string, at: number): string {
  if (line.length <= LINE_CHARS_MAX) return line;
  const from = Math.max(0, at - LEAD_CHARS);
  const part = line.slice(from, from + LINE_CHARS_MAX);
  return `${from > 0 ? "…" : ""}${part}${from + LINE_CHARS_MAX < line.length ? "…" : ""}`;
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
