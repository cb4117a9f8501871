// Follows one transcript's turns: when the agent is at work and when it has finished. Knows no bytes and no files.
// The signs differ by version and are often missing, so each is a hint and a later one may take it back.

/** What a record says about the turn. */
export type TurnSign =
  /** The person asked, or a program woke the agent up. */
  | { readonly kind: "prompt" }
  /** The agent will go on: it called a tool, or got a result. */
  | { readonly kind: "work" }
  /** Part of the answer named `messageId`; `final` when the model said it was done, `plain` when nothing was said. */
  | { readonly kind: "answer"; readonly messageId: string | undefined; readonly stop: "final" | "plain" }
  /** The client says the turn is over. */
  | { readonly kind: "over" }
  | { readonly kind: "queued" }
  | { readonly kind: "unqueued" }
  /** The client wrote its closing figures. */
  | { readonly kind: "closed" };

/** `open`: the agent is at work; `ended`: the last turn is over; `unknown`: no sign either way. */
export type TurnState = "ended" | "open" | "unknown";

/** Where a turn ended: with the last answer before the record that gave the sign, or with that record. */
export type TurnOutcome = "nothing" | "ended-before" | "ends-here";

export interface TurnTracker {
  /** Takes the next sign, before the entries of its record are noted. */
  take(sign: TurnSign): TurnOutcome;
  /** At the end of a slice: `ended-before` when the last answer ended its turn. */
  finish(): TurnOutcome;
  state(): TurnState;
  sessionEnded(): boolean;
}

export function createTurnTracker(): TurnTracker {
  let state: TurnState = "unknown";
  /** The last answer, until it is known whether it was the turn's last. */
  let answer: Extract<TurnSign, { kind: "answer" }> | undefined;
  let queued = false;
  let closed = false;

  function settle(final: boolean): TurnOutcome {
    const last = answer;
    answer = undefined;
    return last !== undefined && (last.stop === "final" || final) ? "ended-before" : "nothing";
  }

  function take(sign: TurnSign): TurnOutcome {
    closed = sign.kind === "closed" || (closed && (sign.kind === "queued" || sign.kind === "unqueued"));
    switch (sign.kind) {
      case "queued":
      case "unqueued":
        queued = sign.kind === "queued";
        return "nothing";
      case "closed":
        return "nothing";
      case "answer": {
        // One message is written as several records, each with the stop reason of the whole.
        const same = sign.messageId !== undefined && answer?.messageId === sign.messageId;
        const outcome = same ? "nothing" : settle(false);
        answer = sign;
        state = sign.stop === "final" ? "ended" : "unknown";
        return outcome;
      }
      case "work":
      case "prompt": {
        // A plain answer ends its turn only in hindsight, when the next prompt comes.
        const outcome = settle(sign.kind === "prompt");
        state = "open";
        return outcome;
      }
      case "over": {
        const outcome = settle(true);
        const known = outcome === "ended-before" || state === "ended";
        state = "ended";
        return known ? outcome : "ends-here";
      }
    }
  }

  return {
    take,
    finish: () => settle(false),
    state: () => (state === "ended" && queued ? "open" : state),
    sessionEnded: () => closed && state !== "open",
  };
}
