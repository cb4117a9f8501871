// The tool `exists`: asks whether something a memory names is still in the project. Tells that it is there, that it is
// not, or when it changed last; never what it holds.
import { DREAM_LIMITS, RUN_LIMITS } from "../../../domain/limits.ts";
import { readArguments } from "../../runs/tools/arguments.ts";
import { objectSchema, textSchema } from "../../runs/tools/schemas.ts";
import { failure, success, type Tool, type ToolAnswer } from "../../runs/tools/tool.ts";
import type { LocalTime } from "../local-time.ts";
import type { Found, ProjectLook } from "./project-look.ts";

const KINDS = ["path", "command", "symbol"] as const;

export const EXISTS_SPEC: Tool["spec"] = {
  name: "exists",
  description:
    "Tells whether something a memory names is still in the project: a path inside it, a command (script of package.json, target of the Makefile, program), or a name that stands in its code. Answers yes, no, when a file was changed last, or that nobody can tell; never what is in a file.",
  inputSchema: objectSchema({
    kind: { type: "string", enum: [...KINDS], description: "What it is." },
    name: textSchema("The path, command or name, as the memory has it."),
  }),
};

export interface ExistsTool {
  readonly tool: Tool;
  /** What was asked for and is not there. */
  readonly gone: ReadonlySet<string>;
}

export interface ExistsDeps {
  /** Undefined where the project is not on this machine. */
  readonly look: ProjectLook | undefined;
  readonly time: LocalTime;
}

export function createExistsTool({ look, time }: ExistsDeps): ExistsTool {
  const gone = new Set<string>();
  let questions = 0;
  const run = async (input: Readonly<Record<string, unknown>>): Promise<ToolAnswer> => {
    const given = readArguments(input);
    const kind = given.choice("kind", KINDS);
    const name = given.text("name", { charsMax: RUN_LIMITS.patternCharsMax }).trim();
    const problem = given.problem();
    if (problem !== undefined) return failure(problem);
    questions += 1;
    if (questions > DREAM_LIMITS.questionsMax) {
      return failure(`not done: at most ${DREAM_LIMITS.questionsMax} questions in one run`);
    }
    if (look === undefined) return success("nobody can tell: the project is not on this machine");
    const found = await look[kind](name);
    if (found.there === "no") gone.add(name);
    return success(inWords(found, time));
  };
  return { tool: { spec: EXISTS_SPEC, writes: false, run }, gone };
}

function inWords(found: Found, time: LocalTime): string {
  switch (found.there) {
    case "no":
      return "no";
    case "unknown":
      return `nobody can tell: ${found.why}`;
    case "yes": {
      const { as, changedAt } = found;
      const more = [as, changedAt === undefined ? undefined : `last changed ${time.day(changedAt)}`];
      return ["yes", ...more.filter((word) => word !== undefined)].join(", ");
    }
  }
}
