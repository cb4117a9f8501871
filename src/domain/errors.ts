// The one error class. Disposition says who deals with it; see src/README.md, "Failures".

export type Disposition = "retry" | "wait" | "give-up" | "stop";

/** Process exit codes; a contract people script against. */
export const EXIT = { ok: 0, failed: 1, usage: 2, config: 3, alreadyRunning: 4, notRunning: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface AppErrorOptions {
  /** Stable kebab-case code. */
  readonly code: string;
  /** What went wrong, for a person. */
  readonly message: string;
  /** What to do about it, for a person. */
  readonly fix?: string;
  readonly disposition?: Disposition;
  readonly exitCode?: ExitCode;
  /** How long to wait before another try, as the other side or whoever holds its clock says; bounded by whoever read it. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** An expected failure: carries a code, a disposition and what the person can do. */
export class AppError extends Error {
  readonly code: string;
  readonly fix: string | undefined;
  readonly disposition: Disposition;
  readonly exitCode: ExitCode;
  readonly retryAfterMs: number | undefined;

  constructor(options: AppErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = options.code;
    this.fix = options.fix;
    this.disposition = options.disposition ?? "give-up";
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The operating system's error code (`ENOENT`, ...), or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The person may not read it, or its disk fails; `doctor` says which and what to do. */
const UNREADABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EIO"]);

/** For one place of many, that must not keep the others from being looked at: why it cannot be read is an answer. */
export function orUnreadable<T>(look: () => T): T | { readonly unreadable: string } {
  try {
    return look();
  } catch (error) {
    return unreadable(error);
  }
}

/** The same for an error at hand; throws any other. */
export function unreadable(error: unknown): { readonly unreadable: string } {
  const code = systemCode(error) ?? "";
  if (!UNREADABLE.has(code)) throw error;
  return { unreadable: code };
}

/** One printable sentence for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
