// The distillation's job over the real parts.
import type { ConsolidationJob } from "../learn/jobs/consolidating.ts";
import { createDistillJob } from "../learn/jobs/distill/index.ts";
import { patchBetween } from "../serve/answers/run-diff.ts";
import type { HeldInput } from "./consolidation-input.ts";
import type { Ground } from "./ground.ts";

export function createDistill(ground: Ground, input: HeldInput): ConsolidationJob {
  const { today, paths } = ground;
  const { writer, reading, waiting, book, budget, views } = input;
  const job = createDistillJob({
    ...ground,
    stateDir: paths.stateDir,
    holds: input.holds,
    viewOf: views.view,
    preview: waiting.preview,
    ownBullets: writer.ownBullets,
    isIgnored: (session) => input.ignored.has(session),
    finishOpen: writer.finishOpen,
    commit: waiting.commit,
    rehearse: (set, options) =>
      writer.rehearse(set, {
        ...options,
        today: today(),
        lossShareMax: ground.config().dream.maxLossShare,
      }),
    patchOf: patchBetween,
    keepForReview: waiting.keepForReview,
    readerFor: (agent) => reading.modelFor("distill", [agent]),
    openAccount: (memoryDir) => budget.open(memoryDir, "distill"),
    ran({ run: id, ...told }) {
      book.consolidated({ ...told, id, kind: "distill", isDry: false });
    },
  });
  return {
    run: ({ memoryDir, ...ask }) =>
      job.run({
        ...ask,
        memoryDir: ground.files.real(memoryDir) ?? memoryDir,
        byPerson: ask.trigger === "person",
      }),
  };
}
