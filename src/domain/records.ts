// What a transcript says, one typed entry at a time. Must never hold raw JSON of an agent's own format.
import type { AgentId } from "./sessions.ts";

/** Milliseconds since the Unix epoch. */
export type Instant = number;

/**
 * Who caused a record. `user`: an interactive session; `subagent`: a helper the agent started;
 * `headless`: a scripted run (the record says so itself); `ours`: a session engramd started.
 */
export type Origin = "user" | "subagent" | "headless" | "ours";

/** Fields every record carries. */
export interface RecordCommon {
  /** The transcript's own id, or one derived from time and text where the format has none. */
  readonly recordId: string;
  readonly sessionId: string;
  readonly agent: AgentId;
  /** When it was said; undefined when the stamp is missing or unreadable. */
  readonly at: Instant | undefined;
  readonly cwd: string | undefined;
  readonly origin: Origin;
  /** Byte offset (or item count) just after this record in its source. */
  readonly endOffset: number;
}

/** The person's own typed words, nothing else. */
export interface UserText extends RecordCommon {
  readonly kind: "user-text";
  readonly text: string;
}

export interface AssistantText extends RecordCommon {
  readonly kind: "assistant-text";
  readonly text: string;
}

export interface ToolCall extends RecordCommon {
  readonly kind: "tool-call";
  readonly tool: string;
  /** Joins the call with its result. */
  readonly callId: string;
  /** File the tool was told to write, as the agent spelt it. */
  readonly touchedPath?: string;
  /** Shell command line, for shell tools only. */
  readonly command?: string;
  /** The call as JSON, cut to `limits.toolPreviewChars`. */
  readonly preview: string;
}

export interface ToolResult extends RecordCommon {
  readonly kind: "tool-result";
  readonly callId: string;
  readonly ok: boolean;
  /** Start of the output, cut to `limits.toolPreviewChars`. */
  readonly preview: string;
  readonly bytes: number;
}

/** Text a program put into the conversation; never the person's words. */
export interface Injected extends RecordCommon {
  readonly kind: "injected";
  readonly what: "reminder" | "compaction" | "command" | "notification";
  /** The slash command's name with its slash, where the record names one. */
  readonly command?: string;
}

/** A turn is over: the agent answered, was interrupted, or the client said so. */
export interface TurnEnd extends RecordCommon {
  readonly kind: "turn-end";
}

export type TranscriptRecord = UserText | AssistantText | ToolCall | ToolResult | Injected | TurnEnd;
