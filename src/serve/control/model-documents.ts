// The schemas of what is said about models, as data; beside `documents.ts`, which lists every answer.
import type {
  AgentReader,
  ModelCeilings,
  ModelReport,
  ModelWeek,
  UseModelReply,
} from "../../domain/model-choice.ts";
import { MODEL_CHOICES } from "../../domain/model-choice.ts";
import { AGENTS } from "../../domain/sessions.ts";
import type { Warning } from "../../domain/status.ts";
import * as is from "./json-schema.ts";

type Item<T> = T extends readonly (infer I)[] ? I : never;

const version1 = is.oneOf(1);
const agent = is.oneOf(...AGENTS);

const week = is.named(
  "ModelWeek",
  is.object<ModelWeek>({
    days: is.count,
    activeDays: is.count,
    sessions: is.count,
    agents: is.listOf(
      is.object<Item<ModelWeek["agents"]>>({ agent, sessions: is.count, projects: is.listOf(is.text) }),
    ),
    model: is.text,
    requests: is.count,
    inputTokens: is.count,
    usd: is.orNull(is.amount),
    day: is.object<ModelWeek["day"]>({ inputTokens: is.count, usd: is.orNull(is.amount) }),
    left: is.count,
  }),
);

const ceilings = is.object<ModelCeilings>({
  tokensPerDay: is.count,
  usdPerDay: is.amount,
  usdPerMonth: is.amount,
  runsPerHour: is.count,
  plan: is.maybe(
    is.object<NonNullable<ModelCeilings["plan"]>>({ runsPerDay: is.count, tokensPerDay: is.count }),
  ),
});

const reader = is.object<AgentReader>({
  agent,
  reader: is.oneOf("model", "rules"),
  why: is.text,
  allow: is.orNull(is.text),
});

export const modelOffers = is.listOf(
  is.object<Item<ModelReport["offers"]>>({ what: is.text, command: is.text }),
);

export const modelReport = is.named(
  "ModelReport",
  is.object<ModelReport>({
    v: version1,
    running: is.flag,
    kinds: is.listOf(
      is.object<Item<ModelReport["kinds"]>>({
        kind: is.text,
        provider: is.text,
        model: is.orNull(is.text),
        why: is.text,
      }),
    ),
    host: is.orNull(is.text),
    agents: is.listOf(reader),
    apiKeyEnv: is.text,
    key: is.orNull(is.oneOf("command", "file", "variable")),
    ceilings,
    spent: is.object<ModelReport["spent"]>({
      tokensToday: is.count,
      usdToday: is.amount,
      usdMonth: is.amount,
    }),
    week,
    offers: modelOffers,
    warnings: is.listOf(is.object<Warning>({ code: is.text, message: is.text, fix: is.text })),
  }),
);

export const useModelReply = is.named(
  "UseModelReply",
  is.object<UseModelReply>({
    v: version1,
    outcome: is.oneOf("planned", "done", "unchanged"),
    provider: is.oneOf(...MODEL_CHOICES),
    host: is.orNull(is.text),
    elsewhere: is.flag,
    unencrypted: is.flag,
    sent: is.listOf(
      is.object<Item<UseModelReply["sent"]>>({
        agent,
        isNew: is.flag,
        sessions: is.count,
        projects: is.listOf(is.text),
      }),
    ),
    kept: is.listOf(reader),
    week: is.orNull(week),
    ceilings,
    configFile: is.text,
    diff: is.listOf(
      is.object<Item<UseModelReply["diff"]>>({ key: is.text, before: is.orNull(is.text), after: is.text }),
    ),
    notes: is.listOf(is.text),
    digest: is.text,
    running: is.flag,
  }),
);
