// What dreams and distillations are made of, over the real parts: locks, stamps, gates, the ticks that ask, and the jobs,
// loaded with the first one. Starts nothing.
import { createGateState } from "../learn/jobs/consolidate/gate-state.ts";
import type { Holds } from "../learn/jobs/consolidating.ts";
import { createLastDone } from "../learn/jobs/distill/last-done.ts";
import { createHolds } from "../learn/jobs/host-lock.ts";
import { createStamps } from "../learn/jobs/stamps.ts";
import { folderIdOf } from "../memory/journal/folder-id.ts";
import { sizeIn } from "../serve/answers/consolidation.ts";
import type { LintAnswers } from "../serve/answers/lint.ts";
import { randomShare } from "../system/ids.ts";
import type { Scheduler } from "../system/scheduler.ts";
import { loadLate } from "../system/late-module.ts";
import { createScheduler } from "../system/scheduler.ts";
import { createWakeWatch } from "../system/wake.ts";
import { type Consolidating, createConsolidating } from "./consolidating.ts";
import { createDistilling } from "./distilling.ts";
import type { ConsolidationInput } from "./consolidation-input.ts";
import { createDreaming } from "./dreaming.ts";
import type { Ground } from "./ground.ts";

export interface ConsolidationParts extends Consolidating {
  readonly scheduler: Scheduler;
  readonly linting: () => Promise<LintAnswers>;
  readonly holds: Pick<Holds, "recover">;
}

export function createConsolidationParts(ground: Ground, input: ConsolidationInput): ConsolidationParts {
  const { files, clock, config, paths } = ground;
  const { places, views } = input;
  const { stateDir } = paths;
  const holds = createHolds({ ...ground, stateDir, stamps: createStamps({ ...ground, stateDir }) });
  const wake = createWakeWatch({ clock, jitter: randomShare });
  const dream = createDreaming({
    ...input,
    clock,
    files,
    holds,
    wake,
    marks: createGateState({ ...ground, stateDir }),
    settings: () => config().dream,
    folderIdOf: (memoryDir) => folderIdOf(files.real(memoryDir) ?? memoryDir),
    isLogMode: (memoryDir) => input.logMode(memoryDir) !== undefined,
    loadJob: () => jobs().then(({ createDream }) => createDream(ground, { ...input, holds })),
  });
  const distill = createDistilling({
    ...input,
    clock,
    files,
    wake,
    lastDone: createLastDone({ files, stateDir }),
    settings: () => config().distill,
    loadJob: () => jobs().then(({ createDistill }) => createDistill(ground, { ...input, holds })),
  });
  const consolidating = createConsolidating({
    ...input,
    clock,
    emitter: ground.emitter,
    during: input.book.during,
    whileHeld: ground.instance.whileHeld,
    kinds: { dream, distill },
    projectsAt: places.projectsAt,
    sizeOf: (memoryDir) => sizeIn(views, memoryDir),
  });
  return { ...consolidating, linting: jobs, holds, scheduler: createScheduler({ ...ground, wake }) };
}

async function jobs() {
  return (await loadLate(() => import("./consolidation-jobs.ts"))).CONSOLIDATION_JOBS;
}
