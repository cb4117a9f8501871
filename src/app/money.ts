// What pays for models, put together: the ledger, the ceilings over it, and who stops what teaches nothing. Asks nobody.
import type { Breaker } from "../learn/models/breaker.ts";
import { createBreaker } from "../learn/models/breaker.ts";
import type { Budget } from "../learn/models/budget.ts";
import { createBudget } from "../learn/models/budget.ts";
import type { Ledger } from "../learn/models/ledger.ts";
import { createLedger } from "../learn/models/ledger.ts";
import type { OpenCosts } from "../learn/models/open-costs.ts";
import { createOpenCosts } from "../learn/models/open-costs.ts";
import type { Ground } from "./ground.ts";

export interface Money {
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly breaker: Breaker;
  readonly openCosts: OpenCosts;
}

export function createMoney({ files, clock, paths: { stateDir }, config }: Ground): Money {
  const ledger = createLedger({ files, stateDir });
  const openCosts = createOpenCosts({ files, stateDir });
  const budget = createBudget({ clock, ledger, limits: () => config().budget, keepOpen: openCosts.keep });
  return { ledger, budget, breaker: createBreaker({ clock, ledger }), openCosts };
}
