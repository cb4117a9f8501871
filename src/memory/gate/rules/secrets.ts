// Secrets never reach a memory file, whoever asks.
import type { MemoryChange } from "../../../domain/changes.ts";
import { findSecrets } from "../../secrets/scanner.ts";
import { proposedText, type Refusal } from "../facts.ts";

export function secretsRule(change: MemoryChange): Refusal | undefined {
  const name = "memory" in change ? change.memory.name : "";
  const found = findSecrets(`${change.file}\n${name}\n${proposedText(change)}`)[0];
  if (found === undefined) return undefined;
  return {
    reason: "secret",
    message: `this holds what looks like a secret (${found.rule}); leave the value out`,
  };
}
