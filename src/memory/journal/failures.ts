// Turns what the operating system says about a memory or state folder into errors a person can act on.
import { AppError, messageOf, systemCode } from "../../domain/errors.ts";
import type { Steps } from "../../system/breather.ts";

/** Conditions of the folder or its disk that a person, or time, has to mend. */
const NOT_WRITABLE: Readonly<Record<string, string>> = {
  EACCES: "no permission to write there",
  EPERM: "no permission to write there",
  EROFS: "it is on a read-only file system",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
};
/** Trouble of the moment. */
const FAILED: readonly string[] = [
  "EIO",
  "EMFILE",
  "ENFILE",
  "EBUSY",
  "ENOENT",
  "ENOTDIR",
  "EEXIST",
  "ESTALE",
];

export interface Place {
  readonly what: "memory" | "state";
  readonly path: string;
}

/** Runs `act`; a failing disk becomes `<what>-unwritable` or `<what>-failed`, both worth a retry. */
export function onDisk<T>(place: Place, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw diskError(place, error);
  }
}

/** The same as `onDisk` for work in steps. */
export function* stepsOnDisk<T>(place: Place, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    throw diskError(place, error);
  }
}

/** The same as `onDisk` for an error at hand; anything else comes back as it is. */
export function diskError({ what, path }: Place, error: unknown): unknown {
  const code = error instanceof AppError ? undefined : systemCode(error);
  if (code === undefined) return error;
  const why = NOT_WRITABLE[code];
  if (why !== undefined) {
    return new AppError({
      code: `${what}-unwritable`,
      message: `cannot write in ${path}: ${why} (${code})`,
      fix: "make the folder writable or free some space; what was read is repeated by itself, a command is not",
      disposition: "retry",
      cause: error,
    });
  }
  if (!FAILED.includes(code)) return error;
  return new AppError({
    code: `${what}-failed`,
    message: `a file operation in ${path} failed: ${messageOf(error)}`,
    disposition: "retry",
    cause: error,
  });
}
