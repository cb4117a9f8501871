// JSON schemas that several tools share. They tell the model what to send; what it sends is checked anyway.
import { RUN_LIMITS } from "../../../domain/limits.ts";
import type { ToolSchema } from "../../../domain/models.ts";

export function objectSchema(properties: Readonly<Record<string, ToolSchema>>): ToolSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

export function textSchema(description: string): ToolSchema {
  return { type: "string", description };
}

export const FILE_SCHEMA = textSchema(
  "Name of the file as it is listed, for example feedback_commit_style.md.",
);

export const EVIDENCE_SCHEMA: ToolSchema = {
  type: "array",
  maxItems: RUN_LIMITS.quotesMax,
  description:
    "The words this rests on. Quote them letter for letter from the record, at least three meaningful words, the person's own words where there are any.",
  items: objectSchema({
    recordId: textSchema("Id of the record that holds the words, unshortened."),
    quote: textSchema("The words, copied exactly."),
  }),
};
