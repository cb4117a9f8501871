// Modules that are loaded with their first use. The program on disk may be another one by then: an update replaced it
// while we run. That is no fault of the work in hand, so it becomes an error that waits for a restart.
import { AppError, systemCode } from "../domain/errors.ts";

export const RESTART_NEEDED = "restart-needed";

/** Nothing but a restart helps, and after one everything waiting is tried at once; asked again this seldom. */
const PATIENT_MS = 900_000;

const GONE = new Set(["ERR_MODULE_NOT_FOUND", "ENOENT", "ENOTDIR"]);

/** What `load` imports. Throws `restart-needed` (retry) when its file is no longer there. */
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
      disposition: "retry",
      retryAfterMs: PATIENT_MS,
      cause: error,
    });
  }
}
