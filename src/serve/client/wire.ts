// How errors travel over the socket: `{ error: { code, message, fix, exitCode } }`. Shared by both ends.
import type { ExitCode } from "../../domain/errors.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import { fieldOf } from "../../domain/json.ts";

export interface ErrorDocument {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly fix: string | null;
    /** What a command that met this error exits with. */
    readonly exitCode: ExitCode;
  };
}

export function errorDocument(error: AppError): ErrorDocument {
  const { code, message, fix, exitCode } = error;
  return { error: { code, message, fix: fix ?? null, exitCode } };
}

/** The error in a document; undefined when it holds none. */
export function parseErrorDocument(document: unknown): AppError | undefined {
  const error = fieldOf(document, "error");
  const code = fieldOf(error, "code");
  const message = fieldOf(error, "message");
  const fix = fieldOf(error, "fix");
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return new AppError({
    code,
    message,
    ...(typeof fix === "string" ? { fix } : {}),
    exitCode: exitCodeOf(fieldOf(error, "exitCode")),
  });
}

function exitCodeOf(value: unknown): ExitCode {
  return Object.values(EXIT).find((code) => code === value && code !== EXIT.ok) ?? EXIT.failed;
}
