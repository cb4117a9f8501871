// What `why` tells of messages that wait in the inbox, and until when. Pure.
import type { MessageOutcome, Reason } from "../../domain/account.ts";
import type { Inbox } from "../../memory/inbox/inbox.ts";
import { evidenceIn, expiresAt, type InboxItem } from "../../memory/inbox/items.ts";
import { reasonOf, refusalReason } from "./why-words.ts";

export interface WaitingItemsDeps {
  readonly inbox: Inbox;
}

/** What became of one message. */
export interface Outcome {
  readonly outcome: MessageOutcome;
  readonly reason?: Reason;
  readonly until?: string | null;
}

/** By record. */
export function waitingIn(items: readonly InboxItem[]): ReadonlyMap<string, Outcome> {
  return new Map(items.flatMap((item) => evidenceIn(item).map((each) => [each.recordId, inInbox(item)])));
}

function inInbox(item: InboxItem): Outcome {
  const until = new Date(expiresAt(item)).toISOString();
  switch (item.kind) {
    case "proposal":
      return { outcome: "waiting", reason: reasonOf("proposed"), until };
    case "candidate":
      return { outcome: "candidate", reason: reasonOf("candidate"), until };
    case "quarantine": {
      const { code, message } = refusalReason(item.refusal?.reason ?? "unsupported");
      return { outcome: "refused", reason: { code, message: `${message}; see engramd review` }, until };
    }
  }
}
