// The tool `glob`: lists memory files by name. Never lists anything outside the folder; a pattern that could be slow
// or could be taken for a path is denied.
import { RUN_LIMITS } from "../../../domain/limits.ts";
import { matchesAny } from "../../../system/glob.ts";
import { readArguments } from "./arguments.ts";
import { objectSchema, textSchema } from "./schemas.ts";
import { denial, failure, success, type Tool } from "./tool.ts";

/** What file names are made of, and the two wildcards; nothing that groups, repeats, escapes or separates. */
const SAFE_PATTERN = /^[\p{L}\p{M}\p{N} _.*?-]+$/u;
/** A third star may cost 1.5 ms for each long name, a fourth 100 ms (measured). */
const STARS_MAX = 2;

export const globTool: Tool = {
  spec: {
    name: "glob",
    description: `Lists the memory files whose name matches a pattern. * stands for any characters, ? for one; at most ${STARS_MAX} stars. Upper and lower case are the same. Example: feedback_*.md`,
    inputSchema: objectSchema({ pattern: textSchema("The name pattern; * alone lists every file.") }),
  },
  writes: false,
  run(input, { stage }) {
    const given = readArguments(input);
    const pattern = given.text("pattern", { charsMax: RUN_LIMITS.patternCharsMax });
    const problem = given.problem();
    if (problem !== undefined) return failure(problem);
    const plain = pattern
      .normalize("NFC")
      .toLowerCase()
      .replace(/\*{2,}/gu, "*");
    if (!SAFE_PATTERN.test(plain) || plain.split("*").length - 1 > STARS_MAX) {
      return denial({
        why: "bad-pattern",
        message: `a pattern is a file name in which ? and at most ${STARS_MAX} * stand for other characters, without any folder`,
      });
    }
    const files = stage.memories().map((memory) => memory.file);
    const found = files.filter((file) => matchesAny(file.toLowerCase(), [plain]));
    return success(found.length === 0 ? "no file matches this" : found.join("\n"));
  },
};
