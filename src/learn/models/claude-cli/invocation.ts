// How Claude Code's program is called for one request: its words, its variables, its input. Everything that would add
// something of the person's - settings, memory, hooks, servers, tools - is switched off here.
import type { ModelRequest } from "../../../domain/models.ts";
import { ownSessionId } from "../../../domain/own-sessions.ts";
import { randomUuid } from "../../../system/ids.ts";
import type { Environment } from "../../../system/paths.ts";
import { answerSchema, partsOf, systemWith } from "../cli/conversation.ts";
import { handedOn } from "../cli/program.ts";
import { modelFailure } from "../failure.ts";

/** Linux takes no longer word (128 KiB with its end). */
const WORD_BYTES_MAX = 131_000;

/** Every option is known to 2.1.197 and 2.1.332; an older program refuses one and sends nothing. */
export function argumentsFor(request: ModelRequest): string[] {
  const system = systemWith(request, HOW_TO_ANSWER);
  if (Buffer.byteLength(system) > WORD_BYTES_MAX) throw modelFailure("model-too-long", { detail: "claude" });
  return [
    "--print",
    "--input-format",
    "stream-json",
    // The other format tells neither when a limit ends nor what was said beside the calls.
    "--output-format",
    "stream-json",
    "--verbose",
    "--model",
    request.model,
    "--system-prompt",
    system,
    "--json-schema",
    JSON.stringify(answerSchema(request.tools, { type: "object" })),
    // Holds for requests of this run but for those after an answer that was cut.
    "--max-turns",
    "1",
    "--tools",
    "",
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--no-session-persistence",
    "--session-id",
    ownSessionId(randomUuid()),
  ];
}

const HOW_TO_ANSWER =
  "Answer with StructuredOutput, once, and write nothing else. Its `calls` are the uses you make of the functions below, in order; their results come with the next message. An empty list means that you have nothing more to do.";

/** One message; the conversation so far follows its first text as JSON, so that nothing in it can pass for ours. */
export function inputFor(request: ModelRequest): string {
  // A block each: what was sent before stays the same, and is read from the cache.
  const content = partsOf(request).map((text) => ({ type: "text", text }));
  return `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
}

/** What the program needs to find its login. */
const LOGIN = ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"] as const;

const SWITCHED_OFF = {
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_TELEMETRY: "1",
  // Tries are the queue's business, and thinking is paid for.
  CLAUDE_CODE_MAX_RETRIES: "0",
  MAX_STRUCTURED_OUTPUT_RETRIES: "1",
  MAX_THINKING_TOKENS: "0",
} as const;

export interface EnvironmentAsk {
  readonly env: Environment;
  readonly home: string;
  readonly temporary: string;
  readonly baseUrl: string | undefined;
  readonly outputTokensMax: number;
}

export function environmentFor({
  env,
  home,
  temporary,
  baseUrl,
  outputTokensMax,
}: EnvironmentAsk): Environment {
  return {
    ...handedOn(env, LOGIN),
    HOME: home,
    ...SWITCHED_OFF,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(outputTokensMax),
    ...(baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
  };
}
