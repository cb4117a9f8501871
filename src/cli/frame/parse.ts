// Command lines into calls, by commander, the only importer of it. Prints nothing and ends nothing by itself.
import { Command, CommanderError } from "commander";
import { closeTo } from "../../config/nearest.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import { VERSION } from "../../domain/version.ts";
import type { Call, CommandEntry } from "./command.ts";
import { GROUPS } from "./command.ts";
import { GLOBAL_OPTIONS, HELP_OPTION, PROGRAM, PURPOSE, shown, VERSION_OPTION } from "./grammar.ts";
import { commandNotes, programNotes } from "./help.ts";

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
  let failedIn = "";
  const page = Math.min(width, HELP_WIDTH_MAX);
  const program = createProgram(page, (part) => (text += part));
  // Grouped in the order of the headings, whatever the order of the table.
  for (const group of [...GROUPS, undefined])
    for (const entry of commands)
      if (entry.group === group)
        addCommand(program, {
          entry,
          page,
          onCall: (call) => (found = { call, run: entry.run }),
          onWrong: () => (failedIn = `${entry.name} `),
        });
  program.commandsGroup("Other:").helpCommand("help [command]", "print help");
  // Without a command there is nothing to do but to say what there is.
  program.argument("[command]").action((word?: string) => {
    if (word !== undefined) throw unknownCommand(word, commands);
    program.outputHelp();
  });
  program.usage("<command> [options]").addHelpText("after", programNotes(page));
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Of `help WORD` commander says nothing but that it has no such help.
    if (error.code === "commander.help" && error.exitCode !== 0)
      throw unknownCommand(argv[argv.indexOf("help") + 1] ?? "", commands);
    if (error.exitCode !== 0) throw usageError(error, failedIn);
  }
  return found ?? { text };
}

function createProgram(page: number, writeOut: (part: string) => void): Command {
  const program = new Command(PROGRAM)
    .description(PURPOSE)
    .version(VERSION, VERSION_OPTION.flags, VERSION_OPTION.summary)
    .helpOption(HELP_OPTION.flags, HELP_OPTION.summary)
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: HELP_WIDTH_MIN,
      commandUsage: (command) => usageOf(command, page),
      // Every command has options; saying so in the list would only take room from the summaries.
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace("[options]", "").trim()}`.trim(),
    })
    .exitOverride()
    .configureOutput({
      writeOut,
      writeErr: () => undefined,
      getOutHelpWidth: () => page,
      getOutHasColors: () => false,
    });
  for (const { flags, summary } of GLOBAL_OPTIONS) program.option(flags, summary);
  return program;
}

/** Commander does not wrap this line. */
function usageOf(command: Command, page: number): string {
  const names = command.parent === null ? [command.name()] : [command.parent.name(), command.name()];
  const [start = "", ...words] = `${names.join(" ")} ${command.usage()}`.split(/ (?=<|\[(?!options))/u);
  const whole = [start, ...words].join(" ");
  return "Usage: ".length + whole.length <= page ? whole : [start, ...words].join("\n  ");
}

interface Addition {
  readonly entry: CommandEntry;
  readonly page: number;
  readonly onCall: (call: Call) => void;
  readonly onWrong: () => void;
}

function addCommand(program: Command, { entry, page, onCall, onWrong }: Addition): void {
  const { name, words, summary, options, group, hidden = false } = entry;
  const command = program.command(words === "" ? name : `${name} ${words}`, { hidden });
  command.summary(summary).description(summary).allowExcessArguments(false);
  command.exitOverride((error) => {
    onWrong();
    throw error;
  });
  if (group !== undefined) command.helpGroup(`${group}:`);
  for (const one of options) command.option(one.flags, one.summary);
  command.addHelpText("after", commandNotes(entry, page));
  command.action(() => {
    const globals: Record<string, unknown> = program.opts();
    onCall({
      command: name,
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
  const guess = closeTo(
    word,
    shown(commands).map(({ name }) => name),
  );
  return new AppError({
    code: "unknown-command",
    message: `there is no command ${JSON.stringify(word)}`,
    fix: guess === undefined ? `see "${PROGRAM} --help"` : `did you mean ${PROGRAM} ${guess}?`,
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

/** `command` is the one the line was meant for, with a space after it. */
function usageError(error: CommanderError, command: string): AppError {
  const [first = ""] = error.message.replace(/^error: /u, "").split("\n");
  const guess = /\(Did you mean ([^?]+)\?\)/u.exec(error.message)?.[1];
  return new AppError({
    code: CODES[error.code] ?? "bad-usage",
    // A sentence of its own would end before what to do about it.
    message: first.replace(/\. Expected (.+?)\.?$/u, " (expected $1)"),
    fix: guess === undefined ? `see "${PROGRAM} ${command}--help"` : `did you mean ${guess}?`,
    exitCode: EXIT.usage,
  });
}
