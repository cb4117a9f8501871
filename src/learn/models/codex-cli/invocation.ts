// How Codex's program is called for one request: its words, its variables, its input. Every tool it could offer a model and
// everything that would add something of the person's is switched off here.
import { LOGIN_ADDRESSES } from "../../../config/provider.ts";
import type { ModelRequest } from "../../../domain/models.ts";
import type { Environment } from "../../../system/paths.ts";
import { answerSchema, partsOf, systemWith } from "../cli/conversation.ts";
import { handedOn } from "../cli/program.ts";
import { modelFailure } from "../failure.ts";

/** The program refuses a longer input (seen in its words). */
const INPUT_CHARS_MAX = 1_048_576;

/** What would offer a tool, load something of the person's or ask a second time. A name an older program does not know ends it. */
const FEATURES_OFF = [
  "shell_tool",
  "unified_exec",
  "shell_snapshot",
  "view_image",
  "image_generation",
  "code_mode",
  "code_mode_host",
  "multi_agent",
  "multi_agent_v2",
  "goals",
  "sleep_tool",
  "tool_suggest",
  "skill_search",
  "apps",
  "plugins",
  "hooks",
  "memories",
  "browser_use",
  "computer_use",
  "in_app_browser",
  "unbounded_connection_retries",
  "enable_request_compression",
] as const;

const SETTINGS = {
  web_search: "disabled",
  "tools.experimental_request_user_input.enabled": false,
  "tools.update_plan.enabled": false,
  "skills.include_instructions": false,
  include_apps_instructions: false,
  include_permissions_instructions: false,
  include_environment_context: false,
  include_collaboration_mode_instructions: false,
  project_doc_max_bytes: 0,
  check_for_update_on_startup: false,
  "analytics.enabled": false,
  "feedback.enabled": false,
  // Tries are the queue's business; the login is the program's.
  model_provider: "engramd",
  "model_providers.engramd.name": "OpenAI",
  "model_providers.engramd.wire_api": "responses",
  "model_providers.engramd.requires_openai_auth": true,
  "model_providers.engramd.supports_websockets": false,
  "model_providers.engramd.request_max_retries": 0,
  "model_providers.engramd.stream_max_retries": 0,
} as const;

export interface CodexPlaces {
  readonly schema: string;
  readonly models: string;
  readonly temporary: string;
  /** Undefined: the login's own address. */
  readonly baseUrl: string | undefined;
}

export function argumentsFor(
  { model }: ModelRequest,
  { schema, models, temporary, baseUrl }: CodexPlaces,
): string[] {
  const settings = {
    ...SETTINGS,
    model_catalog_json: models,
    // Its databases keep what it does.
    sqlite_home: temporary,
    log_dir: temporary,
    "model_providers.engramd.base_url": baseUrl ?? LOGIN_ADDRESSES["codex-cli"],
    // Where it looks what plan the login has.
    ...(baseUrl === undefined ? {} : { chatgpt_base_url: baseUrl }),
  };
  return [
    "exec",
    "--json",
    "--ephemeral",
    "--ignore-user-config",
    "--ignore-rules",
    "--skip-git-repo-check",
    "--strict-config",
    "--sandbox",
    "read-only",
    "--output-schema",
    schema,
    "--model",
    model,
    ...FEATURES_OFF.flatMap((name) => ["--disable", name]),
    // As TOML, where a string is written as in JSON.
    ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]),
    "-",
  ];
}

/** The vendor takes no free object in such a frame: arguments are written as text. */
export function strictSchema({ tools }: ModelRequest): object {
  return answerSchema(tools, { type: "string" }, { additionalProperties: false });
}

const HOW_TO_ANSWER =
  "Answer with one JSON object and nothing else. Its `calls` are the uses you make of the functions below, in order, the `arguments` of each written as JSON text; their results come with the next message. An empty list means that you have nothing more to do.";

/** What the program knows of the model, in the place of its own list: no tool of any kind, and our system text only. */
export function modelEntry(request: ModelRequest): object {
  return {
    slug: request.model,
    display_name: request.model,
    base_instructions: systemWith(request, HOW_TO_ANSWER),
    shell_type: "disabled",
    experimental_supported_tools: [],
    input_modalities: ["text"],
    context_window: 272_000,
    truncation_policy: { mode: "tokens", limit: 10_000 },
    // Thinking is paid for.
    default_reasoning_level: "low",
    supported_reasoning_levels: [{ effort: "low", description: "low" }],
    support_verbosity: false,
    supported_in_api: true,
    visibility: "list",
    priority: 1,
  };
}

export function inputFor(request: ModelRequest): string {
  const text = partsOf(request).join("\n\n");
  if (text.length > INPUT_CHARS_MAX) throw modelFailure("model-too-long", { detail: "codex" });
  return text;
}

export function environmentFor({
  env,
  own,
  temporary,
}: {
  readonly env: Environment;
  readonly own: string;
  readonly temporary: string;
}): Environment {
  // The end of a limit is told in the program's local time.
  return { ...handedOn(env), HOME: own, CODEX_HOME: own, TMPDIR: temporary, TZ: "UTC" };
}
