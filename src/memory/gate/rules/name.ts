// The file name and the slug: plain, inside the folder, free for a new memory, leading to one for an old one.
import type { MemoryChange } from "../../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../../domain/limits.ts";
import { checkFileName } from "../../files/file-name.ts";
import { canonicalFile, type ProposalFacts, type Refusal, targetOf } from "../facts.ts";

/** Words of letters and digits joined by single marks; letters of any script, none with an upper-case form. */
const SLUG = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:[-_][\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u;

export function nameRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  const target = targetOf(change, facts);
  // An existing file may have any name its owner gave it; a name we would make has to be plain.
  const bad = target === undefined ? checkFileName(change.file) : undefined;
  if (bad !== undefined) {
    return { reason: bad, message: "the file name must be one plain name like feedback_commit_style.md" };
  }
  if (change.op === "create") return takenName(change, facts) ?? slugProblem(change.memory.name);
  if (change.op === "update" && change.memory.name !== target?.name) return slugProblem(change.memory.name);
  return undefined;
}

function takenName(
  change: MemoryChange & { readonly op: "create" },
  facts: ProposalFacts,
): Refusal | undefined {
  const wanted = canonicalFile(change.file);
  if (facts.otherNames.some((name) => canonicalFile(name) === wanted)) {
    return { reason: "unsafe-file", message: "something that is no memory has this name; take another name" };
  }
  const sameName = facts.memories.find(
    (memory) => memory.name === change.memory.name && canonicalFile(memory.file) !== wanted,
  );
  // Only a model can react by updating that file; a rule would lose the statement.
  if (sameName === undefined || facts.producer !== "model") return undefined;
  return {
    reason: "ambiguous-name",
    message: `${JSON.stringify(sameName.file)} already has this name; update it or take another name`,
  };
}

function slugProblem(name: string): Refusal | undefined {
  if (SLUG.test(name) && name.length <= MEMORY_LIMITS.nameCharsMax) return undefined;
  return {
    reason: "bad-name",
    message: `name must be a kebab-case slug of at most ${MEMORY_LIMITS.nameCharsMax} characters`,
  };
}
