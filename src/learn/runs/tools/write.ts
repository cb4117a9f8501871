// The tool `write`: one memory, new or whole anew, as fields. The host makes the file; nothing here knows a path.
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { MEMORY_TYPES } from "../../../domain/memories.ts";
import { readArguments } from "./arguments.ts";
import { EVIDENCE_SCHEMA, objectSchema, textSchema } from "./schemas.ts";
import { answerOf, failure, type Tool } from "./tool.ts";
import { printableText } from "./written-text.ts";

export const writeTool: Tool = {
  spec: {
    name: "write",
    description:
      "Saves one memory as a file: a new file, or an existing one whole anew (read it first and keep what still holds). One fact or rule a file. Writing a known file with unchanged text and new evidence notes that it was said again. Writing the same file twice replaces what you wrote before. The index is kept for you.",
    inputSchema: objectSchema({
      file: textSchema(
        "Of a new file: its type, _, and what it is about in Latin letters, digits and _, all in lower case, for example feedback_commit_style.md. Else the name of the file to replace, as it is listed.",
      ),
      name: textSchema("Short name in kebab-case, for example commit-style."),
      description: textSchema("One line that tells a reader whether this memory matters to them."),
      type: {
        type: "string",
        enum: [...MEMORY_TYPES],
        description:
          "Whether it is about the person, how they want work done, the project, or where to look.",
      },
      body: textSchema("The memory in Markdown, without a header."),
      evidence: EVIDENCE_SCHEMA,
    }),
  },
  writes: true,
  run(input, { stage }) {
    const given = readArguments(input);
    const file = given.text("file", { charsMax: MEMORY_LIMITS.topicBytesMax });
    const memory = {
      name: given.text("name", { charsMax: MEMORY_LIMITS.descriptionCharsMax }).trim(),
      description: given.text("description", { charsMax: MEMORY_LIMITS.descriptionCharsMax }).trim(),
      type: given.choice("type", MEMORY_TYPES),
      body: printableText(given.text("body", { charsMax: MEMORY_LIMITS.bodyCharsMax })),
    };
    const quotes = given.quotes("evidence");
    const problem = given.problem();
    return problem === undefined ? answerOf(stage.write({ file, memory, quotes })) : failure(problem);
  },
};
