// What moving a project's memory needs of the running parts: no job of the folder under way, and work that goes on in
// the new one.
import type { Queue } from "../intake/queue/queue.ts";
import { JOB_LIMITS } from "../domain/limits.ts";
import type { ProjectsDeps } from "../serve/answers/projects.ts";
import { wait } from "../system/clock.ts";
import type { Ground } from "./ground.ts";

export type Moving = Pick<ProjectsDeps, "files" | "locks" | "stateDir" | "settleJobs" | "moved">;

const LOOK_MS = 50;

export function createMoving(
  { files, locks, paths, clock }: Pick<Ground, "files" | "locks" | "paths" | "clock">,
  {
    queue,
    due,
  }: { readonly queue: Queue; due(memoryDir: string, ask: { trigger: string; now: boolean }): void },
): Moving {
  const jobsOf = (memoryDir: string) => queue.describe().jobs.filter(({ lane }) => lane === memoryDir);
  return {
    files,
    locks,
    stateDir: paths.stateDir,
    async settleJobs(memoryDir) {
      // Nothing is lost of a job that is ended: its words stay unread, and are read in the new folder.
      for (let waitedMs = 0; waitedMs <= 2 * JOB_LIMITS.abortMs; waitedMs += LOOK_MS) {
        for (const { key } of jobsOf(memoryDir)) queue.cancel(key);
        if (jobsOf(memoryDir).every(({ state }) => state !== "running")) return true;
        await wait(clock, LOOK_MS);
      }
      return false;
    },
    moved: (memoryDir) => due(memoryDir, { trigger: "moved", now: false }),
  };
}
