// The schemas of `review`: what waits for a person, and what became of it. Describes only.
import type { Reason } from "../../domain/account.ts";
import type {
  DecidedItem,
  DecideReply,
  InboxChange,
  InboxEvidence,
  InboxItemView,
  InboxReply,
} from "../../domain/inbox.ts";
import { MEMORY_TYPES } from "../../domain/memories.ts";
import * as is from "./json-schema.ts";

const version1 = is.oneOf(1);
const reason = is.object<Reason>({ code: is.text, message: is.text });

const change = is.object<InboxChange>({
  op: is.oneOf("create", "update", "confirm", "delete"),
  file: is.orNull(is.text),
  name: is.orNull(is.text),
  type: is.orNull(is.oneOf(...MEMORY_TYPES)),
  description: is.orNull(is.text),
  patch: is.orNull(is.text),
});

const evidence = is.object<InboxEvidence>({
  session: is.text,
  agent: is.text,
  record: is.text,
  by: is.text,
  quote: is.text,
  at: is.orNull(is.instant),
});

const inbox = is.named(
  "InboxReply",
  is.object<InboxReply>({
    v: version1,
    items: is.listOf(
      is.object<InboxItemView>({
        id: is.text,
        kind: is.oneOf("proposal", "candidate", "quarantine"),
        project: is.text,
        memoryDir: is.text,
        why: reason,
        since: is.instant,
        seen: is.instant,
        expires: is.instant,
        changes: is.listOf(change),
        evidence: is.listOf(evidence),
        sessions: is.count,
        blocked: is.orNull(reason),
      }),
    ),
    expired: is.count,
    dropped: is.count,
  }),
);

const decide = is.named(
  "DecideReply",
  is.object<DecideReply>({
    v: version1,
    items: is.listOf(
      is.object<DecidedItem>({
        id: is.text,
        outcome: is.oneOf("accepted", "known", "refused", "rejected"),
        project: is.text,
        description: is.text,
        files: is.listOf(is.text),
        run: is.orNull(is.text),
        reason: is.orNull(reason),
      }),
    ),
    message: is.text,
  }),
);

export const INBOX_ANSWERS = { inbox, acceptItems: decide, rejectItems: decide };
