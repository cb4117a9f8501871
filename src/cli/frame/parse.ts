// Command lines into calls, by commander, the only importer of it. Prints nothing and ends nothing by itself.
import { Command, CommanderError } from "commander";
import { AppError, EXIT } from "../../domain/errors.ts";
import { VERSION } from "../../domain/version.ts";
import type { Call, CommandEntry } from "./command.ts";

/** A call to run, or text somebody asked for (help, version). */
export type Parsed = { readonly call: Call; readonly run: CommandEntry["run"] } | { readonly text: string };

export interface ParseInput {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly commands: readonly CommandEntry[];
  /** Columns for the help text. */
  readonly width: number;
}

/** Commander stops wrapping where descriptions get less room than this. */
const HELP_WIDTH_MIN = 8;
/** Help is laid out for a reader, also where the page has no end. */
const HELP_WIDTH_MAX = 100;

/** Throws an AppError (exit 2) for what is no command line of ours. */
export function parseCommandLine({ argv, commands, width }: ParseInput): Parsed {
  let text = "";
  let found: Extract<Parsed, { call: Call }> | undefined;
  const program = new Command("engramd")
    .description("a long-term memory for coding agents")
    .version(VERSION, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .option("--json", "print exactly one JSON document")
    .option("--project <path>", "the project to look at (default: here)")
    .option("--config <file>", "read this file instead of your settings")
    .helpCommand("help [command]", "print help")
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: HELP_WIDTH_MIN,
      // Every command has options; saying so in the list would only take room from the summaries.
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace("[options]", "").trim()}`.trim(),
    })
    .exitOverride()
    .configureOutput({
      writeOut: (part) => void (text += part),
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(width, HELP_WIDTH_MAX),
      getOutHasColors: () => false,
    });
  for (const entry of commands) addCommand(program, entry, (call) => (found = { call, run: entry.run }));
  // Without a command there is nothing to do but to say what there is.
  program.argument("[command]").action((word?: string) => {
    if (word !== undefined) throw unknownCommand(word, commands);
    program.outputHelp();
  });
  program.usage("<command> [options]");
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error);
  }
  return found ?? { text };
}

function addCommand(program: Command, entry: CommandEntry, onCall: (call: Call) => void): void {
  const command = program.command(entry.words === "" ? entry.name : `${entry.name} ${entry.words}`);
  command.summary(entry.summary).description(entry.summary).allowExcessArguments(false);
  for (const { flags, summary } of entry.options) command.option(flags, summary);
  command.action(() => {
    const globals: Record<string, unknown> = program.opts();
    onCall({
      command: entry.name,
      words: command.args,
      options: optionsOf(command),
      globals: {
        json: globals["json"] === true,
        project: textOf(globals["project"]),
        config: textOf(globals["config"]),
      },
    });
  });
}

function optionsOf(command: Command): ReadonlyMap<string, string | true> {
  const found = new Map<string, string | true>();
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    // Of `--no-x` commander keeps an x that is true until somebody says no.
    if (option.negate) {
      if (value === false) found.set(option.name(), true);
    } else if (value === true || typeof value === "string") found.set(option.name(), value);
  }
  return found;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function unknownCommand(word: string, commands: readonly CommandEntry[]): AppError {
  return new AppError({
    code: "unknown-command",
    message: `there is no command ${JSON.stringify(word)}`,
    fix: `use one of ${commands.map(({ name }) => name).join(", ")}`,
    exitCode: EXIT.usage,
  });
}

/** Commander's own codes in the words of ours. */
const CODES: Readonly<Record<string, string>> = {
  "commander.unknownCommand": "unknown-command",
  "commander.unknownOption": "unknown-option",
  "commander.missingArgument": "missing-argument",
  "commander.optionMissingArgument": "missing-argument",
  "commander.excessArguments": "too-many-arguments",
};

function usageError(error: CommanderError): AppError {
  const [first = ""] = error.message.replace(/^error: /u, "").split("\n");
  const guess = /\(Did you mean ([^?]+)\?\)/u.exec(error.message)?.[1];
  return new AppError({
    code: CODES[error.code] ?? "bad-usage",
    message: first,
    fix: guess === undefined ? 'see "engramd --help"' : `did you mean ${guess}?`,
    exitCode: EXIT.usage,
  });
}
