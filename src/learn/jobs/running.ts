// Runs under way, of every kind: what `cancel` ends and `status` shows. Holds no content.
import type { RunId } from "../../domain/changes.ts";
import type { Instant } from "../../domain/records.ts";

/** A run that has begun and not ended. */
export interface CurrentRun {
  readonly run: RunId;
  /** Kind of job. */
  readonly kind: string;
  readonly trigger: string;
  readonly memoryDir: string;
  readonly startedAt: Instant;
  /** Resolves when nothing of it goes on. */
  readonly ended: Promise<void>;
}

export interface RunningRuns {
  current(): readonly CurrentRun[];
  /** Answers what to call at its end. */
  begin(run: Omit<CurrentRun, "ended">): () => void;
}

export function createRunningRuns(): RunningRuns {
  const running = new Set<CurrentRun>();
  return {
    current: () => [...running],
    begin(run) {
      let tell: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (tell = resolve));
      const current = { ...run, ended };
      running.add(current);
      return () => {
        running.delete(current);
        tell();
      };
    },
  };
}
