// From arguments to an exit code: parse, find the command, have it performed.
import type { ExitCode } from "../../domain/errors.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import { run as overview } from "../overview.ts";
import { COMMANDS } from "../registry.ts";
import { knownError, pageFor, printJson } from "../render/output.ts";
import type { Call, Host } from "./command.ts";
import { parseCommandLine } from "./parse.ts";
import { perform, tell } from "./perform.ts";
import { parseBareCall } from "./plain-call.ts";

/** Never throws: every failure is one line on stderr and an exit code. */
export async function dispatch(argv: readonly string[], host: Host): Promise<ExitCode> {
  try {
    const bare = parseBareCall(argv);
    if (bare !== undefined) refuseEmptyPaths(bare);
    if (bare !== undefined) return await perform({ call: bare, run: overview, host, commands: COMMANDS });
    const { width } = pageFor(host.out, { env: host.env, now: 0 });
    const parsed = parseCommandLine({ argv, commands: COMMANDS, width });
    if ("call" in parsed) refuseEmptyPaths(parsed.call);
    if ("call" in parsed) return await perform({ ...parsed, host, commands: COMMANDS });
    if (asksForJson(argv)) printJson(host.out, { v: 1, text: parsed.text });
    else host.out.write(parsed.text);
    return EXIT.ok;
  } catch (error) {
    return tell(knownError(error), { host, json: asksForJson(argv) });
  }
}

/** An empty variable of a script, and not the folder one happens to be in. */
function refuseEmptyPaths({ globals }: Call): void {
  for (const name of ["project", "config"] as const) {
    if (globals[name] !== "") continue;
    throw new AppError({
      code: "bad-option-value",
      message: `--${name} is ""`,
      fix: "give a path, or leave the option out",
      exitCode: EXIT.usage,
    });
  }
}

/** For a command line that could not be parsed. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
}
