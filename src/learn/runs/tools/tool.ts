// What a tool offered to a model is. A tool works on the stage and has no way to anything else of the machine.
import type { ToolSpec } from "../../../domain/models.ts";
import type { Denial, DenialCode } from "../sandbox.ts";
import type { Stage, StageAnswer } from "../stage.ts";

export interface ToolContext {
  readonly stage: Stage;
  readonly signal: AbortSignal;
}

export interface ToolAnswer {
  readonly text: string;
  /** Something the model can mend. */
  readonly isError: boolean;
  /** Set when the sandbox said no. */
  readonly denied?: DenialCode;
}

export interface Tool {
  readonly spec: ToolSpec;
  /** Its success needs no answer: a turn of nothing but successful writes ends the run. */
  readonly writes: boolean;
  /** `input` is unchecked. Rejects only when the run cannot go on. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): ToolAnswer | Promise<ToolAnswer>;
}

export function success(text: string): ToolAnswer {
  return { text, isError: false };
}

export function failure(text: string): ToolAnswer {
  return { text, isError: true };
}

export function denial({ why, message }: Denial): ToolAnswer {
  return { text: message, isError: true, denied: why };
}

const DONE = {
  create: "new",
  update: "changed",
  confirm: "noted as said again",
  delete: "removed",
  withdraw: "rests on less",
} as const;

/** What the stage did with a change, in words. */
export function answerOf(answer: StageAnswer): ToolAnswer {
  if (answer.accepted) return success(`${answer.file}: ${DONE[answer.op]}`);
  const { message, denied } = answer;
  return denied === undefined ? failure(message) : { ...failure(message), denied };
}
