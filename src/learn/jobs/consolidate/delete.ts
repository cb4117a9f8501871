// The tool `delete`: takes one memory away, for a reason that is quoted. What goes is in the history and can be put back.
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { readArguments } from "../../runs/tools/arguments.ts";
import { EVIDENCE_SCHEMA, FILE_SCHEMA, objectSchema } from "../../runs/tools/schemas.ts";
import { answerOf, failure, type Tool } from "../../runs/tools/tool.ts";

const REASONS = ["duplicate", "superseded", "wrong", "stale"] as const;

export const DELETE_SPEC: Tool["spec"] = {
  name: "delete",
  description:
    "Removes one memory file. duplicate: another memory says it; quote that one. superseded: something said later takes its place; quote it. wrong: quote what shows it. stale: what it is about is over or gone; quote the memory itself. When you put several files into a new one, delete those first, then write the new one, citing each of them.",
  inputSchema: objectSchema({
    file: FILE_SCHEMA,
    reason: { type: "string", enum: [...REASONS], description: "Why it goes." },
    evidence: EVIDENCE_SCHEMA,
  }),
};

export interface DeleteDeps {
  /** Whether what the memory says is over, by itself or by what was asked: a past date, something that is gone. */
  isOver(file: string): boolean;
  /** Whether a quote names a file of rules. */
  isRule(recordId: string): boolean;
  /** Finds out whether the person asked to remember it. */
  beforeOverruling(file: string): Promise<void>;
  /** The rule is older than the memory, or may be: the memory stayed. */
  keptBesideRule(file: string): void;
}

export function createDeleteTool(deps: DeleteDeps): Tool {
  return {
    spec: DELETE_SPEC,
    writes: true,
    async run(input, { stage }) {
      const given = readArguments(input);
      const file = given.text("file", { charsMax: MEMORY_LIMITS.topicBytesMax });
      const reason = given.choice("reason", REASONS);
      const quotes = given.quotes("evidence");
      const problem = given.problem();
      if (problem !== undefined) return failure(problem);
      if (reason === "stale" && !deps.isOver(file)) {
        return failure(
          "stale needs a date in it that is past, or something it names that exists answered no to",
        );
      }
      const overrules = quotes.some(({ recordId }) => deps.isRule(recordId));
      if (overrules) await deps.beforeOverruling(file);
      const answer = stage.remove({ file, reason, quotes });
      const memory = stage.memoryOf(file);
      const isNewer = !answer.accepted && answer.reason === "older-than-known";
      if (overrules && isNewer && "hash" in memory) deps.keptBesideRule(memory.file);
      return answerOf(answer);
    },
  };
}
