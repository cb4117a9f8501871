// The manual page, made from the command table, as text for `man`. Pure; the build writes it to dist/engramd.1.
import type { CommandEntry, OptionEntry } from "./command.ts";
import { GROUPS } from "./command.ts";
import {
  EXIT_MEANINGS,
  GLOBAL_OPTIONS,
  HELP_OPTION,
  PROGRAM,
  PURPOSE,
  shown,
  VERSION_OPTION,
} from "./grammar.ts";

const DESCRIPTION: readonly string[] = [
  `${PROGRAM} runs quietly beside coding agents. It reads the transcripts an agent leaves on disk, keeps what is worth keeping as small Markdown files, and puts them where the agent reads them next time.`,
  "Commands ask the running daemon; when none runs they do the work themselves under the same lock. Without a model it works by rules, asks no network and costs nothing.",
];

const FILES: readonly (readonly [string, string])[] = [
  ["~/.config/engramd/config.json", "Your settings. $XDG_CONFIG_HOME/engramd when that is set."],
  ["/etc/engramd/config.json", "Settings of whoever manages the machine; they may lock keys."],
  [
    "~/.claude/projects/*/memory/",
    "Memories, where Claude Code reads them. Without Claude Code: ~/.local/share/engramd/projects/*/memory/.",
  ],
  [
    "~/.local/state/engramd/",
    "What engramd knows of its own work. Safe to remove while it is stopped. $XDG_STATE_HOME/engramd when that is set.",
  ],
  ["$XDG_RUNTIME_DIR/engramd/engramd.sock", "Where the daemon listens; speaks HTTP, only to you."],
  ["~/.config/systemd/user/engramd.service", "The service, once it is installed (Linux)."],
  ["~/Library/LaunchAgents/engramd.plist", "The service, once it is installed (macOS)."],
];

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  [
    "ENGRAMD_*",
    "A setting, in capitals with underscores: ENGRAMD_EXTRACT_HEADLESS for extract.headless. See engramd config explain.",
  ],
  ["CLAUDE_CONFIG_DIR", "Where Claude Code is at home; default ~/.claude."],
  ["XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR", "Where files go; see FILES."],
  ["NO_COLOR", "Set to anything: no colour. There is none either unless a terminal looks."],
  ["COLUMNS", "Width of the page where output is no terminal."],
];

export interface ManPageInput {
  readonly commands: readonly CommandEntry[];
  readonly version: string;
}

export function manPage({ commands, version }: ManPageInput): string {
  const visible = shown(commands);
  const sections = [
    section("NAME", [`${plain(PROGRAM)} \\- ${plain(PURPOSE)}`]),
    section("SYNOPSIS", [`.B ${PROGRAM}`, `.I command`, plain("[words] [options]")]),
    section("DESCRIPTION", DESCRIPTION.map(plain).join("\n.PP\n").split("\n")),
    section(
      "COMMANDS",
      [...GROUPS, undefined].flatMap((group) => groupLines(visible, group)),
    ),
    section("OPTIONS", [
      plain("Every command takes these:"),
      ...[...GLOBAL_OPTIONS, HELP_OPTION, VERSION_OPTION].flatMap((option) => optionLines(option)),
    ]),
    section(
      "EXIT STATUS",
      Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) => exitLines(visible, code, meaning)),
    ),
    section(
      "FILES",
      FILES.flatMap(([path, what]) => [".TP", `.I ${plain(path)}`, plain(what)]),
    ),
    section(
      "ENVIRONMENT",
      ENVIRONMENT.flatMap(([name, what]) => [".TP", `.B ${plain(name)}`, plain(what)]),
    ),
    section("EXAMPLES", visible.flatMap(exampleLines)),
  ];
  const title = `.TH ${PROGRAM.toUpperCase()} 1 "" "${PROGRAM} ${version}"`;
  return `${[title, ...sections.flat()].join("\n")}\n`;
}

function section(name: string, lines: readonly string[]): string[] {
  return [`.SH ${name}`, ...lines];
}

function groupLines(commands: readonly CommandEntry[], group: CommandEntry["group"]): string[] {
  const members = commands.filter((entry) => entry.group === group);
  if (members.length === 0) return [];
  return [`.SS ${plain(group ?? "Other")}`, ...members.flatMap(commandLines)];
}

function commandLines({ name, words, summary, options }: CommandEntry): string[] {
  const title = `.BI "${plain(name)}"${words === "" ? "" : ` " ${plain(words)}"`}`;
  const rows = options.flatMap((option) => optionLines(option));
  return [".TP", title, plain(`${summary}.`), ...(rows.length === 0 ? [] : [".RS", ...rows, ".RE"])];
}

function optionLines({ flags, summary }: OptionEntry): string[] {
  return [".TP", `.B "${plain(flags)}"`, plain(`${summary}.`)];
}

/** What a code means everywhere, and what a command adds to it. */
function exitLines(commands: readonly CommandEntry[], code: string, meaning: string): string[] {
  const special = commands.flatMap(({ name, exits = {} }) =>
    Object.entries(exits)
      .filter(([own]) => own === code)
      .map(([, when]) => `${name}: ${when}.`),
  );
  return [".TP", `.B ${code}`, plain([`${meaning}.`, ...special].join(" "))];
}

function exampleLines({ examples = [] }: CommandEntry): string[] {
  return examples.flatMap(([line, does]) => [
    ".TP",
    `.B "${plain(`${PROGRAM} ${line}`)}"`,
    plain(`${does}.`),
  ]);
}

/** Text that roff prints as it is: nothing in it is a request, an escape or the end of an argument. */
function plain(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq")
    .replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha")
    .replaceAll(/[^\0-\x7f]/gu, (found) => `\\[u${hex(found)}]`)
    .replace(/^\./u, "\\&.");
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
