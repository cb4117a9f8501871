// The tool `edit`: one place of one memory. Leaves every other character as it is.
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { readArguments } from "./arguments.ts";
import { EVIDENCE_SCHEMA, FILE_SCHEMA, objectSchema, textSchema } from "./schemas.ts";
import { answerOf, failure, type Tool } from "./tool.ts";
import { printableText } from "./written-text.ts";

export const editTool: Tool = {
  spec: {
    name: "edit",
    description:
      "Replaces one piece of text in a memory file. The old text must stand exactly once in the description or the body; give enough of it. Read the file first.",
    inputSchema: objectSchema({
      file: FILE_SCHEMA,
      old: textSchema("The text to replace, copied exactly."),
      new: textSchema("The text that takes its place; empty removes it."),
      evidence: EVIDENCE_SCHEMA,
    }),
  },
  writes: true,
  run(input, { stage }) {
    const given = readArguments(input);
    const file = given.text("file", { charsMax: MEMORY_LIMITS.topicBytesMax });
    const old = given.text("old", { charsMax: MEMORY_LIMITS.bodyCharsMax });
    const text = printableText(given.text("new", { charsMax: MEMORY_LIMITS.bodyCharsMax, blank: true }));
    const quotes = given.quotes("evidence");
    const problem = given.problem();
    return problem === undefined ? answerOf(stage.edit({ file, old, text, quotes })) : failure(problem);
  },
};
