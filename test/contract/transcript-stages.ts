// How each agent would write the scenes the contract plays; one stage for each agent of the registry.
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";

export interface Scene {
  readonly text: string;
  readonly answer?: string;
  readonly cwd?: string;
}

export interface Stage {
  /** A session's file below the root, as the agent would name it. */
  readonly name: string;
  /** Where the agent itself may move that file. */
  readonly movedName: string;
  /** A subagent's file; undefined when the agent keeps none. */
  readonly subagentName?: string;
  /** What stands in a new file before anybody said anything. */
  opening(place?: { readonly cwd: string }): string;
  /** Somebody asks and the agent answers; each call is another message. */
  turn(scene: Scene): string;
  /** Somebody asks, nothing more yet. */
  prompt(text: string): string;
  /** A record of a type nobody knows. */
  unknown(): string;
}

/** Throws for an agent without a stage, so that none is left out by accident. */
export function stageOf(agent: string): Stage {
  const create = STAGES.get(agent);
  if (create === undefined) throw new Error(`no stage for ${agent} in test/contract/transcript-stages.ts`);
  return create();
}

const STAGES: ReadonlyMap<string, () => Stage> = new Map([["claude-code", claudeCode]]);

function claudeCode(): Stage {
  let firstNumber = 1;
  const next = (cwd = "/home/ana/shop") => {
    firstNumber += 10;
    return createTranscript({ firstNumber, cwd, startAt: Date.UTC(2026, 4, 4, 9, firstNumber) });
  };
  return {
    name: `-home-ana-shop/${sessionIdOf(1)}.jsonl`,
    movedName: `-home-ana-shop--claude-worktrees-fix/${sessionIdOf(1)}.jsonl`,
    subagentName: `-home-ana-shop/${sessionIdOf(1)}/subagents/agent-a1.jsonl`,
    opening: () => `${JSON.stringify({ type: "mode", mode: "normal", sessionId: sessionIdOf(1) })}\n`,
    turn: ({ text, answer = "Done.", cwd }) => next(cwd).user(text).assistant(answer).text(),
    prompt: (text) => next().user(text).text(),
    unknown: () => `${JSON.stringify({ type: "brand-new-record", payload: [1, [2]] })}\n`,
  };
}
