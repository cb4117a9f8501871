// Recognises a command with nothing but `--json`, so that `engramd status` does not pay for a parser.
import type { Call } from "./command.ts";

/** Commands asked so often that loading commander would be a tenth of their time. */
const PLAIN_COMMANDS: readonly string[] = ["status"];

/** The call, or undefined for everything that needs the real parser. */
export function parsePlainCall(argv: readonly string[]): Call | undefined {
  const words = argv.filter((word) => word !== "--json");
  const [command] = words;
  if (command === undefined || words.length !== 1 || !PLAIN_COMMANDS.includes(command)) return undefined;
  return {
    command,
    words: [],
    options: new Map(),
    globals: { json: words.length !== argv.length, project: undefined, config: undefined },
  };
}
