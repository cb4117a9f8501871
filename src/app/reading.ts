// What reads the words of each agent - rules or a model - and how long words wait for it. Holds no key and sends
// nothing by itself.
import { join } from "node:path";
import { createConsentStore } from "../config/consent.ts";
import type { ConsentRecord, ModelChoice, ModelTarget } from "../config/provider.ts";
import { chooseReader, consentByConfig, targetOf } from "../config/provider.ts";
import type { ModelClient } from "../domain/models.ts";
import type { Config } from "../config/schema.ts";
import type { AgentId } from "../domain/sessions.ts";
import type { Status } from "../domain/status.ts";
import type { Quiet } from "../intake/watch/debounce.ts";
import type { ModelReader } from "../learn/jobs/extract/model-contract.ts";
import type { KeySource } from "../learn/models/key.ts";
import { costUsd, isPriced, resolveModel } from "../learn/models/prices.ts";
import { MODEL_PROVIDERS } from "../learn/models/registry.ts";
import type { Ground } from "./ground.ts";

export interface Reading {
  choiceFor(agent: AgentId): ModelChoice;
  /** The model for one job over this agent's words; undefined: the rules read them. */
  readerFor(agent: AgentId): ModelReader | undefined;
  cadenceOf(agent: AgentId): Quiet;
  /** Days of old sessions read at the first start: by rules, and of these by the model, where one reads. */
  backfillDays(agent: AgentId): { readonly rules: number; readonly model: number };
  /** Notes a provider in a settings file as consent for the agents present now. Writes only what is new. */
  recordConsent(present: readonly AgentId[]): void;
  describe(agents: readonly AgentId[]): Status["provider"];
  /** Agents that the chosen model may not read because nobody said so. */
  waiting(agents: readonly AgentId[]): readonly { readonly agent: AgentId; readonly why: string }[];
  /** The model in use that the price table does not know. */
  unpriced(agents: readonly AgentId[]): string | undefined;
}

export function createReading(ground: Ground): Reading {
  const { config, clock, files, paths } = ground;
  const store = createConsentStore({ files, path: join(paths.stateDir, "consent.json") });
  let consent: ConsentRecord = store.load();
  const readerOf = createReaders(ground);
  const choiceFor = (agent: AgentId) => chooseReader({ config: config(), consent, agent });
  return {
    choiceFor,
    readerFor(agent) {
      const choice = choiceFor(agent);
      return choice.kind === "model" ? readerOf(choice.target) : undefined;
    },
    cadenceOf(agent) {
      const { debounceMs, maxWaitMs } = config().extract;
      const which = choiceFor(agent).kind === "model" ? "model" : "offline";
      return { quietMs: debounceMs[which], maxWaitMs: maxWaitMs[which] };
    },
    backfillDays(agent) {
      const { offline, model } = config().firstStart.backfillDays;
      return choiceFor(agent).kind === "model"
        ? { rules: offline, model }
        : { rules: offline, model: offline };
    },
    recordConsent(present) {
      const at = new Date(clock.now()).toISOString();
      const recorded = consentByConfig({ config: config(), origin: ground.origin(), consent, present, at });
      if (recorded === undefined) return;
      store.save(recorded);
      consent = recorded;
    },
    ...createWords({ config, choiceFor, target: () => targetOf(config(), consent) }),
  };
}

/** Readers for one job each, over clients that are kept. */
function createReaders(ground: Ground): (target: ModelTarget) => ModelReader {
  const clientFor = createClients(ground);
  return (target) => {
    const { extract, models } = ground.config();
    const model = resolveModel(models.extract);
    return {
      client: clientFor(target),
      model,
      turnsMax: extract.maxTurns,
      inputTokensMax: extract.maxInputTokens,
      newTokensMin: extract.minNewTokens,
      maxWaitMs: extract.maxWaitMs.model,
      // What a server of the person's own costs, nobody knows.
      usdOf: (usage) => (target.provider === "local" ? undefined : costUsd(model, usage)),
    };
  };
}

interface WordsDeps {
  config(): Config;
  choiceFor(agent: AgentId): ModelChoice;
  /** The target in force, or why there is none. */
  target(): ModelTarget | string;
}

/** What is said about it to a person. */
function createWords({
  config,
  choiceFor,
  target,
}: WordsDeps): Pick<Reading, "describe" | "waiting" | "unpriced"> {
  return {
    describe(agents) {
      const choices = agents.map(choiceFor);
      const model = choices.find((choice) => choice.kind === "model");
      if (model?.kind === "model") {
        return { name: model.target.provider, model: resolveModel(config().models.extract), why: model.why };
      }
      const none = target();
      const why = choices[0]?.why ?? (typeof none === "string" ? none : "no agent was found");
      return { name: "offline", model: null, why };
    },
    waiting(agents) {
      if (typeof target() === "string") return [];
      const open = agents.filter((agent) => config().agents[agent].mayUseModel !== false);
      return open.flatMap((agent) => {
        const { kind, why } = choiceFor(agent);
        return kind === "rules" ? [{ agent, why }] : [];
      });
    },
    unpriced(agents) {
      const isPaid = agents.some((agent) => {
        const choice = choiceFor(agent);
        return choice.kind === "model" && choice.target.provider !== "local";
      });
      const model = resolveModel(config().models.extract);
      return isPaid && !isPriced(model) ? model : undefined;
    },
  };
}

/** One client serves until the settings are read again: building one costs as much as sending a request. */
function createClients({ config, clock, keys }: Ground): (target: ModelTarget) => ModelClient {
  let made:
    | { readonly target: ModelTarget; readonly keys: KeySource; readonly client: ModelClient }
    | undefined;
  return (target) => {
    const { provider, baseUrl } = target;
    const isSame =
      made?.keys === keys() && made.target.provider === provider && made.target.baseUrl === baseUrl;
    if (made !== undefined && isSame) return made.client;
    const factory = provider === "local" ? MODEL_PROVIDERS.local : MODEL_PROVIDERS.anthropic;
    const client = factory({ baseUrl, keys: keys(), apiKeyEnv: config().apiKeyEnv, clock });
    made = { target, keys: keys(), client };
    return client;
  };
}
