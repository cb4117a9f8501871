// What a person tells engramd to do with memory, put together: remember, forget, log, lint, dream, distill, review.
import type { EngramdService } from "../../domain/service.ts";
import { answerConsolidation, type ConsolidationDeps } from "./consolidation.ts";
import { answerForget } from "./forget.ts";
import type { LintAnswers, LintDeps } from "./lint.ts";
import { answerLog, type LogDeps } from "./log.ts";
import { createReview, type ReviewDeps } from "./inbox-decide.ts";
import { answerPurge, type PurgeDeps } from "./purge.ts";
import type { PersonDeps } from "./remember.ts";
import { answerRemember } from "./remember.ts";

export interface PersonAnswersDeps extends PersonDeps, ReviewDeps, ConsolidationDeps {
  readonly files: LintDeps["files"];
  readonly writer: ReviewDeps["writer"] & LogDeps["writer"] & LintDeps["writer"];
  purging(): Omit<PurgeDeps, "projectAt">;
  linting(): Promise<LintAnswers>;
  /** Nobody watched the transcripts while no service ran: looks at them once. */
  catchUp(): Promise<void>;
}

type PersonAnswers = Pick<
  EngramdService,
  | "remember"
  | "forget"
  | "log"
  | "dream"
  | "distill"
  | "inbox"
  | "acceptItems"
  | "rejectItems"
  | "lint"
  | "fixLint"
>;

export function createPersonAnswers(deps: PersonAnswersDeps): PersonAnswers {
  return {
    async remember(request) {
      await deps.lock();
      const reply = await answerRemember(request, deps);
      deps.places.save();
      return reply;
    },
    async forget(request) {
      await deps.lock();
      if (request.purge === true) return answerPurge(request, { ...deps, ...deps.purging() });
      return answerForget(request, deps);
    },
    async log(request) {
      await deps.lock();
      const reply = await answerLog(request, deps);
      deps.places.save();
      return reply;
    },
    lint: async (request) => (await deps.linting()).answerLint(request, deps),
    async fixLint(request) {
      await deps.lock();
      return (await deps.linting()).answerFix(request, deps);
    },
    async dream(request) {
      await deps.lock();
      await deps.catchUp();
      return answerConsolidation("dream", request, deps);
    },
    async distill(request) {
      await deps.lock();
      await deps.catchUp();
      return answerConsolidation("distill", request, deps);
    },
    ...createReview(deps),
  };
}
