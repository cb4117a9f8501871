// The person's own login of Claude Code as a model: one run of its program for one request, without tools, settings or
// memory. Never sends a key of ours, never keeps a session, never leaves a process behind.
import type { CliProgram } from "../cli/client.ts";
import { goesOnByItself, readAnswer } from "./answer.ts";
import { argumentsFor, environmentFor, inputFor } from "./invocation.ts";
import { findClaude } from "./program.ts";

export const CLAUDE_CLI: CliProgram = {
  provider: "claude-cli",
  name: "claude",
  find: findClaude,
  call: (request, { temporary }, { env, home, baseUrl }) => ({
    args: argumentsFor(request),
    env: environmentFor({ env, home, temporary, baseUrl, outputTokensMax: request.outputTokensMax }),
    input: inputFor(request),
    isEnough: goesOnByItself(),
  }),
  read: readAnswer,
};
