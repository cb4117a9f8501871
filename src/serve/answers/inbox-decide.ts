// `review accept` and `review reject`: a person decides about what waits. An accepted item goes through gate and journal
// as it fits the folder now, as a run of its own; a rejected one is remembered as hashes and never comes back by itself.
import type { ChangeSet } from "../../domain/changes.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { DecidedItem, DecideReply, DecideRequest } from "../../domain/inbox.ts";
import type { EngramdService } from "../../domain/service.ts";
import { INBOX_LIMITS } from "../../domain/limits.ts";
import { removalHashOf, textHashOf } from "../../memory/gate/text-hash.ts";
import type { InboxItem } from "../../memory/inbox/items.ts";
import type { CommitOptions, CommitResult, MemoryWriter } from "../../memory/journal/commit.ts";
import type { Clock } from "../../system/clock.ts";
import { newRunId } from "../../system/ids.ts";
import { answerInbox, type InboxAnswerDeps, itemCalled, type Waiting, waitingIn } from "./inbox.ts";
import { prepare } from "./inbox-prepare.ts";

export interface DecideDeps extends InboxAnswerDeps {
  readonly clock: Clock;
  readonly writer: Pick<MemoryWriter, "preview" | "refuse">;
  newRun(): string;
  /** Commits and notes the run in the ledger. */
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
}

export interface ReviewDeps extends Omit<DecideDeps, "newRun"> {
  /** Makes sure that no other engramd changes things while we do. */
  lock(): Promise<void>;
}

/** The three questions of `review`. */
export function createReview(
  deps: ReviewDeps,
): Pick<EngramdService, "inbox" | "acceptItems" | "rejectItems"> {
  const newRun = () => newRunId(deps.clock.now());
  return {
    inbox: (request) => answerInbox(request, deps),
    async acceptItems(request) {
      await deps.lock();
      return answerAccept(request, { ...deps, newRun });
    },
    async rejectItems(request) {
      await deps.lock();
      return answerReject(request, { ...deps, newRun });
    },
  };
}

/**
 * With `all` what was refused stays: a person looks at each of these. Throws `unknown-item`, `ambiguous-item`, and
 * `bad-review` for neither ids nor all of a project.
 */
async function answerAccept(request: DecideRequest, deps: DecideDeps): Promise<DecideReply> {
  const wanted = wantedIn(request, deps).filter(
    ({ item }) => request.all !== true || item.kind !== "quarantine",
  );
  const items: DecidedItem[] = [];
  for (const waiting of wanted) items.push(await accept(waiting, deps));
  const of = (...outcomes: readonly string[]) =>
    items.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const refused = of("refused");
  const message = `accepted ${of("accepted", "known")}${refused === 0 ? "" : `, ${refused} could not be: they stay`}`;
  return { v: 1, items, message: items.length === 0 ? NOTHING : message };
}

const NOTHING = "nothing waits here";

/** Throws as `answerAccept` does. */
function answerReject(request: DecideRequest, deps: DecideDeps): DecideReply {
  const items = wantedIn(request, deps).map((waiting) => reject(waiting, deps));
  return { v: 1, items, message: items.length === 0 ? NOTHING : `rejected ${items.length}` };
}

function wantedIn({ ids, all, project }: DecideRequest, deps: DecideDeps): readonly Waiting[] {
  if (all === true && ids === undefined && project !== undefined) return waitingIn({ project }, deps);
  const named = ids?.split(",").filter((id) => id !== "") ?? [];
  if (all === true || named.length === 0 || named.length > INBOX_LIMITS.idsMax) throw unclear();
  const waiting = waitingIn(project === undefined ? {} : { project }, deps);
  return [...new Set(named.map((id) => itemCalled(id, waiting)))];
}

function unclear(): AppError {
  return new AppError({
    code: "bad-review",
    message: "it does not say which items",
    fix: "name ids as engramd review shows them, or a project and all",
    exitCode: EXIT.usage,
  });
}

async function accept({ item, project }: Waiting, deps: DecideDeps): Promise<DecidedItem> {
  const base = decided(item, project.root);
  const { blocked, changes, sharedFolder, kind, trigger, producer, memoryDir } = prepare(item, project, deps);
  if (blocked !== null) return { ...base, outcome: "refused", reason: blocked };
  const done = new Set([item.id]);
  if (changes.length === 0) {
    deps.inbox.remove(project.id, done);
    return { ...base, outcome: "known" };
  }
  const run = deps.newRun();
  const set = { run, kind, trigger, producer, project, memoryDir, changes };
  const { verdicts, written } = await deps.commit(set, {
    evidenceTexts: new Map<string, string>(),
    sharedFolder,
    keep: true,
  });
  const files = written.map(({ file }) => file);
  const refused = verdicts.find(({ accepted }) => !accepted);
  if (refused !== undefined && !refused.accepted) {
    // Somebody changed a file in this very moment; a second yes does what is left.
    const { reason: code, message } = refused;
    return {
      ...base,
      outcome: "refused",
      files,
      run: files.length > 0 ? run : null,
      reason: { code, message },
    };
  }
  deps.inbox.remove(project.id, done);
  return { ...base, outcome: "accepted", files, run };
}

/** Remembered first: broken off here, the item is still there to be rejected again. */
function reject({ item, project }: Waiting, deps: DecideDeps): DecidedItem {
  const at = deps.clock.now();
  const removals = item.changes.map((change) => ({
    at,
    records: [
      ...new Set(change.evidence.filter(({ by }) => by !== "memory").map(({ recordId }) => recordId)),
    ],
    text:
      "memory" in change
        ? textHashOf(change.memory)
        : change.op === "delete"
          ? removalHashOf(change)
          : undefined,
  }));
  deps.writer.refuse(deps.places.placeOf(project).memoryDir, removals);
  deps.inbox.remove(project.id, new Set([item.id]));
  return { ...decided(item, project.root), outcome: "rejected" };
}

function decided({ id, changes }: InboxItem, project: string): Omit<DecidedItem, "outcome"> {
  const [first] = changes;
  const drafts = changes.flatMap((change) => ("memory" in change ? [change.memory.description] : []));
  const description = drafts[0] ?? (first === undefined ? "" : `${first.op} ${first.file}`);
  return { id, project, description, files: [], run: null, reason: null };
}
