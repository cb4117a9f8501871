// What is said to a model up to the window, beside the system text: the folder's memories, and what waits for the
// person in this project as far as this model may know it.
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import { evidenceIn, statementsIn } from "../../../memory/inbox/items.ts";
import type { Asking } from "./pass.ts";
import { taskPrompt } from "./prompt.ts";

export function taskBefore({ origin, memories, timeZone }: ProposalFacts, { pass, deps }: Asking): string {
  return taskPrompt({
    now: deps.clock.now(),
    timeZone,
    memories: memories.filter((memory) => origin === undefined || memory.origin === origin),
    // Words typed to an agent that no model may read stay here, whoever's session is read.
    pending: deps
      .pendingOf(pass.project)
      .filter((item) => evidenceIn(item).every(({ session }) => deps.readerFor(session.agent) !== undefined))
      // What the gate refused is no hint to give to anybody: a page's order would be heard again and again.
      .filter(({ kind }) => kind !== "quarantine")
      .flatMap((item) => statementsIn(item).map((memory) => ({ memory }))),
  });
}
