// Recognises a command with nothing but `--json`, so that `engramd status`, which
// status bars ask every few seconds, pays neither for a parser nor for the other commands.
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
