// Every agent whose transcripts engramd reads. A new agent is one folder and one line here.
import type { FormatDeps, TranscriptFormat } from "../transcripts/format.ts";
import { createClaudeCodeFormat } from "./claude-code/index.ts";

const FORMATS: readonly ((deps: FormatDeps) => TranscriptFormat)[] = [createClaudeCodeFormat];

/** One format for each agent, in the order the status shows them. */
export function createFormats(deps: FormatDeps): readonly TranscriptFormat[] {
  return FORMATS.map((create) => create(deps));
}
