// When dreams and distillations are considered: at the slots of their schedules, at the start, after a wake, and once more
// when one is over. A tick only asks what is due; gates and due checks decide.
import type { Config } from "../../config/schema.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import type { Log } from "../../system/log.ts";
import type { Scheduler, Ticking } from "../../system/scheduler.ts";

export interface ConsolidationTicksDeps {
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly scheduler: Pick<Scheduler, "everyTick">;
  config(): Config;
  /** Queues what is due. Answers when what waits after a wake may begin. */
  consider(): Promise<Instant | undefined>;
  /** Calls when a consolidation is over, until the returned function is called. */
  onOver(told: () => void): () => void;
}

export interface ConsolidationTicks {
  /** Once it resolves, since gates ask what sessions there are; not at all when it rejects. */
  startAfter(firstRound: Promise<void>): void;
  stop(): void;
}

/** Its job is off the queue by then, and what it wrote is noticed. */
const AFTER_MS = 1_000;

export function createConsolidationTicks(deps: ConsolidationTicksDeps): ConsolidationTicks {
  const { clock, log, scheduler, config } = deps;
  let ticking: readonly Ticking[] = [];
  let schedules = "";
  let timer: Timer | undefined;
  let unlisten: () => void = () => undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    if (isStopped) return;
    try {
      await follow();
      const settledAt = isStopped ? undefined : await deps.consider();
      // The next slot may be far away, and a night that was slept through is not to wait for it.
      if (settledAt !== undefined) lookIn(settledAt - clock.now());
    } catch (error) {
      log.error("consolidations could not be considered", { error: messageOf(error) });
    }
  }

  function lookIn(ms: number): void {
    timer?.cancel();
    if (!isStopped) timer = clock.setTimer(ms, () => void look());
  }

  /** Settings may have been read again since. */
  async function follow(): Promise<void> {
    const wanted = [config().dream.schedule, config().distill.schedule];
    if (schedules === wanted.join("\n")) return;
    schedules = wanted.join("\n");
    for (const each of ticking) each.stop();
    ticking = await Promise.all(wanted.map((cron) => scheduler.everyTick(cron, () => void look())));
    if (isStopped) for (const each of ticking) each.stop();
  }

  return {
    startAfter(firstRound) {
      unlisten = deps.onOver(() => lookIn(AFTER_MS));
      void firstRound.then(look, () => undefined);
    },
    stop() {
      isStopped = true;
      unlisten();
      timer?.cancel();
      for (const each of ticking) each.stop();
    },
  };
}
