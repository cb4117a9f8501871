// What a person should know about the model: it cannot be asked, its ceiling is reached, an agent waits to be allowed.
// Reads what others know; asks nobody.
import { displayText } from "../../domain/printable.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Status, Warning } from "../../domain/status.ts";
import type { AgentId } from "../../domain/sessions.ts";
import type { Resting } from "../../learn/models/breaker.ts";
import type { Exhausted } from "../../learn/models/ceilings.ts";
import type { Retired } from "../../learn/models/prices.ts";
import type { Closing } from "../../learn/models/provider-gate.ts";

export interface ModelFacts {
  /** The last failure of each memory folder, as the status shows it. */
  readonly errors: readonly NonNullable<Status["projects"][number]["lastError"]>[];
  /** What mends a failure of this code; undefined for failures that are none of the model's. */
  fixOf(error: Pick<Warning, "code" | "message">): string | undefined;
  /** Providers in use that nobody may ask now, and how many jobs wait for each. */
  readonly closed: readonly (Closing & { readonly jobs: number })[];
  readonly exhausted: Exhausted | undefined;
  /** Agents whose words the chosen model may not see, and why. */
  readonly waiting: readonly { readonly agent: AgentId; readonly provider: string; readonly why: string }[];
  /** Projects where the model's runs taught nothing, one after the other. */
  readonly resting: readonly Resting[];
  /** The model in use that the price table does not know. */
  readonly unpriced: string | undefined;
  /** The model in use that its vendor has switched off. */
  readonly retired: Retired | undefined;
}

export function modelWarnings(facts: ModelFacts): Warning[] {
  return [
    ...retiredWarnings(facts),
    ...closedWarnings(facts).filter(({ code }) => facts.retired === undefined || code !== "model-retired"),
    ...failureWarnings(facts),
    ...budgetWarnings(facts),
    ...restWarnings(facts),
    ...facts.waiting.map(({ agent, provider, why }) => ({
      code: "agent-without-consent",
      message: `the words of ${agent} are read by rules only: ${why}`,
      fix: allowCommand(provider, agent),
    })),
    ...priceWarnings(facts),
  ];
}

/** The command that lets the model in use read an agent's words. */
export function allowCommand(provider: string, agent: AgentId): string {
  return `engramd model use ${provider} --agent ${agent}`;
}

/** Known before anything is tried. */
function retiredWarnings({ retired }: ModelFacts): Warning[] {
  if (retired === undefined) return [];
  const { model, since, use } = retired;
  const message = `${model} is retired since ${since}: nothing is sent to it, and new words wait`;
  return [{ code: "model-retired", message, fix: `engramd model use anthropic --model ${use}` }];
}

/** Only what a person has to mend; the status names the others as well, beside the provider. */
function closedWarnings({ closed }: ModelFacts): Warning[] {
  return closed.flatMap(({ code, message, since, until, fix, jobs }) => {
    if (fix === undefined) return [];
    const wait = jobs === 0 ? "" : `; ${jobs} ${jobs === 1 ? "job waits" : "jobs wait"}`;
    const next = `next try ${new Date(until).toISOString()}`;
    const said = `${message}, since ${new Date(since).toISOString()}${wait}; ${next}`;
    return [{ code, message: said, fix }];
  });
}

/** For the status: the provider in use that was closed last. */
export function providerClosed({ closed }: ModelFacts): Status["provider"]["closed"] {
  const last = closed.at(-1);
  if (last === undefined) return undefined;
  const { code, message, since, until, fix = null, jobs } = last;
  const at = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  return { code, message, ...at, waitingJobs: jobs, fix };
}

/** One a code, whatever the number of projects; not again what the gate says. */
function failureWarnings({ errors, closed, fixOf }: ModelFacts): Warning[] {
  const found = new Map<string, Warning>();
  const told = new Set<string>(closed.map(({ code }) => code));
  for (const { code, message } of errors) {
    const fix = fixOf({ code, message });
    if (fix !== undefined && !found.has(code) && !told.has(code)) found.set(code, { code, message, fix });
  }
  return [...found.values()];
}

function budgetWarnings({ exhausted }: ModelFacts): Warning[] {
  if (exhausted === undefined) return [];
  const { setting, until, tooLow = false } = exhausted;
  const raise = `raise budget.${setting} in the configuration`;
  if (tooLow) {
    const message = `budget.${setting} is less than one run of the model may cost: new words wait`;
    return [{ code: "over-budget", message, fix: `${raise}, or: engramd model use offline` }];
  }
  const message = `budget.${setting} leaves no room: new words wait until ${new Date(until).toISOString()}`;
  return [{ code: "over-budget", message, fix: `wait, or ${raise}` }];
}

function restWarnings({ resting }: ModelFacts): Warning[] {
  return resting.map(({ project, runs, until }) => ({
    code: "model-rests",
    message:
      `the last ${runs} runs of the model in ${displayText(project)} taught nothing: new words wait there until ` +
      `${new Date(until).toISOString()}, or until you type "remember ..." in a session of it`,
    fix: `engramd sync --project ${shellWord(project)}`,
  }));
}

function priceWarnings({ unpriced }: ModelFacts): Warning[] {
  if (unpriced === undefined) return [];
  const message = `what ${unpriced} costs is not known: it is counted at a high price`;
  return [{ code: "model-without-price", message, fix: "set models.extract to small, or watch the bill" }];
}

/** Only what a person has to mend makes the daemon degraded; a busy server is left to the retries. */
export function modelState({
  errors,
  closed,
  fixOf,
  exhausted,
  retired,
}: ModelFacts): "degraded" | "over-budget" | undefined {
  if (retired !== undefined) return "degraded";
  if (closed.some(({ fix }) => fix !== undefined)) return "degraded";
  if (errors.some((error) => fixOf(error) !== undefined)) return "degraded";
  return exhausted === undefined ? undefined : "over-budget";
}
