// What `engramd model` says and asks for: which model reads whose words, what it would cost, and the plan a person
// agrees to. Documents are a contract: add, never rename. Never holds a key.
import type { AgentId } from "./sessions.ts";
import type { Warning } from "./status.ts";

/** Who may answer as a model. */
export const PROVIDERS = ["anthropic", "claude-cli", "codex-cli", "local"] as const;
export type ModelProvider = (typeof PROVIDERS)[number];

/** What a person can choose by command. */
export const MODEL_CHOICES = [...PROVIDERS, "offline"] as const;
export type ModelChoiceName = (typeof MODEL_CHOICES)[number];

/** Providers that are a login of the person's own, used through its program: part of a plan, which shows no money. */
export const LOGINS = {
  "claude-cli": { name: "Claude Code", logIn: "run claude and type /login" },
  "codex-cli": { name: "Codex", logIn: "run codex login" },
} as const;
export type LoginProvider = keyof typeof LOGINS;

export function isLogin(provider: string): provider is LoginProvider {
  return Object.hasOwn(LOGINS, provider);
}

/** Where the key of a provider would come from; null: nowhere. Its value is not read for this. */
export type KeyPlace = "command" | "file" | "variable" | null;

/** What the person's own words of the last days would make a model read. An estimate; nobody was asked. */
export interface ModelWeek {
  readonly days: number;
  /** Days on which something was typed. */
  readonly activeDays: number;
  readonly sessions: number;
  readonly agents: readonly {
    readonly agent: AgentId;
    readonly sessions: number;
    /** Roots of its projects, sorted. */
    readonly projects: readonly string[];
  }[];
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  /** Null for a server of one's own. */
  readonly usd: number | null;
  /** A day on which something was typed, on average. */
  readonly day: { readonly inputTokens: number; readonly usd: number | null };
  /** Sessions nobody looked into: the time for this was over. Then all figures are too low. */
  readonly left: number;
}

export interface ModelCeilings {
  readonly tokensPerDay: number;
  readonly usdPerDay: number;
  readonly usdPerMonth: number;
  readonly runsPerHour: number;
  /** Of a subscription, where requests are part of one: no money is paid for them. */
  readonly plan?: { readonly runsPerDay: number; readonly tokensPerDay: number };
}

/** One agent, and what reads its words. */
export interface AgentReader {
  readonly agent: AgentId;
  readonly reader: "model" | "rules";
  readonly why: string;
  /** The command that lets the model in use read it; null where one does, or none is in use. */
  readonly allow: string | null;
}

export interface ModelReport {
  readonly v: 1;
  /** Whether the daemon answers; without it the answer holds for its next start in this environment. */
  readonly running: boolean;
  /** Each kind of job that a model may do. */
  readonly kinds: readonly {
    readonly kind: string;
    /** `offline`: rules do it. */
    readonly provider: string;
    readonly model: string | null;
    readonly why: string;
  }[];
  /** Where words go; null: nowhere. */
  readonly host: string | null;
  readonly agents: readonly AgentReader[];
  readonly apiKeyEnv: string;
  readonly key: KeyPlace;
  readonly ceilings: ModelCeilings;
  readonly spent: { readonly tokensToday: number; readonly usdToday: number; readonly usdMonth: number };
  readonly week: ModelWeek;
  /** What the person could choose, and does not have to. */
  readonly offers: readonly { readonly what: string; readonly command: string }[];
  readonly warnings: readonly Warning[];
}

export interface UseModelRequest {
  readonly provider: ModelChoiceName;
  readonly baseUrl?: string;
  /** For every kind of job. */
  readonly model?: string;
  /** Ids joined by commas; absent: every agent found here. */
  readonly agents?: string;
  /** The settings file the person means; another one than ours is refused. */
  readonly configFile?: string;
  /** The `digest` of the plan the person agreed to; absent: make the plan and change nothing. */
  readonly agreed?: string;
  /** The person knows that the words go over the network unencrypted. */
  readonly plainHttp?: boolean;
}

export interface UseModelReply {
  readonly v: 1;
  readonly outcome: "planned" | "done" | "unchanged";
  readonly provider: ModelChoiceName;
  readonly host: string | null;
  /** The server is not this machine. */
  readonly elsewhere: boolean;
  /** It is not this machine, and the words would travel unencrypted. */
  readonly unencrypted: boolean;
  /** Agents whose words will be sent, with the projects they were used in lately. */
  readonly sent: readonly {
    readonly agent: AgentId;
    readonly isNew: boolean;
    readonly sessions: number;
    readonly projects: readonly string[];
  }[];
  /** The others that are here. */
  readonly kept: readonly AgentReader[];
  /** Null with `offline`. */
  readonly week: ModelWeek | null;
  readonly ceilings: ModelCeilings;
  readonly configFile: string;
  /** The settings that change, as lines of JSON. */
  readonly diff: readonly { readonly key: string; readonly before: string | null; readonly after: string }[];
  /** What to know beside; with `offline`: what stays. */
  readonly notes: readonly string[];
  readonly digest: string;
  readonly running: boolean;
}
