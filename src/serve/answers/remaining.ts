// What a pass has not read, or would not read today: how many sessions, for how much, in how many days. Only counts.
import type { SyncReport } from "../../domain/service.ts";
import type { Foreseen } from "../../learn/jobs/extract/estimate.ts";
import { ANSWER_TOKENS, sumOf } from "../../learn/jobs/extract/estimate.ts";
import type { Budget, Room } from "../../learn/models/budget.ts";
import { daysFor, fitsToday, type Load } from "../../learn/models/forecast.ts";
import { sessionKey } from "./tally.ts";

export interface RemainingDeps {
  readonly budget: Budget;
}

/** `older`: old sessions the pass was not asked for. */
export function remainingOf(
  left: readonly Foreseen[],
  { room, older }: { readonly room: Room; readonly older: number },
): SyncReport["remaining"] {
  const heard = left.filter((each) => each.heard > 0);
  return {
    sessions: sessionsIn(heard).size + older,
    usd: sumOf(heard).usd,
    days: daysFor(heard.map(loadOf), room),
    ...(older > 0 ? { older } : {}),
  };
}

/** What is read after a ceiling of today is met. */
export function afterToday(foreseen: readonly Foreseen[], room: Room): readonly Foreseen[] {
  return foreseen.slice(fitsToday(foreseen.map(loadOf), room));
}

/** One session may live in more than one file. */
export function sessionsIn(foreseen: readonly Foreseen[]): Set<string> {
  return new Set(foreseen.map(({ entry: { source, state } }) => sessionKey(source.agent, state.sessionId)));
}

function loadOf({ requests, inputTokens, usd }: Foreseen): Load {
  return { requests, tokens: inputTokens + requests * ANSWER_TOKENS, usd };
}
