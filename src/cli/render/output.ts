// The only place that prints. Decides about colour and width; a reader that went away is not our error.
import { AppError, messageOf, systemCode } from "../../domain/errors.ts";
import { displayJson, displayText } from "../../domain/printable.ts";
import type { Environment } from "../../system/paths.ts";
import type { Line, Page, Tone } from "./line.ts";

/** A stream of text; `write` never throws. */
export interface Outlet {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Columns, where the terminal tells. */
  readonly columns: number | undefined;
  /** Rows, where the terminal tells. */
  readonly rows?: number | undefined;
  /** Nobody reads any more. */
  readonly isClosed?: boolean;
}

/** Narrower pages are treated as this wide. */
const WIDTH_MIN = 20;

/** Width of the page: the terminal's, else `COLUMNS`, else without end (output for a file or another program). */
export function pageFor(
  outlet: Outlet,
  { env, now }: { readonly env: Environment; readonly now: number },
): Page {
  const told = Number(env["COLUMNS"]);
  // Some terminals say 0 for what they do not know.
  const columns = outlet.isTerminal && outlet.columns !== 0 ? outlet.columns : undefined;
  const width = columns ?? (Number.isInteger(told) && told > 0 ? told : Infinity);
  return { width: Math.max(WIDTH_MIN, width), now };
}

/** Colour only where a person looks and did not say no. */
export function wantsColour(outlet: Outlet, env: Environment): boolean {
  return outlet.isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

const COLOURS: Readonly<Record<Tone, string | undefined>> = {
  plain: undefined,
  strong: "1",
  faint: "2",
  good: "32",
  warn: "33",
  bad: "31",
};

export function printLines(
  outlet: Outlet,
  lines: readonly Line[],
  options: { readonly colour: boolean },
): void {
  outlet.write(lines.map((line) => `${lineText(line, options)}\n`).join(""));
}

/** Printable, without blanks at its end. */
export function lineText(line: Line, { colour }: { readonly colour: boolean }): string {
  return line
    .map(({ text, tone }) => {
      // Once more, whoever made the span: this is the last door.
      const safe = displayText(text);
      const code = colour ? COLOURS[tone] : undefined;
      return code === undefined || safe.trim() === "" ? safe : `\u001b[${code}m${safe}\u001b[0m`;
    })
    .join("")
    .trimEnd();
}

/** Exactly one document. */
export function printJson(outlet: Outlet, document: unknown): void {
  outlet.write(`${displayJson(document, 2)}\n`);
}

/** `engramd: <what went wrong>: <what to do> (<code>)` */
export function printError(outlet: Outlet, error: AppError): void {
  const fix = error.fix === undefined ? "" : `: ${error.fix}`;
  outlet.write(`${displayText(`engramd: ${error.message}${fix} (${error.code})`)}\n`);
}

/** What a person can do about a disk that refuses; every path of ours that is not memory is state. */
const DISK_FIXES: Readonly<Partial<Record<string, string>>> = {
  ENOSPC: "free some space; nothing that was accepted is lost",
  EDQUOT: "free some space; nothing that was accepted is lost",
  EROFS: "make the file system writable",
  EACCES: "give yourself access to it",
  EPERM: "give yourself access to it",
  EMFILE: "raise the limit on open files (ulimit -n)",
  EIO: "check the disk",
  ENOTDIR: "a part of that path is no folder: move it away",
  ELOOP: "its links lead in a circle: remove one",
};

const NO_FOLDER = "something that is no folder lies there: move it away";

/** A folder was to be made where something else lies; anywhere else that code is a bug of ours. */
function isMaking(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "mkdir";
}

function diskError(error: unknown): AppError | undefined {
  const code = systemCode(error) ?? "";
  const fix = code === "EEXIST" && isMaking(error) ? NO_FOLDER : DISK_FIXES[code];
  if (fix === undefined) return undefined;
  const path =
    error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : "the disk";
  return new AppError({ code: "disk", message: `${path} cannot be used (${code})`, fix, cause: error });
}

/** Any thrown value as an error a person can read. */
export function knownError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const disk = diskError(error);
  if (disk !== undefined) return disk;
  return new AppError({
    code: "unexpected",
    message: `unexpected failure: ${messageOf(error)}`,
    fix: "please report it",
    cause: error,
  });
}
