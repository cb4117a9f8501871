// The model providers by name. Adding one is a folder and a line here; nothing else names a provider's folder.
import { LOGIN_ADDRESSES } from "../../config/provider.ts";
import type { ModelProvider } from "../../domain/model-choice.ts";
import type { ModelClient } from "../../domain/models.ts";
import type { Clock } from "../../system/clock.ts";
import { createAnthropicClient } from "./anthropic/index.ts";
import { CLAUDE_CLI } from "./claude-cli/index.ts";
import type { CliDeps, CliProgram } from "./cli/client.ts";
import { createCliClient } from "./cli/client.ts";
import { CODEX_CLI } from "./codex-cli/index.ts";
import { modelFailure } from "./failure.ts";
import type { KeySource } from "./key.ts";
import { retiredModel } from "./prices.ts";

export interface ProviderSettings {
  /** Address of the server the person allowed, without `/v1`. */
  readonly baseUrl: string;
  readonly keys: KeySource;
  /** The variable `keys` reads last. */
  readonly apiKeyEnv: string;
  readonly clock: Clock;
  /** For a provider that is a program of the person's own. */
  readonly programs: Omit<CliDeps, "baseUrl" | "clock">;
}

/** Makes a client for one job. Cheap: nothing is read or sent before its first request. */
export type ProviderFactory = (settings: ProviderSettings) => ModelClient;

/** Holds the key of the vendor's own server on many machines; no other server may get to see it. */
const VENDOR_VARIABLE = "ANTHROPIC_API_KEY";

export const MODEL_PROVIDERS = {
  anthropic: ({ baseUrl, keys, clock }) =>
    refusingRetired(
      createAnthropicClient({ provider: "anthropic", baseUrl, keys, keyNeeded: true, clock }),
      clock,
    ),
  "claude-cli": (settings) => loginOf(CLAUDE_CLI, settings),
  "codex-cli": (settings) => loginOf(CODEX_CLI, settings),
  local: ({ baseUrl, keys, apiKeyEnv, clock }) =>
    createAnthropicClient({
      provider: "local",
      baseUrl,
      keys: apiKeyEnv === VENDOR_VARIABLE ? withoutVariable(keys) : keys,
      keyNeeded: false,
      clock,
    }),
} as const satisfies Readonly<Record<ModelProvider, ProviderFactory>>;

/** A login has an address of its own, which is its own affair: a gateway of the person's company may be set up in it. */
function loginOf(program: CliProgram, { baseUrl, clock, programs }: ProviderSettings): ModelClient {
  const isOwn = LOGIN_ADDRESSES[program.provider] === baseUrl;
  return createCliClient(program, { ...programs, clock, baseUrl: isOwn ? undefined : baseUrl });
}

/** Nothing is sent for a model the vendor has switched off: a gateway may answer with a dearer one in its place. */
function refusingRetired(client: ModelClient, clock: Clock): ModelClient {
  return {
    provider: client.provider,
    async complete(request, signal) {
      const retired = retiredModel(request.model, clock.now());
      if (retired === undefined) return client.complete(request, signal);
      const { model, since, use } = retired;
      throw modelFailure("model-retired", { detail: `${model} since ${since}; ${use} takes its place` });
    },
  };
}

function withoutVariable(keys: KeySource): KeySource {
  return {
    async read(signal) {
      const found = await keys.read(signal);
      return found?.from === "variable" ? undefined : found;
    },
  };
}
