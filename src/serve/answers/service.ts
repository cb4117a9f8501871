// The in-process home of every answer; the socket and the command line ask the same one.
import { isLogin } from "../../domain/model-choice.ts";
import type { EngramdService } from "../../domain/service.ts";
import { type AccountInput, createAccount } from "./account.ts";
import { answerCost, type CostDeps } from "./cost.ts";
import { answerMemories } from "./memories.ts";
import type { ModelAnswersDeps } from "./model-use.ts";
import { createModelAnswers } from "./model-use.ts";
import { answerPause, answerResume } from "./pause.ts";
import { createPersonAnswers, type PersonAnswersDeps } from "./person.ts";
import type { ProjectsDeps } from "./projects.ts";
import { answerMove, listProjects } from "./projects.ts";
import { projectAtPath } from "./project-at.ts";
import { answerSearch } from "./search.ts";
import type { OverviewDeps } from "./overview.ts";
import { takeOverview } from "./overview.ts";
import type { LiveFacts } from "./snapshot.ts";
import { takeSnapshot } from "./snapshot.ts";
import type { SyncDeps } from "./sync.ts";
import { answerSync, notRunning } from "./sync.ts";

export interface ServiceDeps
  extends
    Omit<OverviewDeps, "files">,
    Omit<SyncDeps, "isWanted" | "isPlan">,
    Omit<PersonAnswersDeps, "projectAt" | "catchUp"> {
  readonly agentHome: string;
  live(): LiveFacts;
  /** Sees to it that a failure of work nobody waits for is told. */
  inBackground(work: Promise<unknown>): void;
  readonly account: AccountInput;
  readonly choosing: Omit<ModelAnswersDeps, "lock" | "running">;
  readonly moving: Pick<ProjectsDeps, "files" | "locks" | "stateDir" | "settleJobs" | "moved">;
  readonly ledger: CostDeps["ledger"];
  /** Makes sure that no other engramd changes things while we do. */
  lock(): Promise<void>;
}

export function createService(deps: ServiceDeps): EngramdService {
  const projectAt = (path: string) => projectAtPath(path, deps);
  const isWanted: SyncDeps["isWanted"] = (project, path) => projectAt(path).id === project.id;
  return {
    async status() {
      const folders = deps.places.known().map((project) => deps.places.placeOf(project).memoryDir);
      const views = await deps.views.freshen(new Set(folders));
      return takeSnapshot({ ...deps, views }, deps.live());
    },
    overview: () => takeOverview(deps, deps.live()),
    ...createModelAnswers({ ...deps.choosing, lock: deps.lock, running: () => isRunning(deps) }),
    async memories(request) {
      const { words } = request;
      if (words !== undefined) return answerSearch({ ...request, words }, { ...deps, projectAt });
      return answerMemories(request, { ...deps, projectAt });
    },
    ...createPersonAnswers({
      ...deps,
      projectAt,
      catchUp: async () => {
        if (!isRunning(deps) && deps.pause.current() === undefined) await deps.sweep();
      },
    }),
    ...createAccount({ ...deps.account, live: deps.live, lock: deps.lock, projectAt }),
    cost: async (request) => answerCost(request, { ...deps, projectAt }),
    async pause(request) {
      await deps.lock();
      return answerPause(request, { ...deps, running: isRunning(deps) });
    },
    async resume() {
      await deps.lock();
      return answerResume({ ...deps, running: isRunning(deps) });
    },
    projects: async () => listProjects(deps),
    async moveProject(request) {
      if (request.dryRun !== true) await deps.lock();
      return answerMove(request, { ...deps, ...deps.moving, projectAt });
    },
    async sync(request) {
      const sync = { ...deps, isWanted, isPlan: () => isLogin(deps.provider().name) };
      if (request.background !== true) {
        await deps.lock();
        return answerSync(request, sync);
      }
      if (!isRunning(deps)) throw notRunning();
      const plan = await answerSync({ ...request, dryRun: true }, sync);
      if (request.dryRun !== true) deps.inBackground(answerSync(request, sync));
      return plan;
    },
  };
}

function isRunning({ live }: ServiceDeps): boolean {
  return live().pid !== null;
}
