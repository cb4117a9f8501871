// What pays for models, put together: the ledger, the ceilings over it, and who stops what teaches nothing. Asks nobody.
import type { Places } from "../intake/projects/places.ts";
import type { Breaker } from "../learn/models/breaker.ts";
import { createBreaker } from "../learn/models/breaker.ts";
import type { Budget } from "../learn/models/budget.ts";
import { createBudget } from "../learn/models/budget.ts";
import type { Ledger, RunEntry } from "../learn/models/ledger.ts";
import { createLedger } from "../learn/models/ledger.ts";
import type { OpenCost } from "../learn/models/open-costs.ts";
import { createOpenCosts } from "../learn/models/open-costs.ts";
import { newRunId } from "../system/ids.ts";
import type { Ground } from "./ground.ts";
import type { Reading } from "./reading.ts";

export interface Money {
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly breaker: Breaker;
  /** A run ended and stands in the ledger. */
  ran(entry: RunEntry): void;
  /** What jobs may have cost whose process died over them. */
  interrupted(): readonly RunEntry[];
  /** Those stand in the ledger. */
  settled(): void;
}

export interface MoneyInput {
  readonly places: Places;
  /** Who pays for what a model reads now. */
  readonly payment: Pick<Reading, "isPlan" | "isFree">;
}

export function createMoney({ files, clock, paths, config }: Ground, { places, payment }: MoneyInput): Money {
  const { stateDir } = paths;
  const ledger = createLedger({ files, stateDir });
  const openCosts = createOpenCosts({ files, stateDir });
  const limits = () => config().budget;
  const budget = createBudget({ clock, ledger, limits, ...payment, keepOpen: openCosts.keep });
  const breaker = createBreaker({ clock, ledger });
  return {
    ledger,
    budget,
    breaker,
    ran(entry) {
      budget.add(entry);
      breaker.ran(entry);
    },
    interrupted: () =>
      openCosts.left().map((cost) => interrupted(cost, places.projectsAt(cost.memoryDir)[0]?.root ?? "")),
    settled: () => openCosts.keep([]),
  };
}

/** Nobody knows which run it was, or what it was about to teach. */
function interrupted({ at, memoryDir, kind = "extract", ...cost }: OpenCost, project: string): RunEntry {
  const run = { id: newRunId(Date.parse(at)), kind, trigger: "crash", outcome: "interrupted" };
  return { v: 1, ...cost, ...run, at, project, memoryDir, files: [] };
}
