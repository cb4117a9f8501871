// A request and a key source of a test. Imports no test runner: child processes use it too.
import type { ModelRequest } from "../../../../src/domain/models.ts";
import type { KeySource } from "../../../../src/learn/models/key.ts";

export function fixedKey(value: string | undefined): KeySource {
  return {
    read: () => Promise.resolve(value === undefined ? undefined : { value, from: "variable" }),
  };
}

export function ask(text = "What is worth keeping?"): ModelRequest {
  return {
    model: "claude-haiku-4-5",
    system: "You keep notes.",
    tools: [{ name: "save", description: "Saves a note.", inputSchema: { type: "object", properties: {} } }],
    messages: [{ role: "user", blocks: [{ kind: "text", text }] }],
    outputTokensMax: 1_000,
  };
}

export const NEVER = new AbortController().signal;
