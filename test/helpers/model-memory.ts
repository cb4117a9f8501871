// One memory a scripted model writes, from words one person typed, and what a request shows as new.
import type { StubCall, StubRequest } from "./model-stub.ts";

/** Too weak for the rules, plain enough for a model. */
export const SQUASH_WORDS = "Please squash commits before merging, the history is unreadable otherwise.";
export const SQUASH_FILE = "feedback_squash.md";

export interface WriteInput {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly body: string;
  readonly evidence: readonly { readonly recordId: string; readonly quote: string }[];
}

/** What a model makes of `SQUASH_WORDS`, said in the record `recordId`; `changes` go over it. */
export function squashInput(recordId: string, changes: Partial<WriteInput> = {}): WriteInput {
  return {
    file: SQUASH_FILE,
    name: "squash-commits",
    description: "Squash commits before merging",
    type: "feedback",
    body: "Squash commits before merging.\n\n**Why:** the history is unreadable otherwise.\n**How to apply:** before each merge.",
    evidence: [{ recordId, quote: SQUASH_WORDS }],
    ...changes,
  };
}

export function squashWrite(recordId: string, changes?: Partial<WriteInput>): StubCall {
  return { tool: "write", input: squashInput(recordId, changes) };
}

/** The part of a request's window that was new. */
export function newPartOf({ body }: StubRequest): string {
  const text = JSON.stringify(body["messages"]);
  return text.slice(text.lastIndexOf("new: judge this part"));
}
