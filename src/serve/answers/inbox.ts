// `review`: what waits for a person, of every project or of one; with an id one item with all its texts and what it
// would change now. Writes nothing.
import { AppError } from "../../domain/errors.ts";
import type { InboxChange, InboxItemView, InboxReply, InboxRequest } from "../../domain/inbox.ts";
import type { Evidence, MemoryChange } from "../../domain/changes.ts";
import type { Memory, MemoryDraft } from "../../domain/memories.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Places } from "../../intake/projects/places.ts";
import { targetOf } from "../../memory/gate/facts.ts";
import type { Inbox } from "../../memory/inbox/inbox.ts";
import { evidenceIn, expiresAt, type InboxItem } from "../../memory/inbox/items.ts";
import { prepare, type PrepareDeps } from "./inbox-prepare.ts";
import { patchBetween } from "./run-diff.ts";
import { reasonOf } from "./why-words.ts";

export interface InboxAnswerDeps extends PrepareDeps {
  readonly places: Places;
  readonly inbox: Inbox;
  projectAt(path: string): ProjectRef;
}

/** An item, and whose it is. */
export interface Waiting {
  readonly item: InboxItem;
  readonly project: ProjectRef;
}

export function waitingIn(
  { project: path }: Pick<InboxRequest, "project">,
  deps: Pick<InboxAnswerDeps, "places" | "inbox" | "projectAt">,
): readonly Waiting[] {
  const projects = path === undefined ? deps.places.known() : [deps.projectAt(path)];
  return projects.flatMap((project) => deps.inbox.list(project.id).map((item) => ({ item, project })));
}

/** Throws `unknown-item` and `ambiguous-item`. */
export function itemCalled(id: string, waiting: readonly Waiting[]): Waiting {
  const found = id === "" ? [] : waiting.filter(({ item }) => item.id.startsWith(id));
  const [one = found.find(({ item }) => item.id === id)] = found.length === 1 ? found : [];
  if (one !== undefined) return one;
  const isUnknown = found.length === 0;
  throw new AppError({
    code: isUnknown ? "unknown-item" : "ambiguous-item",
    message: isUnknown
      ? `nothing that waits is called ${id}`
      : `${id} begins the ids of ${found.length} items`,
    fix: "see: engramd review",
  });
}

/** Throws `unknown-item` and `ambiguous-item`. */
export async function answerInbox(request: InboxRequest, deps: InboxAnswerDeps): Promise<InboxReply> {
  const waiting = waitingIn(request, deps);
  const projects = request.project === undefined ? deps.places.known() : [deps.projectAt(request.project)];
  const losses = projects.map(({ id }) => deps.inbox.losses(id));
  const items =
    request.id === undefined
      ? waiting.toSorted(byKindAndTime).map((each) => viewOf(each, deps))
      : [await detailOf(itemCalled(request.id, waiting), deps)];
  const sum = (of: "expired" | "dropped") => losses.reduce((total, each) => total + each[of], 0);
  return { v: 1, items, expired: sum("expired"), dropped: sum("dropped") };
}

const KINDS = ["proposal", "quarantine", "candidate"] as const;

function byKindAndTime({ item: a }: Waiting, { item: b }: Waiting): number {
  return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.seen - a.seen;
}

function viewOf({ item, project }: Waiting, { places }: Pick<InboxAnswerDeps, "places">): InboxItemView {
  const evidence = evidenceIn(item);
  const iso = (at: number) => new Date(at).toISOString();
  return {
    id: item.id,
    kind: item.kind,
    project: project.root,
    memoryDir: places.placeOf(project).memoryDir,
    why: whyOf(item),
    since: iso(item.since),
    seen: iso(item.seen),
    expires: iso(expiresAt(item)),
    changes: item.changes.map((change) => changeView(change)),
    evidence: evidence.slice(0, 1).map(evidenceView),
    sessions: new Set(evidence.map(({ session }) => session.id)).size,
    blocked: null,
  };
}

async function detailOf(waiting: Waiting, deps: InboxAnswerDeps): Promise<InboxItemView> {
  const { item, project } = waiting;
  const { memories, changes, blocked } = prepare(item, project, deps);
  const shown = changes.length === item.changes.length ? changes : item.changes;
  return {
    ...viewOf(waiting, deps),
    changes: await Promise.all(shown.map((change) => withPatch(change, memories))),
    evidence: evidenceIn(item).map(evidenceView),
    blocked,
  };
}

function whyOf({ kind, refusal }: InboxItem): InboxItemView["why"] {
  if (refusal !== undefined) return { code: refusal.reason, message: refusal.message };
  return reasonOf(kind === "proposal" ? "propose-mode" : "said-once");
}

function changeView(change: MemoryChange): InboxChange {
  const memory = "memory" in change ? change.memory : undefined;
  return {
    op: change.op === "withdraw" ? "update" : change.op,
    file: change.file === "" ? null : change.file,
    name: memory?.name ?? null,
    type: memory?.type ?? null,
    description: memory?.description ?? null,
    patch: null,
  };
}

async function withPatch(change: MemoryChange, memories: readonly Memory[]): Promise<InboxChange> {
  const target = change.op === "create" ? undefined : targetOf(change, { memories });
  const before = target === undefined ? "" : textOf(target);
  const after = "memory" in change ? textOf(change.memory) : change.op === "delete" ? "" : before;
  const file = change.file === "" ? "(named when it is accepted)" : change.file;
  return { ...changeView(change), patch: (await patchBetween(file, before, after)) ?? null };
}

/** What a person would call the memory. */
function textOf({ description, type, body }: Pick<MemoryDraft, "body"> & Partial<Memory>): string {
  return `description: ${description ?? ""}\ntype: ${type ?? ""}\n\n${body.trim()}\n`;
}

function evidenceView({ session, recordId, by, quote, at }: Evidence): InboxItemView["evidence"][number] {
  const said = at === undefined ? null : new Date(at).toISOString();
  return { session: session.id, agent: session.agent, record: recordId, by, quote, at: said };
}
