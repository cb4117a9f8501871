// Description and type: what the header of a topic file can hold.
import type { MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { MEMORY_TYPES } from "../../../domain/memories.ts";
import type { Refusal } from "../facts.ts";

/** Line ends, control and direction marks: they break the header or deceive a reader. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export function frontmatterRule(change: MemoryChange): Refusal | undefined {
  if (!("memory" in change)) return undefined;
  const { description, type } = change.memory;
  if (!MEMORY_TYPES.includes(type)) return bad(`type must be one of ${MEMORY_TYPES.join(", ")}`);
  if (description.trim() === "") return bad("description must not be empty");
  if (UNPRINTABLE.test(description)) return bad("description must be one line of printable text");
  if (description.length > MEMORY_LIMITS.descriptionCharsMax) {
    return bad(`description must have at most ${MEMORY_LIMITS.descriptionCharsMax} characters`);
  }
  return undefined;
}

function bad(message: string): Refusal {
  return { reason: "bad-frontmatter", message };
}
