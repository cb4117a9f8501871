// `engramd model`: which model reads whose words and why, what it cost and would cost, what could be chosen. Asks no
// model and reads no key.
import type { ConsentRecord, ModelTarget } from "../../config/provider.ts";
import { chooseReader, costsMoney, targetOf } from "../../config/provider.ts";
import { isLogin, LOGINS, type LoginProvider } from "../../domain/model-choice.ts";
import type { Config } from "../../config/schema.ts";
import type {
  AgentReader,
  KeyPlace,
  ModelCeilings,
  ModelReport,
  ModelWeek,
} from "../../domain/model-choice.ts";
import type { AgentId } from "../../domain/sessions.ts";
import type { Warning } from "../../domain/status.ts";
import type { Budget } from "../../learn/models/budget.ts";
import { resolveModel } from "../../learn/models/prices.ts";
import type { Clock } from "../../system/clock.ts";
import { allowCommand } from "./model-warnings.ts";
import type { SettingsText } from "./model-edits.ts";

export interface ModelDeps {
  readonly clock: Clock;
  readonly settings: SettingsText;
  readonly budget: Pick<Budget, "spent">;
  config(): Config;
  /** Agents whose folders exist. */
  present(): readonly AgentId[];
  /** What is allowed, with what the settings add by themselves. */
  consent(): ConsentRecord;
  /** Kinds of jobs a model may do. */
  readonly kinds: readonly (keyof Config["models"])[];
  keyPlace(): KeyPlace;
  /** Logins of programs that are here. */
  logins(): readonly LoginProvider[];
  week(ask: { readonly model: string; readonly isFree: boolean }): Promise<ModelWeek>;
  modelWarnings(): readonly Warning[];
  /** Whether a daemon answers. */
  running(): boolean;
}

export async function answerModel(deps: ModelDeps): Promise<ModelReport> {
  const config = deps.config();
  const consent = deps.consent();
  const present = deps.present();
  const target = targetOf(config, consent);
  const agents = agentReaders({ config, consent, present });
  const provider = typeof target === "string" ? undefined : target.provider;
  const isFree = typeof target !== "string" && !costsMoney(target.provider);
  const key = deps.keyPlace();
  const host =
    agents.some(({ reader }) => reader === "model") && typeof target !== "string" ? target.host : null;
  const { tokensToday, usdToday, usdMonth } = deps.budget.spent();
  return {
    v: 1,
    running: deps.running(),
    kinds: deps.kinds.map((kind) => {
      const model = resolveModel(config.models[kind], provider);
      return { kind, ...providerOf({ config, consent, present }, model) };
    }),
    host,
    agents,
    apiKeyEnv: config.apiKeyEnv,
    key,
    ceilings: ceilingsOf(config, target),
    spent: { tokensToday, usdToday, usdMonth },
    week: await deps.week({ model: resolveModel(config.models.extract, provider), isFree }),
    offers: offersOf(deps),
    warnings: [
      ...deps.modelWarnings(),
      ...(host !== null && provider === "anthropic" && key === null ? keyWarnings(deps) : []),
    ],
  };
}

/** Known before a job meets it, and so also where none has run; not again what one has met. */
function keyWarnings({ modelWarnings, running, config }: ModelDeps): Warning[] {
  const code = "model-key-missing";
  if (modelWarnings().some((warning) => warning.code === code)) return [];
  const message = `${running() ? "the running service has no key" : "there is no key here"}: new words wait for one`;
  return [{ code, message, fix: keyFix(config()) }];
}

/** The ways to a key. */
export function keyFix({ apiKeyEnv }: Config): string {
  return `name it with apiKeyFile or apiKeyCommand, or set ${apiKeyEnv}`;
}

interface Choosing {
  readonly config: Config;
  readonly consent: ConsentRecord;
  readonly present: readonly AgentId[];
}

/** What reads the words of each agent that is here. */
export function agentReaders({ config, consent, present }: Choosing): AgentReader[] {
  const target = targetOf(config, consent);
  return present.map((agent): AgentReader => {
    const { kind, why } = chooseReader({ config, consent, agent });
    if (kind === "model") return { agent, reader: "model", why, allow: null };
    const allow = typeof target === "string" ? null : allowCommand(target.provider, agent);
    return { agent, reader: "rules", why, allow };
  });
}

function providerOf(
  { config, consent, present }: Choosing,
  model: string,
): Omit<ModelReport["kinds"][number], "kind"> {
  const choices = present.map((agent) => chooseReader({ config, consent, agent }));
  const used = choices.find((choice) => choice.kind === "model");
  if (used?.kind === "model") return { provider: used.target.provider, model, why: used.why };
  const none = targetOf(config, consent);
  const why = typeof none === "string" ? none : (choices[0]?.why ?? "no agent was found");
  return { provider: "offline", model: null, why };
}

export function ceilingsOf({ budget }: Config, target: ModelTarget | string | undefined): ModelCeilings {
  const { tokensPerDay, usdPerDay, usdPerMonth, runsPerHour, subscription: plan } = budget;
  const isPlan = typeof target === "object" && isLogin(target.provider);
  return { tokensPerDay, usdPerDay, usdPerMonth, runsPerHour, ...(isPlan ? { plan } : {}) };
}

/** What could be used at once, while no model is in force. */
export function offersOf(
  deps: Pick<ModelDeps, "config" | "consent" | "keyPlace" | "logins">,
): ModelReport["offers"] {
  const config = deps.config();
  if (typeof targetOf(config, deps.consent()) !== "string") return [];
  return [...keyOffers(deps.keyPlace(), config), ...loginOffers(deps)];
}

function loginOffers({ logins }: Pick<ModelDeps, "logins">): ModelReport["offers"] {
  return logins().map((provider) => ({
    what: `a login of ${LOGINS[provider].name} is here`,
    command: `engramd model use ${provider}`,
  }));
}

function keyOffers(key: KeyPlace, { apiKeyEnv }: Config): ModelReport["offers"] {
  if (key === null) return [];
  const what = {
    command: "apiKeyCommand is set",
    file: "apiKeyFile is set",
    variable: `${apiKeyEnv} is set`,
  };
  return [{ what: what[key], command: "engramd model use anthropic" }];
}
