// Modules that are loaded with their first use. The program on disk may be another one by then: an update replaced it
// while we run. That is no fault of the work in hand, so it becomes an error that waits for a restart.
import { AppError, systemCode } from "../domain/errors.ts";
import { JOB_LIMITS } from "../domain/limits.ts";

export const RESTART_NEEDED = "restart-needed";

const GONE = new Set(["ERR_MODULE_NOT_FOUND", "ENOENT", "ENOTDIR"]);

/** What `load` imports. Throws `restart-needed` (wait) when its file is no longer there. */
export async function loadLate<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    // A file of the new version in the place of an old one lacks what we ask of it.
    if (!GONE.has(systemCode(error) ?? "") && !(error instanceof SyntaxError)) throw error;
    throw new AppError({
      code: RESTART_NEEDED,
      message: "engramd was replaced by another version while it ran",
      fix: "engramd restart",
      // Nothing but a restart helps: no try counts against the job.
      disposition: "wait",
      retryAfterMs: JOB_LIMITS.patientMs,
      cause: error,
    });
  }
}
