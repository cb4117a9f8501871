// Which model, if any, may see the words of an agent. Pure: settings and recorded consent in, an answer out.
// Never says yes unless a person said so for this agent, this provider and this host.
import type { LoginProvider, ModelProvider } from "../domain/model-choice.ts";
import { isLogin, LOGINS } from "../domain/model-choice.ts";
import type { AgentId } from "../domain/sessions.ts";
import { AGENTS } from "../domain/sessions.ts";
import type { Origin } from "./load.ts";
import type { Config } from "./schema.ts";

/** Whether requests are paid for one by one; otherwise they cost what nobody knows, or are part of a plan. */
export function costsMoney(provider: string): boolean {
  return provider === "anthropic";
}

/** A provider at one address: consent is given to both. */
export interface ModelTarget {
  readonly provider: ModelProvider;
  /** Where requests go, without a path: `https://api.anthropic.com`; or `Codex's own login`. */
  readonly host: string;
  /** The whole base address. */
  readonly baseUrl: string;
}

/** One agent's words may go to one target. */
export interface Grant {
  readonly agent: AgentId;
  readonly provider: ModelProvider;
  readonly host: string;
  /** ISO time. */
  readonly at: string;
  /** `config`: a provider in a settings file; `person`: the command that asked. */
  readonly by: "config" | "person";
}

/** What a person has allowed so far. */
export interface ConsentRecord {
  readonly grants: readonly Grant[];
  /** The target the person chose by command; used while the configuration says `auto`. */
  readonly chosen: { readonly provider: ModelProvider; readonly host: string } | undefined;
  /** The target that a settings file named when consent was recorded last: later agents are not in it. */
  readonly configured: { readonly provider: ModelProvider; readonly host: string } | undefined;
}

export const NO_CONSENT: ConsentRecord = { grants: [], chosen: undefined, configured: undefined };

/** Address of the provider itself, where the settings name none. */
const ANTHROPIC_ADDRESS = "https://api.anthropic.com";

/** Where the program of a login sends requests where nobody names another address. */
export const LOGIN_ADDRESSES: Readonly<Record<LoginProvider, string>> = {
  "claude-cli": ANTHROPIC_ADDRESS,
  "codex-cli": "https://chatgpt.com/backend-api/codex",
};

export type ModelChoice =
  | { readonly kind: "model"; readonly target: ModelTarget; readonly why: string }
  | { readonly kind: "rules"; readonly why: string };

interface ChoiceInput {
  readonly config: Config;
  readonly consent: ConsentRecord;
  readonly agent: AgentId;
}

/** What reads the words of `agent`. */
export function chooseReader({ config, consent, agent }: ChoiceInput): ModelChoice {
  const target = targetOf(config, consent);
  if (typeof target === "string") return { kind: "rules", why: target };
  const mayUseModel = config.agents[agent].mayUseModel;
  if (mayUseModel === false) return { kind: "rules", why: `agents.${agent}.mayUseModel is false` };
  const grant = consent.grants.find((given) => given.agent === agent && isFor(given, target));
  if (grant === undefined) {
    return { kind: "rules", why: `nobody allowed ${target.host} to see what is typed to ${agent}` };
  }
  const why = grant.by === "config" ? "chosen in the configuration" : "chosen by command";
  return { kind: "model", target, why: `${why}, allowed on ${grant.at.slice(0, 10)}` };
}

/** The target in force, or why there is none. */
export function targetOf(config: Config, consent: ConsentRecord): ModelTarget | string {
  const provider = config.provider === "auto" ? consent.chosen?.provider : config.provider;
  if (config.provider === "offline") return "chosen in the configuration";
  if (provider === undefined || provider === "offline") return "no model was allowed to see your words";
  if (isLogin(provider) && config.baseUrl === null) {
    // What a person allows who lets a program send words by itself, wherever its login leads.
    return { provider, host: `${LOGINS[provider].name}'s own login`, baseUrl: LOGIN_ADDRESSES[provider] };
  }
  const baseUrl = config.baseUrl ?? (provider === "anthropic" ? ANTHROPIC_ADDRESS : undefined);
  if (baseUrl === undefined) return `provider "${provider}" needs baseUrl in the configuration`;
  return { provider, host: new URL(baseUrl).origin, baseUrl };
}

interface ConfiguredInput {
  readonly config: Config;
  readonly origin: ReadonlyMap<string, Origin>;
  readonly consent: ConsentRecord;
  /** Agents whose folders exist now. */
  readonly present: readonly AgentId[];
  /** ISO time. */
  readonly at: string;
}

/**
 * A provider written into a settings file is consent for every agent present at that start, and `mayUseModel: true`
 * in one for that agent at any time. An agent found later is not in it, and nothing from the environment is consent.
 * Undefined when nothing is to be recorded.
 */
export function consentByConfig(input: ConfiguredInput): ConsentRecord | undefined {
  const { config, origin, consent, present, at } = input;
  const target = config.provider === "auto" ? undefined : targetOf(config, consent);
  if (target === undefined || typeof target === "string") return undefined;
  // The address decides who sees the words: from the environment it is no consent either.
  if (!isFromFile(origin.get("provider"))) return undefined;
  if (config.baseUrl !== null && !isFromFile(origin.get("baseUrl"))) return undefined;
  const isNew = consent.configured === undefined || !isFor(consent.configured, target);
  const { provider, host } = target;
  const fresh = AGENTS.filter((agent) => allowsModel(agent, { ...input, isNew, present }))
    .filter((agent) => !consent.grants.some((grant) => grant.agent === agent && isFor(grant, target)))
    .map((agent): Grant => ({ agent, provider, host, at, by: "config" }));
  if (!isNew && fresh.length === 0) return undefined;
  return { ...consent, grants: [...consent.grants, ...fresh], configured: { provider, host } };
}

function allowsModel(
  agent: AgentId,
  { config, origin, isNew, present }: ConfiguredInput & { readonly isNew: boolean },
): boolean {
  const { mayUseModel } = config.agents[agent];
  if (mayUseModel === false) return false;
  if (isNew && present.includes(agent)) return true;
  return mayUseModel === true && isFromFile(origin.get(`agents.${agent}.mayUseModel`));
}

function isFromFile(origin: Origin | undefined): boolean {
  return origin === "user" || origin === "managed";
}

/** Whether what was given is for this provider at this address. */
export function isFor(
  given: { readonly provider: ModelProvider; readonly host: string },
  target: ModelTarget,
): boolean {
  return given.provider === target.provider && given.host === target.host;
}
