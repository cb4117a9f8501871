// What every command line may hold beside a command's own, and how the table is read: for the parser, the help, the
// completion of shells and the manual page. Data and pure functions; prints nothing.
import type { ExitCode } from "../../domain/errors.ts";
import type { CommandEntry, OptionEntry, Place } from "./command.ts";

export const PROGRAM = "engramd";
export const PURPOSE = "a long-term memory for coding agents";

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionEntry[] = [
  { flags: "--json", summary: "print exactly one JSON document" },
  { flags: "--project <path>", summary: "the project to look at (default: here)", value: "folder" },
  { flags: "--config <file>", summary: "read this file instead of your settings", value: "file" },
];
export const HELP_OPTION: OptionEntry = { flags: "-h, --help", summary: "print help" };
export const VERSION_OPTION: OptionEntry = { flags: "--version", summary: "print the version" };

/** What an exit code means, whichever command ends with it. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "done, or nothing to do",
  1: "failed",
  2: "wrong usage",
  3: "the configuration cannot be used",
  4: "another engramd runs",
  5: "the daemon is not running",
};

/** `-n` and `--lines` of `-n, --lines <count>`. */
export function namesOf({ flags }: Pick<OptionEntry, "flags">): string[] {
  return flags.split(/[ ,]+/u).filter((part) => part.startsWith("-"));
}

/** What the value of an option is; undefined when it takes none. */
export function valueOf({ flags, value }: OptionEntry): Place | undefined {
  return value ?? (/[<[]/u.test(flags) ? "text" : undefined);
}

/** The name between the brackets: `count`. */
export function valueName({ flags }: OptionEntry): string {
  return /[<[]([\w-]+)/u.exec(flags)?.[1] ?? "value";
}

/** What each positional word is, and whether the last stands for all that follow. */
export function placesOf({ words, places = [] }: CommandEntry): {
  readonly places: readonly Place[];
  readonly repeats: boolean;
} {
  const count = words === "" ? 0 : words.split(" ").length;
  const last = places.at(-1) ?? "text";
  return {
    places: Array.from({ length: count }, (_, at) => places[at] ?? last),
    repeats: words.includes("..."),
  };
}

/** What people may see of the table. */
export function shown(commands: readonly CommandEntry[]): CommandEntry[] {
  return commands.filter(({ hidden }) => hidden !== true);
}
