// What help says after the options: examples, exit codes, where to go on. Text for a page of some width; prints nothing.
import type { Span } from "../render/line.ts";
import { wrap } from "../render/line.ts";
import type { CommandEntry } from "./command.ts";
import { PROGRAM } from "./grammar.ts";

const INDENT = 2;

/** Shown below the list of all commands: what most people want first. */
const FIRST_STEPS: CommandEntry["examples"] = [
  ["install", "run it as a service, now and at every login"],
  ["status", "what it reads, waits for and needs"],
  ["list", "what it remembers about this project"],
];

export function programNotes(width: number): string {
  return [
    "",
    ...exampleLines("First steps:", FIRST_STEPS, width),
    "",
    ...texts(`"${PROGRAM} <command> --help" tells more; so does "man ${PROGRAM}".`, width, 0),
  ].join("\n");
}

export function commandNotes({ examples = [], exits = {} }: CommandEntry, width: number): string {
  const codes = Object.entries(exits);
  const parts = [
    ...(examples.length === 0 ? [] : ["", ...exampleLines("Examples:", examples, width)]),
    ...(codes.length === 0
      ? []
      : ["", "Exit codes:", ...codes.flatMap(([code, when]) => texts(`${code}: ${when}`, width, INDENT))]),
  ];
  return parts.join("\n");
}

function exampleLines(heading: string, examples: CommandEntry["examples"] = [], width: number): string[] {
  const lines = examples.map(([line, does]) => ({ line: `${PROGRAM} ${line}`, does }));
  const column = Math.max(...lines.map(({ line }) => line.length)) + INDENT;
  const fits = lines.every(({ does }) => INDENT + column + does.length <= width);
  return [
    heading,
    ...lines.flatMap(({ line, does }) =>
      fits
        ? [`${" ".repeat(INDENT)}${line.padEnd(column)}${does}`]
        : [...texts(line, width, INDENT), ...texts(does, width, 2 * INDENT + 2)],
    ),
  ];
}

function texts(text: string, width: number, firstIndent: number): string[] {
  const lines = wrap(text, { width, firstIndent, indent: firstIndent });
  return lines.map((spans) => spans.map((one: Span) => one.text).join(""));
}
