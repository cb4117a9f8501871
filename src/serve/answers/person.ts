// What a person tells engramd to do with memory, put together: remember, forget, and the decisions of review.
import type { EngramdService } from "../../domain/service.ts";
import { answerForget } from "./forget.ts";
import { answerLog, type LogDeps } from "./log.ts";
import { createReview, type ReviewDeps } from "./inbox-decide.ts";
import { answerPurge, type PurgeDeps } from "./purge.ts";
import type { PersonDeps } from "./remember.ts";
import { answerRemember } from "./remember.ts";

export interface PersonAnswersDeps extends PersonDeps, ReviewDeps {
  readonly writer: ReviewDeps["writer"] & LogDeps["writer"];
  purging(): Omit<PurgeDeps, "projectAt">;
}

export function createPersonAnswers(
  deps: PersonAnswersDeps,
): Pick<EngramdService, "remember" | "forget" | "log" | "inbox" | "acceptItems" | "rejectItems"> {
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
    ...createReview(deps),
  };
}
