// What a command is: the table's entry, what it is called with, and what it answers. Commands never print.
import type { AppError, ExitCode } from "../../domain/errors.ts";
import type { EngramdService } from "../../domain/service.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import type { Environment, Paths } from "../../system/paths.ts";
import type { Line, Page } from "../render/line.ts";
import type { Outlet } from "../render/output.ts";
import type { Inlet } from "./ask.ts";

/** The process a command runs in, as main.ts found it. */
export interface Host {
  readonly env: Environment;
  readonly accountHome: string;
  readonly platform: NodeJS.Platform;
  readonly temporaryDir: string;
  /** Undefined when the folder we were started in is gone. */
  readonly cwd: string | undefined;
  readonly pid: number;
  /** What was started: Node, and the file it was given. */
  readonly program: { readonly node: string; readonly entry: string };
  readonly out: Outlet;
  readonly err: Outlet;
  /** One log line of the service; never throws. */
  readonly writeLog: (line: string) => void;
  readonly signals: Signals;
  readonly input: Inlet;
}

export interface Signals {
  onStop(fn: (name: string) => void): void;
  onReload(fn: () => void): void;
  /**
   * The first of the signals that end a program, its terminal's end included, until the returned function is called. The
   * process then exits with that signal's code, whatever the command answers; a second one ends it at once.
   */
  onInterrupt?(fn: (name: string) => void): () => void;
  /** Asked about an error nobody caught; true when the process may live on. */
  onUncaught(fn: (error: unknown) => boolean): void;
  /** The terminal has another size. */
  onResize?(fn: () => void): void;
  /** The process ends, for whatever reason it can tell; nothing asynchronous happens any more. */
  onExit?(fn: () => void): void;
}

/** Options every command has. */
export interface GlobalOptions {
  readonly json: boolean;
  /** As typed; undefined without `--project`. */
  readonly project: string | undefined;
  readonly config: string | undefined;
}

/** One parsed command line. */
export interface Call {
  readonly command: string;
  readonly words: readonly string[];
  /** Options of this command by their long name without dashes (`dry-run`). */
  readonly options: ReadonlyMap<string, string | true>;
  readonly globals: GlobalOptions;
}

export interface CommandContext {
  readonly call: Call;
  readonly host: Host;
  readonly paths: Paths;
  readonly files: Files;
  readonly clock: Clock;
  /** Every command there is; absent on the short way of `status`. */
  readonly commands?: readonly CommandEntry[];
}

/** What a command answers; the frame prints the document with `--json`, else the lines. */
export interface Reply {
  readonly exitCode: ExitCode;
  readonly document: unknown;
  lines(page: Page): readonly Line[];
  /** Told on stderr as well; for answers that are also a failure. */
  readonly problem?: AppError;
}

/** The command has said everything itself (`run`: its log). */
export interface SilentReply {
  readonly exitCode: ExitCode;
  readonly document?: undefined;
}

/** Headings of the help, in its order. */
export const GROUPS = ["Memories", "What it does", "Settings and service"] as const;

/** What stands in one place of a command line: one of some words, or something that is looked up when asked for. */
export type Place =
  | readonly string[]
  | "memory"
  | "run"
  | "past-run"
  | "item"
  | "setting"
  | "command"
  | "file"
  | "folder"
  | "text";

export interface OptionEntry {
  readonly flags: string;
  readonly summary: string;
  /** What its value is; `text` when it takes one and nothing is known of it. */
  readonly value?: Place;
}

/** One command. Parser, help, completion, manual page and tests are all made from these. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Positional words as the help shows them: `<text...>`; empty for none. */
  readonly words: string;
  /** What each of the words is; the last stands for all that follow. */
  readonly places?: readonly Place[];
  readonly options: readonly OptionEntry[];
  readonly group?: (typeof GROUPS)[number];
  /** Command lines without the program's name, and what each does. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** What exit codes mean here beyond what they mean everywhere. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** For other programs: in no help, no list and no manual page. */
  readonly hidden?: true;
  readonly run: (context: CommandContext) => Promise<Reply | SilentReply>;
}

/** Uses the service, wherever it is at home. */
export type UseService<T> = (service: EngramdService) => Promise<T>;
