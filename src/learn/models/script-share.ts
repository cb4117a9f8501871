// The part of each ceiling that what programs say may use unasked: the rest is kept for people. Counts nothing itself.
import type { Config } from "../../config/schema.ts";
import { SCRIPT_LIMITS } from "../../domain/limits.ts";

type Limits = Config["budget"];

/** Programs are heard where a person said so, and people before them. */
export type Speaker = "people" | "scripts";

export function limitsFor(who: Speaker, limits: Limits): Limits {
  if (who === "people") return limits;
  const share = (most: number) => most * SCRIPT_LIMITS.budgetShareMax;
  const runs = (most: number) => Math.ceil(share(most));
  const { subscription } = limits;
  return {
    ...limits,
    tokensPerDay: share(limits.tokensPerDay),
    usdPerDay: share(limits.usdPerDay),
    usdPerMonth: share(limits.usdPerMonth),
    runsPerHour: runs(limits.runsPerHour),
    subscription: {
      ...subscription,
      runsPerDay: runs(subscription.runsPerDay),
      tokensPerDay: share(subscription.tokensPerDay),
    },
  };
}
