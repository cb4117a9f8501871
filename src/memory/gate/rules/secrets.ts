// Secrets never reach a memory file, whoever asks.
import type { MemoryChange } from "../../../domain/changes.ts";
import { findSecrets } from "../../secrets/scanner.ts";
import { proposedText, type Refusal } from "../facts.ts";

export function secretsRule(change: MemoryChange): Refusal | undefined {
  const name = "memory" in change ? change.memory.name : "";
  const text = `${change.file}\n${name}\n${proposedText(change)}`;
  // A reader does not see what splits a token unseen.
  const found = findSecrets(text)[0] ?? findSecrets(text.replace(/\p{Cf}|[\ufe00-\ufe0f]/gu, ""))[0];
  if (found === undefined) return undefined;
  return {
    reason: "secret",
    message: `this holds what looks like a secret (${found.rule}); leave the value out`,
  };
}
