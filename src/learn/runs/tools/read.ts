// The tool `read`: the whole text of one memory of the folder. Never anything outside it.
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { readArguments } from "./arguments.ts";
import { FILE_SCHEMA, objectSchema } from "./schemas.ts";
import { denial, failure, success, type Tool } from "./tool.ts";

export const readTool: Tool = {
  spec: {
    name: "read",
    description:
      "Shows one memory file whole: its header fields, then its text. A file can be written or edited in the answer after the one that reads it. Only memory files of this folder can be read. Ask for several files in one answer rather than one after the other.",
    inputSchema: objectSchema({ file: FILE_SCHEMA }),
  },
  writes: false,
  run(input, { stage }) {
    const given = readArguments(input);
    // The sandbox has its own, shorter bound and denies what passes it.
    const file = given.text("file", { charsMax: MEMORY_LIMITS.topicBytesMax });
    const problem = given.problem();
    if (problem !== undefined) return failure(problem);
    const found = stage.read(file);
    return "why" in found ? denial(found) : success(found.text);
  },
};
