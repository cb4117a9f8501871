// Recognises command lines that need no parser. `engramd status` with nothing but `--json`: status bars ask it every few
// seconds and pay neither for a parser nor for the other commands. `engramd` alone: the first screen.
import type { Call } from "./command.ts";

/** The call of `command` without words and options; undefined for everything that needs the real parser. */
export function parsePlainCall(argv: readonly string[], command: string): Call | undefined {
  const words = argv.filter((word) => word !== "--json");
  if (words.length !== 1 || words[0] !== command) return undefined;
  return {
    command,
    words: [],
    options: new Map(),
    globals: { json: words.length !== argv.length, project: undefined, config: undefined },
  };
}

/** The call of no command, with options every command has; undefined for everything else. */
export function parseBareCall(argv: readonly string[]): Call | undefined {
  const given = {
    json: false,
    project: undefined as string | undefined,
    config: undefined as string | undefined,
  };
  for (let at = 0; at < argv.length; at++) {
    const [word = "", value = argv[at + 1]] = (argv[at] ?? "").split(/=(.*)/su, 2);
    if (word === "--json" && argv[at] === word) given.json = true;
    else if ((word === "--project" || word === "--config") && value !== undefined) {
      given[word === "--project" ? "project" : "config"] = value;
      if (argv[at] === word) at += 1;
    } else return undefined;
  }
  return { command: "", words: [], options: new Map(), globals: given };
}
