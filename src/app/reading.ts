// What reads the words of each agent - rules or a model - and how long words wait for it. Holds no key and sends
// nothing by itself.
import { join } from "node:path";
import { createConsentStore } from "../config/consent.ts";
import type { ConsentRecord, ModelChoice, ModelTarget } from "../config/provider.ts";
import { chooseReader, consentByConfig, costsMoney, targetOf } from "../config/provider.ts";
import { isLogin } from "../domain/model-choice.ts";
import { CONSOLIDATION_KINDS, type ConsolidationKind } from "../domain/consolidation.ts";
import type { ModelClient } from "../domain/models.ts";
import type { Config } from "../config/schema.ts";
import type { Instant } from "../domain/records.ts";
import type { AgentId } from "../domain/sessions.ts";
import type { Status } from "../domain/status.ts";
import type { Quiet } from "../intake/watch/debounce.ts";
import type { ModelReader } from "../learn/jobs/model-reader.ts";
import type { KeySource } from "../learn/models/key.ts";
import { placeOfKey } from "../learn/models/key.ts";
import type { Retired } from "../learn/models/prices.ts";
import { costUsd, isPriced, resolveModel, retiredModel } from "../learn/models/prices.ts";
import type { Closing, ProviderGate } from "../learn/models/provider-gate.ts";
import { createProviderGate } from "../learn/models/provider-gate.ts";
import { MODEL_PROVIDERS } from "../learn/models/registry.ts";
import { createRunCommand } from "../system/command.ts";
import { randomShare } from "../system/ids.ts";
import type { Ground } from "./ground.ts";

export interface Reading {
  choiceFor(agent: AgentId): ModelChoice;
  /** The model for one job over this agent's words; undefined: the rules read them. */
  readerFor(agent: AgentId): ModelReader | undefined;
  /**
   * The model for one dream or distillation of a folder that holds words typed to these agents: each must have been
   * allowed. Undefined: rules do it.
   */
  modelFor(job: ConsolidationKind, agents: readonly AgentId[]): ModelReader | undefined;
  cadenceOf(agent: AgentId): Quiet;
  /** Days of old sessions read at the first start: by rules, and of these by the model, where one reads. */
  backfillDays(agent: AgentId): { readonly rules: number; readonly model: number };
  /** What is allowed; with what the settings of now would add at the next start. */
  consent(present: readonly AgentId[]): ConsentRecord;
  /** What a person has just said. */
  replaceConsent(record: ConsentRecord): void;
  /** A reader for an estimate: nobody can be asked through it. */
  imagined(ask: { readonly model: string; readonly isFree: boolean }): ModelReader;
  /** Which providers are closed to every job, and what lets one be tried at once. */
  readonly gate: Pick<ProviderGate, "recheck" | "stop">;
  /** Providers in use that nobody may ask now. */
  closed(agents: readonly AgentId[]): readonly Closing[];
  /** The client of a target, for a question of a person that holds nothing of theirs: it is asked at once. */
  clientOf(target: ModelTarget): ModelClient;
  /** Notes a provider in a settings file as consent for the agents present now. Writes only what is new. */
  recordConsent(present: readonly AgentId[]): void;
  describe(agents: readonly AgentId[]): Status["provider"];
  /** Agents that the chosen model may not read because nobody said so. */
  waiting(
    agents: readonly AgentId[],
  ): readonly { readonly agent: AgentId; readonly provider: string; readonly why: string }[];
  /** Whether the model chosen now is part of a subscription. */
  isPlan(): boolean;
  /** Whether what a model reads costs no money that is counted: a server of the person's own. */
  isFree(): boolean;
  /** The model in use that the price table does not know. */
  unpriced(agents: readonly AgentId[]): string | undefined;
  /** The model in use that its vendor has switched off. */
  retired(agents: readonly AgentId[]): Retired | undefined;
}

/** The kinds of jobs that a model may do; each has its own model in `models`. */
export const MODEL_JOBS = [
  "extract",
  ...CONSOLIDATION_KINDS,
] as const satisfies readonly (keyof Config["models"])[];
type ModelJob = (typeof MODEL_JOBS)[number];

/** `onMended`: what waits for a model may run. */
export function createReading(ground: Ground, onMended: () => void): Reading {
  const { config, clock, files, paths } = ground;
  const { stateDir } = paths;
  const store = createConsentStore({ files, path: join(stateDir, "consent.json") });
  let consent: ConsentRecord = store.load();
  const gate = createProviderGate({
    ...ground,
    path: join(stateDir, "provider.json"),
    jitter: randomShare,
    onMended,
  });
  const clientFor = createClients(ground, gate);
  const readerOf = createReaders(ground, { clientFor, gate });
  const configured = (present: readonly AgentId[]) => consentNow(ground, { consent, present });
  const keep = (record: ConsentRecord) => {
    store.save(record);
    consent = record;
  };
  const target = () => targetOf(config(), consent);
  const choiceFor = (agent: AgentId) => chooseReader({ config: config(), consent, agent });
  return {
    choiceFor,
    readerFor(agent) {
      const choice = choiceFor(agent);
      return choice.kind === "model" ? readerOf(choice.target, "extract") : undefined;
    },
    modelFor: (job, agents) => readerOfAll(agents.map(choiceFor), (target) => readerOf(target, job)),
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
    consent: (present) => configured(present) ?? consent,
    replaceConsent: keep,
    imagined: ({ model, isFree }) => readerOver(NOBODY, { config: config(), model, isFree }),
    gate,
    closed(agents) {
      const used = new Set(
        agents.map(choiceFor).flatMap((choice) => (choice.kind === "model" ? [gateName(choice.target)] : [])),
      );
      return gate.closed().filter(({ target: name }) => used.has(name));
    },
    clientOf(asked) {
      gate.recheck();
      return clientFor(asked);
    },
    recordConsent(present) {
      const recorded = configured(present);
      if (recorded !== undefined) keep(recorded);
    },
    ...createWords({ config, choiceFor, now: clock.now, target }),
  };
}

function consentNow(
  { config, origin, clock }: Ground,
  { consent, present }: { readonly consent: ConsentRecord; readonly present: readonly AgentId[] },
): ConsentRecord | undefined {
  const at = new Date(clock.now()).toISOString();
  return consentByConfig({ config: config(), origin: origin(), consent, present, at });
}

/** Only where each of them may be read by a model; all of them have the same one. */
function readerOfAll(
  choices: readonly ModelChoice[],
  readerOf: (target: ModelTarget) => ModelReader,
): ModelReader | undefined {
  const [first] = choices;
  const isAllowed = choices.every(({ kind }) => kind === "model");
  return first?.kind === "model" && isAllowed ? readerOf(first.target) : undefined;
}

/** Readers for one job each, over clients that are kept. */
function createReaders(
  { config }: Ground,
  {
    clientFor,
    gate,
  }: { readonly clientFor: (target: ModelTarget) => ModelClient; readonly gate: ProviderGate },
): (target: ModelTarget, job: ModelJob) => ModelReader {
  return (target, job) => {
    const model = resolveModel(config().models[job], target.provider);
    const isFree = !costsMoney(target.provider);
    const held = () => gate.held(gateName(target));
    return {
      ...readerOver(clientFor(target), { config: config(), model, isFree }),
      ...(job === "extract" ? {} : boundsOf(config()[job])),
      held,
    };
  };
}

/** A consolidation reads what there is, however little. */
function boundsOf({ maxTurns, maxInputTokens }: Config["dream"] | Config["distill"]): Partial<ModelReader> {
  return { turnsMax: maxTurns, inputTokensMax: maxInputTokens, newTokensMin: 0 };
}

function gateName({ provider, host }: ModelTarget): string {
  return `${provider} at ${host}`;
}

interface ReaderFacts {
  readonly config: Config;
  readonly model: string;
  readonly isFree: boolean;
}

function readerOver(client: ModelClient, { config: { extract }, model, isFree }: ReaderFacts): ModelReader {
  return {
    client,
    model,
    turnsMax: extract.maxTurns,
    inputTokensMax: extract.maxInputTokens,
    newTokensMin: extract.minNewTokens,
    maxWaitMs: extract.maxWaitMs.model,
    held: () => undefined,
    usdOf: (usage) => (isFree ? undefined : costUsd(model, usage)),
  };
}

/** For estimates. */
const NOBODY: ModelClient = {
  provider: "nobody",
  complete: () => Promise.reject(new TypeError("an estimate asks no model")),
};

interface WordsDeps {
  config(): Config;
  choiceFor(agent: AgentId): ModelChoice;
  /** The target in force, or why there is none. */
  target(): ModelTarget | string;
  now(): Instant;
}

/** What is said about it to a person. */
function createWords({
  config,
  choiceFor,
  target,
  now,
}: WordsDeps): Pick<Reading, "describe" | "isPlan" | "isFree" | "waiting" | "unpriced" | "retired"> {
  const isPaid = (agents: readonly AgentId[]) =>
    agents.some((agent) => {
      const choice = choiceFor(agent);
      return choice.kind === "model" && costsMoney(choice.target.provider);
    });
  return {
    describe(agents) {
      const choices = agents.map(choiceFor);
      const model = choices.find((choice) => choice.kind === "model");
      if (model?.kind === "model") {
        const { target: used, why } = model;
        return { name: used.provider, model: resolveModel(config().models.extract, used.provider), why };
      }
      const none = target();
      const why = choices[0]?.why ?? (typeof none === "string" ? none : "no agent was found");
      return { name: "offline", model: null, why };
    },
    waiting(agents) {
      const found = target();
      if (typeof found === "string") return [];
      const open = agents.filter((agent) => config().agents[agent].mayUseModel !== false);
      return open.flatMap((agent) => {
        const { kind, why } = choiceFor(agent);
        return kind === "rules" ? [{ agent, provider: found.provider, why }] : [];
      });
    },
    unpriced(agents) {
      const model = resolveModel(config().models.extract);
      return isPaid(agents) && !isPriced(model) ? model : undefined;
    },
    isPlan() {
      const found = target();
      return typeof found !== "string" && isLogin(found.provider);
    },
    isFree() {
      const found = target();
      return typeof found !== "string" && !isLogin(found.provider) && !costsMoney(found.provider);
    },
    retired: (agents) =>
      isPaid(agents) ? retiredModel(resolveModel(config().models.extract), now()) : undefined,
  };
}

/** One client serves until the settings are read again: building one costs as much as sending a request. */
function createClients(ground: Ground, gate: ProviderGate): (target: ModelTarget) => ModelClient {
  const { config, clock, keys, files, paths, input } = ground;
  const { home, stateDir } = paths;
  const programs = { files, run: createRunCommand(clock), env: input.env, home, stateDir };
  let made:
    | { readonly target: ModelTarget; readonly keys: KeySource; readonly client: ModelClient }
    | undefined;
  return (target) => {
    const { provider, baseUrl } = target;
    const isSame =
      made?.keys === keys() && made.target.provider === provider && made.target.baseUrl === baseUrl;
    if (made !== undefined && isSame) return made.client;
    const { apiKeyEnv } = config();
    const keyPlace = placeOfKey(config(), input.env);
    const client = gate.guard({ name: gateName(target), keyPlace, keys: keys() }, (noted) =>
      MODEL_PROVIDERS[provider]({ baseUrl, keys: noted, apiKeyEnv, clock, programs }),
    );
    made = { target, keys: keys(), client };
    return client;
  };
}
