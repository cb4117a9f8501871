// `engramd model use`: the plan a person agrees to, and what happens when they do. Records consent only for what the
// plan named; a plan that is no longer true is refused.
import { loopbackHost } from "../../domain/loopback.ts";
import type { ConsentRecord, Grant, ModelTarget } from "../../config/provider.ts";
import { chooseReader, consentByConfig, costsMoney, isFor, targetOf } from "../../config/provider.ts";
import type { Config } from "../../config/schema.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { LoginProvider, UseModelReply, UseModelRequest } from "../../domain/model-choice.ts";
import { isLogin, LOGINS } from "../../domain/model-choice.ts";
import type { ModelClient } from "../../domain/models.ts";
import type { EngramdService } from "../../domain/service.ts";
import type { AgentId } from "../../domain/sessions.ts";
import { AGENTS } from "../../domain/sessions.ts";
import { ModelFailure } from "../../learn/models/failure.ts";
import { isPriced, resolveModel, retiredModel } from "../../learn/models/prices.ts";
import { randomSuffix, shortHash } from "../../system/ids.ts";
import type { ModelDeps } from "./model.ts";
import { agentReaders, answerModel, ceilingsOf, keyFix } from "./model.ts";
import type { Edited } from "./model-edits.ts";
import { editSettings } from "./model-edits.ts";
import { assertAnswers, probeServer } from "./model-probe.ts";

export interface ModelAnswersDeps extends ModelDeps {
  /** Makes sure that no other engramd changes things while we do. */
  lock(): Promise<void>;
  replaceConsent(record: ConsentRecord): void;
  clientOf(target: ModelTarget): ModelClient;
  /** A person breaks it off. */
  readonly stop?: AbortSignal | undefined;
  /** The settings and the consent have changed: everything goes by them from now on. */
  takeUp(): void;
}

export function createModelAnswers(deps: ModelAnswersDeps): Pick<EngramdService, "model" | "useModel"> {
  return { model: () => answerModel(deps), useModel: (request) => answerUseModel(request, deps) };
}

async function answerUseModel(request: UseModelRequest, deps: ModelAnswersDeps): Promise<UseModelReply> {
  const plan = planOf(request, deps);
  const reply = replyOf(plan, deps);
  if (request.agreed === undefined) return withWeek(reply, plan, deps);
  // Somebody chose the same in the meantime: there is nothing left that would need a yes.
  if (reply.outcome === "unchanged") return { ...reply, outcome: "done" };
  if (request.agreed !== reply.digest) throw planChanged();
  if (reply.unencrypted && request.plainHttp !== true) throw needsPlainHttp(reply);
  await deps.lock();
  // Whoever had the lock before may have chosen as well.
  const now = replyOf(planOf(request, deps), deps);
  if (now.outcome === "unchanged") return { ...reply, outcome: "done" };
  if (request.agreed !== now.digest) throw planChanged();
  if (plan.target?.provider === "local") await probe(plan.target, plan, deps);
  commit(plan, deps);
  return { ...reply, outcome: "done" };
}

function planChanged(): AppError {
  return new AppError({
    code: "plan-changed",
    message: "the settings or the agents here are not what they were when this was shown",
    fix: "run the command again and read what it shows",
  });
}

interface Plan {
  readonly request: UseModelRequest;
  readonly edited: Edited;
  /** Undefined: offline. */
  readonly target: ModelTarget | undefined;
  readonly before: ConsentRecord;
  readonly consent: ConsentRecord;
  /** The model that extracts. */
  readonly model: string;
}

function planOf(request: UseModelRequest, deps: ModelAnswersDeps): Plan {
  const { configFile } = request;
  if (configFile !== undefined && configFile !== deps.settings.path) throw otherFile(configFile, deps);
  const named = namedAgents(request, deps);
  const edited = editSettings({ request, named }, deps.settings);
  const { config } = edited.loaded;
  const before = deps.consent();
  const model = resolveModel(config.models.extract, request.provider);
  const facts = { request, edited, before, model };
  if (request.provider === "offline") {
    return { ...facts, target: undefined, consent: withdrawn(named, { before, edited, deps }) };
  }
  const target = targetOf(config, before);
  if (typeof target === "string") throw new TypeError(target);
  if (target.provider === "anthropic") refuseRetired(model, deps);
  return { ...facts, target, consent: extended(named, { before, edited, deps, target }) };
}

interface Consenting {
  readonly before: ConsentRecord;
  readonly edited: Edited;
  readonly deps: ModelAnswersDeps;
}

/** What was allowed for this very target stays; of another target nothing does. */
function extended(
  named: readonly AgentId[] | undefined,
  { before, edited, deps, target }: Consenting & { readonly target: ModelTarget },
): ConsentRecord {
  const { provider, host } = target;
  const at = new Date(deps.clock.now()).toISOString();
  const kept = before.grants.filter((grant) => isFor(grant, target));
  const wanted = named ?? deps.present();
  const fresh = wanted
    .filter((agent) => edited.loaded.config.agents[agent].mayUseModel !== false)
    .filter((agent) => !kept.some((grant) => grant.agent === agent))
    .map((agent): Grant => ({ agent, provider, host, at, by: "person" }));
  const consent = { grants: [...kept, ...fresh], chosen: undefined, configured: { provider, host } };
  return asRecorded(consent, { edited, deps });
}

/** A file that somebody else manages stays noted as `configured`, so that it does not give it again by itself. */
function withdrawn(
  named: readonly AgentId[] | undefined,
  { before, edited, deps }: Consenting,
): ConsentRecord {
  const target = targetOf(edited.loaded.config, before);
  const still = typeof target === "string" ? undefined : { provider: target.provider, host: target.host };
  if (named === undefined) {
    return asRecorded({ grants: [], chosen: undefined, configured: still }, { edited, deps });
  }
  const grants = before.grants.filter(({ agent }) => !named.includes(agent));
  return asRecorded({ ...before, grants, configured: still ?? before.configured }, { edited, deps });
}

/** With what the settings themselves allow: the plan has to name those as well. */
function asRecorded(consent: ConsentRecord, { edited, deps }: Omit<Consenting, "before">): ConsentRecord {
  const { config, origin } = edited.loaded;
  const at = new Date(deps.clock.now()).toISOString();
  return consentByConfig({ config, origin, consent, present: deps.present(), at }) ?? consent;
}

function replyOf(plan: Plan, deps: ModelAnswersDeps): UseModelReply {
  const { request, edited, target, before, consent } = plan;
  const { config } = edited.loaded;
  const readers = agentReaders({ config, consent, present: deps.present() });
  const sent = readers.filter(({ reader }) => reader === "model").map(({ agent }) => agent);
  const wasSent = (agent: AgentId) =>
    chooseReader({ config: deps.config(), consent: before, agent }).kind === "model" &&
    target !== undefined &&
    before.grants.some((grant) => grant.agent === agent && isFor(grant, target));
  const url = target === undefined ? undefined : new URL(target.baseUrl);
  const elsewhere = url !== undefined && !loopbackHost(url.hostname);
  const isSame = edited.diff.length === 0 && grantsText(before) === grantsText(consent);
  return {
    v: 1,
    outcome: isSame ? "unchanged" : "planned",
    provider: request.provider,
    host: target?.host ?? null,
    elsewhere,
    unencrypted: elsewhere && url.protocol === "http:",
    sent: sent.map((agent) => ({ agent, isNew: !wasSent(agent), sessions: 0, projects: [] })),
    kept: readers.filter(({ reader }) => reader === "rules"),
    week: null,
    ceilings: ceilingsOf(config, target),
    configFile: deps.settings.path,
    diff: edited.diff,
    notes: notesOf(plan, sent, deps),
    digest: shortHash(
      JSON.stringify([target ?? null, sent, edited.before ?? null, edited.after, grantsText(consent)]),
    ),
    running: deps.running(),
  };
}

/** When consent was given does not matter to what it allows. */
function grantsText({ grants, chosen }: ConsentRecord): string {
  const given = grants.map(({ agent, provider, host }) => `${agent} ${provider} ${host}`).toSorted();
  return JSON.stringify([given, chosen ?? null]);
}

function notesOf({ target, edited, model, request }: Plan, sent: readonly AgentId[], deps: ModelAnswersDeps) {
  if (target === undefined) {
    const all = request.agents === undefined;
    return [
      ...edited.held,
      ...(sent.length > 0 ? [`still read by a model, as the settings say: ${sent.join(", ")}`] : []),
      "memories stay, and new words are read by rules" + (all ? "" : " for these agents"),
      "what was sent before stays with whoever received it; keys are where you put them",
    ];
  }
  const needsKey = target.provider === "anthropic" && deps.keyPlace() === null;
  const { config } = edited.loaded;
  const where = deps.running() ? "the running service has none" : "there is none here";
  return [
    ...(needsKey ? [`a key is needed, and ${where}: ${keyFix(config)}`] : []),
    ...(target.provider === "anthropic" && !isPriced(model)
      ? [`what ${model} costs is not known: it is counted at a high price (--model small is known)`]
      : []),
    ...(isLogin(target.provider) ? loginNotes(target.provider, deps) : []),
    ...(sent.length === 0 ? ["no agent is found here yet: one found later has to be allowed by name"] : []),
    ...(target.provider === "local" && isPriced(model)
      ? [`the server is asked for ${model}: name its own model with --model ID`]
      : []),
    ...reworkNotes(config, target),
    "other projects are sent as well once you work in them; projects in the settings can leave one out (mode off)",
    `what was read already, and what was there before the first start, is not sent, but for the few words before a new message${config.dream.enabled ? " and what a dream looks up" : ""}; to send all of it: engramd sync --backfill DAYS`,
    "to take it back: engramd model use offline",
  ];
}

/** What is read beside new words, by which model, and what it may cost: the estimate does not have it. */
function reworkNotes({ models, dream, distill }: Config, { provider }: ModelTarget): string[] {
  const at = (model: string, tokens: number) =>
    `${resolveModel(model, provider)}, at most ${tokens.toLocaleString("en-US")} tokens each`;
  const never = (setting: string) => `never with ${setting}: false`;
  return [
    ...(dream.enabled
      ? [
          `a dream now and then reads all memories of a project and what was typed in its sessions (${at(models.dream, dream.maxInputTokens)}; ${never("dream.enabled")})`,
        ]
      : []),
    ...(distill.enabled
      ? [
          `a distillation at night reads daily logs, where there are any (${at(models.distill, distill.maxInputTokens)}; ${never("distill.enabled")})`,
        ]
      : []),
  ];
}

function loginNotes(provider: LoginProvider, { logins, running }: ModelAnswersDeps): string[] {
  const { name, logIn } = LOGINS[provider];
  return [
    `${name}'s program is run for this, without tools, with its settings and memory off; its sessions are not kept and never read`,
    ...(logins().includes(provider)
      ? []
      : [`no login of ${name} is found ${running() ? "by the running service" : "here"}: ${logIn}`]),
  ];
}

async function withWeek(reply: UseModelReply, plan: Plan, deps: ModelAnswersDeps): Promise<UseModelReply> {
  if (plan.target === undefined || reply.outcome === "unchanged") return reply;
  const week = await deps.week({ model: plan.model, isFree: !costsMoney(plan.target.provider) });
  return {
    ...reply,
    week,
    sent: reply.sent.map((one) => ({ ...one, ...week.agents.find(({ agent }) => agent === one.agent) })),
  };
}

const CHECK_SERVER =
  "check --base-url (without /v1) and --model, and that the server speaks the Messages API";

async function probe(target: ModelTarget, { model, edited }: Plan, deps: ModelAnswersDeps): Promise<void> {
  const { maxInputTokens } = edited.loaded.config.extract;
  const client = deps.clientOf(target);
  // A run has at least two requests.
  const promptTokens = Math.floor(maxInputTokens / 2);
  const signal = deps.stop ?? new AbortController().signal;
  try {
    await assertAnswers(target, { ...deps, signal });
    // The client itself ends what takes too long: a slow server of one's own may read for a minute.
    await probeServer({ client, model, marker: randomSuffix(), promptTokens }, signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, fix } = error;
    throw new AppError({
      code,
      message: `nothing was changed: ${message}`,
      // Nobody tries again by himself what was not chosen.
      fix: error instanceof ModelFailure ? CHECK_SERVER : (fix ?? CHECK_SERVER),
      cause: error,
    });
  }
}

/** Consent first: a settings file that names the provider alone would allow every agent. */
function commit({ consent, edited }: Plan, deps: ModelAnswersDeps): void {
  const former = deps.consent();
  deps.replaceConsent(consent);
  try {
    if (edited.diff.length > 0) deps.settings.write(edited);
  } catch (error) {
    deps.replaceConsent(former);
    throw error;
  }
  deps.takeUp();
}

function namedAgents({ agents }: UseModelRequest, deps: ModelAnswersDeps): readonly AgentId[] | undefined {
  if (agents === undefined) return undefined;
  const present = deps.present();
  const names = agents.split(/[ ,]+/u).filter((name) => name !== "");
  const found = names.map((name) => {
    const agent = AGENTS.find((known) => known === name);
    if (agent !== undefined && present.includes(agent)) return agent;
    const here = present.length === 0 ? "no agent is found here" : `found here: ${present.join(", ")}`;
    throw new AppError({
      code: "unknown-agent",
      message: `nothing of an agent ${JSON.stringify(name)} is read here`,
      fix: here,
      exitCode: EXIT.usage,
    });
  });
  return [...new Set(found)];
}

function refuseRetired(model: string, { clock }: ModelAnswersDeps): void {
  const retired = retiredModel(model, clock.now());
  if (retired === undefined) return;
  throw new AppError({
    code: "model-retired",
    message: `${retired.model} is retired since ${retired.since}`,
    fix: `add --model ${retired.use}`,
    exitCode: EXIT.usage,
  });
}

function needsPlainHttp({ host }: UseModelReply): AppError {
  return new AppError({
    code: "needs-plain-http",
    message: `${host} is not this machine, and your words would go there unencrypted`,
    fix: "use https, or say that you know with --allow-plain-http",
  });
}

function otherFile(configFile: string, { settings }: ModelAnswersDeps): AppError {
  return new AppError({
    code: "other-config",
    message: `the running engramd reads ${settings.path}, not ${configFile}`,
    fix: "leave --config out",
    exitCode: EXIT.usage,
  });
}
