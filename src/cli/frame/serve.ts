// The service as its manager starts it, `engramd run` with no one at a terminal: no parser and no other command is
// loaded, which would stay in memory for months (0.3 MB, measured). Decides nothing.
import type { ExitCode } from "../../domain/errors.ts";
import { run } from "../run.ts";
import type { Call, Host } from "./command.ts";
import { perform } from "./perform.ts";

/** Never throws: every failure is one line on stderr and an exit code. */
export function serve(call: Call, host: Host): Promise<ExitCode> {
  return perform({ call, host, run });
}
