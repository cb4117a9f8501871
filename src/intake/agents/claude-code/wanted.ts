// Which parts of a Claude Code line are built, and which lines are not worth reading at all.
// Must only ever skip what cannot matter; what a record means is decided in parse.ts and speech.ts.
import { READ_LIMITS } from "../../../domain/limits.ts";
import type { Want } from "../../transcripts/json-pick.ts";
import { membersOf, namedMembers } from "../../transcripts/json-pick.ts";

/** Ids, names, marks, times. */
const WORD: Want = { chars: 256 };
/** Linux paths end at 4,096 bytes. */
const PATH: Want = { chars: 4096 };
const COMMAND: Want = { chars: 8192 };
/** Lines are bounded already, and reminders must be cut out before a text is. */
const SPEECH: Want = { chars: READ_LIMITS.lineBytesMax };
const PREVIEW: Want = { chars: READ_LIMITS.toolPreviewChars };

/** Records that hold no speech, no tool call and no sign of a turn's end; some repeat whole prompts. */
const NOISE = new Set([
  "agent-name",
  "ai-title",
  "api-request",
  "api-request-blob",
  "api-request-shape",
  "atis-latch",
  "bridge-session",
  "continued-in",
  "custom-title",
  "file-history-delta",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "summary",
  "tools-used",
  "worktree-state",
]);

/** The one attachment that carries typed words; the others are listings and file contents. */
const SPOKEN_ATTACHMENT = "queued_command";

/** A known type without meaning for us, so not worth a count among the unknown ones. */
export function isNoise(type: string): boolean {
  return NOISE.has(type);
}

export function isSpoken(attachmentType: unknown): boolean {
  return attachmentType === SPOKEN_ATTACHMENT;
}

const ORIGIN = membersOf({ kind: WORD });

const TOOL_INPUT: Want = {
  ...membersOf({ file_path: PATH, notebook_path: PATH, command: COMMAND }),
  sized: READ_LIMITS.toolPreviewChars,
};

const TOOL_OUTPUT: Want = { ...PREVIEW, sized: 0, items: membersOf({ type: WORD, text: PREVIEW }) };

const BLOCK = membersOf({
  type: WORD,
  text: SPEECH,
  id: WORD,
  name: WORD,
  input: TOOL_INPUT,
  tool_use_id: WORD,
  is_error: WORD,
  content: TOOL_OUTPUT,
});

const MESSAGE: Want = {
  ...SPEECH,
  members: namedMembers({ id: WORD, model: WORD, stop_reason: WORD, content: { ...SPEECH, items: BLOCK } }),
};

const ATTACHMENT = membersOf({
  type: { ...WORD, dropsLine: (type) => !isSpoken(type) },
  commandMode: WORD,
  prompt: { ...SPEECH, items: membersOf({ type: WORD, text: SPEECH }) },
  isMeta: WORD,
  origin: ORIGIN,
});

/** What is built of a line. Lines of the noise types and silent attachments are dropped at the first sign. */
export const RECORD: Want = membersOf({
  type: { ...WORD, dropsLine: isNoise },
  subtype: WORD,
  operation: WORD,
  content: SPEECH,
  uuid: WORD,
  sessionId: WORD,
  timestamp: WORD,
  cwd: PATH,
  entrypoint: WORD,
  promptSource: WORD,
  rowSource: WORD,
  origin: ORIGIN,
  isSidechain: WORD,
  isMeta: WORD,
  isCompactSummary: WORD,
  sourceToolUseID: WORD,
  sourceToolAssistantUUID: WORD,
  isVisibleInTranscriptOnly: WORD,
  isApiErrorMessage: WORD,
  isAbortedMidStream: WORD,
  madeBy: WORD,
  toolDenialKind: WORD,
  permissionDecision: membersOf({ source: WORD }),
  message: MESSAGE,
  attachment: ATTACHMENT,
});
